"""API keys and merchants on screen: created, shown once, changed, rotated and revoked."""

import json
from datetime import timedelta

import pytest

from crossway.dashboard.views import clients as client_view
from crossway.dashboard.views import keys as view
from crossway.domain.clients import ApiKey, Mode, PublicProfile, Scope, staff_principal
from crossway.domain.errors import InvalidInput
from crossway.usecases.developers import api_keys, clients
from crossway.usecases.developers.api_keys import ApiKeyUpdate
from tests.dashboard.conftest import DashboardApp


def a_key(screen: DashboardApp) -> ApiKey:
    return api_keys.create_api_key(
        screen.world.services, "c-1", Mode.TEST, staff_principal("test")
    ).key


def text_of(screen: DashboardApp, key: str) -> str:
    return json.dumps(screen.widget(key), ensure_ascii=False)


def secret_of(screen: DashboardApp) -> str:
    return next(code.value for code in screen.at.code if code.value.startswith("cr_"))


def type_in(screen: DashboardApp, label: str, text: str) -> None:
    next(field for field in screen.at.text_input if field.label == label).set_value(text)


def test_a_key_is_created_and_its_secret_shown_once(screen: DashboardApp) -> None:
    assert "No active keys" in screen.open("keys").text
    screen.at.text_area(key="new_key_addresses").set_value("203.0.113.7\n2001:db8::/32")
    type_in(screen, "Requests per minute", "40")
    screen.click("Create API key")
    secret = secret_of(screen)
    (row,) = screen.widget("keys")["rows"]
    assert (row["cells"][0]["text"], row["cells"][0]["sub"]) == (f"{secret[:12]}…", "A shop")
    assert [c["text"] for c in row["cells"][1]["badges"]] == ["Active", "Test"]
    assert row["cells"][3]["text"] == "40 per minute"
    assert row["cells"][4]["text"] == "203.0.113.7/32, 2001:db8::/32"
    assert row["cells"][5]["text"] == "Never"
    screen.click("I have saved it")
    assert secret not in screen.text + json.dumps(screen.widget("keys"))


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("rate", "many", "Requests per minute must be a whole number such as 250."),
        ("addresses", "nowhere", "Addresses: nowhere is not a network"),
    ],
)
def test_invalid_key_settings_show_an_error(
    screen: DashboardApp, field: str, typed: str, says: str
) -> None:
    screen.open("keys")
    area = screen.at.text_area if field == "addresses" else screen.at.text_input
    area(key=f"new_key_{field}").set_value(typed)
    screen.click("Create API key")
    assert says in screen.text
    assert api_keys.list_api_keys(screen.world.services) == []


def test_a_key_is_changed_and_the_change_audited(screen: DashboardApp) -> None:
    key = a_key(screen)
    screen.open("key", id=str(key.id)).at.text_input(key=f"key_{key.id}_rate").set_value("7")
    screen.click("Save")
    after = api_keys.list_api_keys(screen.world.services)[0]
    assert after.requests_per_minute == 7
    assert "7 per minute" in text_of(screen, "key_facts")
    with screen.world.store.read() as unit:
        assert unit.audit_log.list_actors_and_actions()[0] == ["Operator", "test"]


def test_a_rotated_key_shows_when_it_expires(screen: DashboardApp) -> None:
    key = a_key(screen)
    api_keys.rotate_api_key(screen.world.services, key.id, staff_principal("test"))
    screen.open("key", id=str(key.id))
    assert "This key was already rotated" in screen.text
    assert "Expires" in text_of(screen, "key_facts")
    rows = screen.open("keys").widget("keys")["rows"]
    assert [[c["text"] for c in r["cells"][1]["badges"]] for r in rows] == [
        ["Active", "Test"],
        ["Expiring", "Test"],
    ]
    screen.world.machine.seconds += timedelta(hours=25).total_seconds()
    screen.rerun()
    assert len(screen.widget("keys")["rows"]) == 1


def test_a_revoked_key_offers_no_action_and_is_listed_as_revoked(
    screen: DashboardApp,
) -> None:
    key = a_key(screen)
    api_keys.revoke_api_key(screen.world.services, key.id, staff_principal("test"))
    assert "This key is revoked" in screen.open("key", id=str(key.id)).text
    assert [button.label for button in screen.at.button if "Save" in button.label] == []
    (row,) = screen.open("keys", show=view.INACTIVE).widget("keys")["rows"]
    assert row["cells"][1]["badges"][0]["text"] == "Revoked"


def test_an_unknown_key_or_client_shows_a_message(screen: DashboardApp) -> None:
    assert "No API key with ID 9" in screen.open("key", id="9").text
    assert "Merchant not found" in screen.open("client", id="x").text


def test_a_client_is_added_with_fees_and_branding(screen: DashboardApp) -> None:
    screen.open("merchants").at.text_input(key="new_client_name").set_value("Café Ada")
    screen.click("Create merchant")
    services = screen.world.services
    client = clients.find_client_by_name(services, "Café Ada")
    assert client is not None
    screen.open("client", id=client.id, tab="Settings")
    refund = screen.world.wallet("BASE_MAINNET", "refund")
    for label, text in {
        "App fee, %": "0.75",
        "App fee cap, USD": "2.50",
        "EVM chains": refund,
        "Display name": "Ada’s",
        "Logo URL (API only)": "https://ada.example/logo.svg",
        "Colour": "#2255AA",
    }.items():
        type_in(screen, label, text)
    screen.click("Save")
    after = clients.find_client_by_name(services, "Café Ada")
    assert after is not None
    assert (after.app_fee_bps, after.app_fee_cap_micro_usd) == (75, 2_500_000)
    assert after.refund_addresses == {"evm": refund}
    assert after.public_profile == PublicProfile("Ada’s", "https://ada.example/logo.svg", "#2255aa")
    shown = {field.label: field.value for field in screen.at.text_input}
    assert (shown["App fee, %"], shown["App fee cap, USD"]) == ("0.75", "2.50")
    rows = screen.open("merchants").widget("merchants")["rows"]
    assert f"client?id={client.id}" in [row["href"] for row in rows]


def test_an_invalid_client_shows_every_error(screen: DashboardApp) -> None:
    screen.open("client", id="c-1", tab="Settings")
    type_in(screen, "Colour", "blue")
    type_in(screen, "Solana", "nonsense")
    screen.click("Save")
    assert "Colour must be #rrggbb" in screen.text
    assert "the solana address" in screen.text
    type_in(screen, "App fee, %", "5.01")
    screen.click("Save")
    assert "App fee must be from 0 to 5%" in screen.text


def test_an_empty_field_removes_the_value() -> None:
    typed = client_view.ClientForm("A", "", "", "250", {"evm": ""}, "", "", "")
    change = client_view.parse_change(typed)
    assert (change.app_fee_bps, change.app_fee_cap_micro_usd) == (0, -1)
    assert view.parse_change([Scope.READ], "", "") == ApiKeyUpdate(frozenset({Scope.READ}), 0, ())


def test_list_input_accepts_lines_and_commas() -> None:
    assert view.split_list(" a, b\nc;d ") == ("a", "b", "c", "d")
    with pytest.raises(InvalidInput, match="Rate must be a whole number"):
        view.parse_whole_number("Rate", "1.5")

"""The form of a new payment: begun with what was used last, each error at its field."""

import pytest

from crossway.usecases.developers import clients
from tests.dashboard.conftest import DashboardApp

BASE, SOLANA, POLYGON = "BASE_MAINNET", "SOLANA_MAINNET", "POLYGON_MAINNET"


def _fill(screen: DashboardApp, **values: str) -> DashboardApp:
    for key, value in values.items():
        screen.at.text_input(key=key).set_value(value)
    return screen.rerun()


def _value(screen: DashboardApp, key: str) -> str:
    return str(screen.at.text_input(key=key).value)


def _create_label(screen: DashboardApp) -> str:
    return next(b.label for b in screen.at.button if b.label.startswith("Create a payment"))


def test_a_returning_merchant_finds_the_last_route_and_addresses(screen: DashboardApp) -> None:
    world = screen.world
    shop, customer = world.wallet(BASE, "shop"), world.wallet(POLYGON, "customer")
    world.create_intent(POLYGON, BASE, recipient=shop, refund_address=customer)
    screen.open("new_intent")
    assert screen.at.selectbox(key="source").value == POLYGON
    assert _value(screen, "recipient") == shop
    assert _value(screen, "refund") == customer
    screen.click("Create a payment of 25 USDC")
    assert "Payment #2 is ready" in screen.text


def test_another_family_of_chains_has_its_own_last_address(screen: DashboardApp) -> None:
    world = screen.world
    shop = world.wallet(BASE, "shop")
    world.create_intent(POLYGON, BASE, recipient=shop)
    screen.open("new_intent")
    screen.at.selectbox(key="to_chain").set_value(SOLANA)
    assert _value(screen.rerun(), "recipient") == ""
    screen.at.selectbox(key="to_chain").set_value("ETHEREUM_MAINNET")
    assert _value(screen.rerun(), "recipient") == shop
    mine = world.wallet(BASE, "typed by hand")
    _fill(screen, recipient=mine)
    screen.at.selectbox(key="to_chain").set_value(SOLANA)
    assert _value(screen.rerun(), "recipient") == mine
    assert "Recipient address" in screen.text  # It is none of this chain, which its field says.


def test_the_payment_belongs_to_the_chosen_merchant(screen: DashboardApp) -> None:
    world = screen.world
    other = clients.create_client(world.services, "Second shop", world.operator)
    screen.open("new_intent")
    screen.at.selectbox(key="payment_merchant").set_value(other.id)
    screen.rerun().click("Use example addresses")
    screen.click("Create a payment")
    with world.services.store.read() as unit:
        created = unit.intents.get(1)
    assert created is not None
    assert created.client_id == other.id
    screen.open("new_intent")
    assert screen.at.selectbox(key="payment_merchant").value == other.id


@pytest.mark.parametrize(
    ("typed", "label"),
    [("1,000.50", "1,000.5 USDC"), ("1 000,50", "1,000.5 USDC"), ("1.000,50 USDC", "1,000.5 USDC")],
)
def test_an_amount_is_shown_as_understood(screen: DashboardApp, typed: str, label: str) -> None:
    _fill(screen.open("new_intent"), amount=typed)
    assert _create_label(screen) == f"Create a payment of {label}"
    assert f"= {label}" in screen.text


def test_an_amount_with_two_readings_is_not_used_before_it_was_shown(screen: DashboardApp) -> None:
    screen.open("new_intent").click("Use example addresses")
    screen.at.text_input(key="amount").set_value("1.000")
    next(b for b in screen.at.button if b.label.startswith("Create a payment")).click()
    screen.rerun()
    assert "“1.000” is read as 1. For 1000 write 1000." in screen.text
    assert "Check how the amount is read" in screen.text
    with screen.world.services.store.read() as unit:
        assert unit.intents.get(1) is None
    screen.click("Create a payment of 1 USDC")
    assert "Payment #1 is ready" in screen.text


def test_errors_stand_at_their_fields_and_the_quote_stays_calm(screen: DashboardApp) -> None:
    _fill(screen.open("new_intent"), amount="0.0001", recipient="0x12", refund="nobody")
    assert "No bridge takes this amount" in screen.text
    assert "Recipient address" in screen.text
    assert "Refund address" in screen.text
    assert "No quote yet: see what is marked in the form." in screen.text
    assert not screen.at.error
    _fill(screen, amount="1,00.5")
    assert "without them it would be 100.5. Write that if it is meant." in screen.text
    assert "The quote appears once the amount is complete." in screen.text
    _fill(screen, amount="")
    assert not screen.at.error
    assert "Enter an amount" not in screen.text
    screen.click("Create a payment")
    assert "Enter an amount." in screen.text


def test_a_created_payment_has_its_own_address(screen: DashboardApp) -> None:
    screen.world.create_intent()
    screen.open("new_intent", made="1")
    link = screen.widget("payer_link")
    assert link["sheet"] == f"{link['url']}/sheet"
    assert link["mail"].startswith("mailto:?subject=Payment%20of%20")
    assert "SIMULATED" in link["text"]
    assert screen.has_widget("steps")
    for nonsense in ("17", "x", "9" * 30):
        assert screen.open("new_intent", made=nonsense).at.error
        assert [link["label"] for link in screen.widget("follow")["links"]] == ["Another payment"]


def test_no_merchant_is_offered_the_addresses_of_another(screen: DashboardApp) -> None:
    world = screen.world
    first, second = world.wallet(BASE, "first shop"), world.wallet(BASE, "second shop")
    other = clients.create_client(world.services, "Second shop", world.operator)
    fresh = clients.create_client(world.services, "Shop without payments", world.operator)
    mine = world.create_intent(POLYGON, BASE, recipient=first).client_id
    screen.open("new_intent")
    choice = screen.at.selectbox(key="payment_merchant")
    choice.set_value(other.id)
    screen.rerun()
    _fill(screen, recipient=second, refund=world.wallet(POLYGON, "their customer"))
    screen.click("Create a payment of 25 USDC")
    assert "is ready" in screen.text
    screen.open("new_intent")
    assert _value(screen, "recipient") == second
    for merchant, recipient in (
        (mine, first), (other.id, second), (mine, first), (fresh.id, ""), (other.id, second),
        (fresh.id, ""),
    ):  # fmt: skip
        screen.at.selectbox(key="payment_merchant").set_value(merchant)
        assert _value(screen.rerun(), "recipient") == recipient


def test_a_reload_keeps_the_merchant_with_the_addresses(screen: DashboardApp) -> None:
    world = screen.world
    other = clients.create_client(world.services, "Second shop", world.operator)
    world.create_intent(POLYGON, BASE)
    address = world.wallet(BASE, "second shop")
    screen.open("new_intent", payment_merchant="Second shop", recipient=address)
    assert screen.at.selectbox(key="payment_merchant").value == other.id
    assert _value(screen, "recipient") == address


def test_an_address_from_a_link_is_said_to_be_one(screen: DashboardApp) -> None:
    world = screen.world
    shop, stranger = world.wallet(BASE, "shop"), world.wallet(BASE, "stranger")
    world.create_intent(POLYGON, BASE, recipient=shop)
    note = "Recipient taken from the link that opened this page: check it."
    screen.open("new_intent", recipient=stranger)
    assert _value(screen, "recipient") == stranger
    assert note in screen.text
    # Not what somebody types, and not what the merchant has paid before.
    assert note not in _fill(screen, recipient=world.wallet(BASE, "typed")).text
    assert note in _fill(screen, recipient=stranger).text
    assert note not in _fill(screen, recipient=shop).text

"""Test and live are two worlds on every page: lists, figures, searches and links."""

from dataclasses import replace

import pytest

from crossway.dashboard.page_registry import PAGES
from crossway.domain.clients import Mode, Principal
from crossway.domain.errors import NotFound
from crossway.domain.intent import Intent
from crossway.ports.logs import LoggedRequest
from crossway.usecases.payers import links
from crossway.usecases.payers.link_fields import LinkRequest
from crossway.usecases.simulator import ramp_controls
from tests.dashboard.conftest import DashboardApp, new_dashboard
from tests.usecases.ramp_world import ADA, ARBITRUM, RampWorld


@pytest.fixture
def live(world: RampWorld) -> Principal:
    """The live key of the merchant whose test key the world uses."""
    return replace(world.caller, mode=Mode.LIVE)


@pytest.fixture
def payments(world: RampWorld, live: Principal) -> dict[Mode, Intent]:
    """One payment in each mode; nothing else is in either."""
    made = {Mode.TEST: world.create_intent(metadata={"order": "A-1"})}
    test_key, world.caller = world.caller, live
    made[Mode.LIVE] = world.create_intent(metadata={"order": "B-2"})
    world.caller = test_key
    return made


@pytest.fixture
def app(world: RampWorld, payments: dict[Mode, Intent]) -> DashboardApp:
    """The dashboard after the payments were made."""
    return DashboardApp(new_dashboard(), world).rerun()


def switch(app: DashboardApp, mode: Mode) -> None:
    app.at.segmented_control(key="operator_mode").set_value(mode)
    app.rerun()


def listed(app: DashboardApp, key: str) -> list[str]:
    return [row["key"] for row in app.widget(key)["rows"]] if app.has_widget(key) else []


def other(mode: Mode) -> Mode:
    return Mode.LIVE if mode is Mode.TEST else Mode.TEST


def test_a_session_begins_in_live_mode_once_there_are_live_payments(
    screen: DashboardApp, world: RampWorld, live: Principal
) -> None:
    assert "Test mode" in screen.text
    world.caller = live
    world.create_intent()
    assert "Test mode" in screen.rerun().text
    assert "Live mode" in DashboardApp(new_dashboard(), world).rerun().text


@pytest.mark.parametrize("mode", Mode)
def test_a_selector_that_is_sent_without_its_choice_keeps_the_mode(
    app: DashboardApp, mode: Mode
) -> None:
    """A browser on a busy machine did so, and every page failed from then on."""
    switch(app, mode)
    app.at.session_state["operator_mode"] = None
    assert f"{mode.capitalize()} mode" in app.rerun().text
    assert app.at.segmented_control(key="operator_mode").value == mode


@pytest.mark.parametrize("mode", Mode)
def test_a_link_to_a_filtered_list_opens_in_the_mode_it_was_made_in(
    app: DashboardApp, payments: dict[Mode, Intent], mode: Mode
) -> None:
    app.open("intents")
    switch(app, mode)
    assert "mode" not in app.at.query_params
    app.at.segmented_control(key="asked_show").set_value("Pending")
    app.rerun()
    assert app.at.query_params["mode"] == mode.value
    # Somebody else follows the link, whose session shows the other mode.
    reader = DashboardApp(new_dashboard(), app.world).rerun()
    switch(reader, other(mode))
    reader.open("intents", show="Pending", mode=mode.value)
    assert listed(reader, "intents") == [str(payments[mode].id)]
    assert reader.at.segmented_control(key="operator_mode").value == mode
    # Who switches, follows the link no longer; nor is anything else a mode.
    switch(reader, other(mode))
    assert listed(reader, "intents") == [str(payments[other(mode)].id)]
    assert reader.at.query_params["mode"] == other(mode).value
    reader.open("intents", mode="both")
    assert listed(reader, "intents") == [str(payments[other(mode)].id)]


def test_every_page_says_which_mode_it_shows(app: DashboardApp) -> None:
    for mode in Mode:
        app.open("overview")
        switch(app, mode)
        for page in PAGES:
            if not page.section:
                continue
            text = app.open(page.name).text
            shown = "Test and live" if page.both_modes else f"{mode.capitalize()} mode"
            assert shown in text, page.name


@pytest.mark.parametrize("mode", Mode)
def test_no_list_shows_a_record_of_the_other_mode(
    app: DashboardApp,
    world: RampWorld,
    live: Principal,
    payments: dict[Mode, Intent],
    mode: Mode,
) -> None:
    callers = {Mode.TEST: world.caller, Mode.LIVE: live}
    orders, created_links, requests = {}, {}, {}
    for each, caller in callers.items():
        world.caller = caller
        ramp_controls.set_kyc_status(
            world.services, caller, "YELLOW_CARD", ADA, "advanced", "approved"
        )
        orders[each] = world.create_on_ramp()
        request = LinkRequest(
            title=f"For {each}", destination_chain=ARBITRUM, recipient=orders[each].recipient
        )
        created_links[each] = links.create(world.services, caller, request)
        line = LoggedRequest(
            0, world.clock.now(), f"req_{each}", "GET", f"/v1/{each}", 200, 1, "c-1", "cr",
            None, None, None, each,
        )  # fmt: skip
        world.store.write(lambda unit, line=line: unit.request_log.add([line]))  # type: ignore[misc]
        requests[each] = line.request_id
    switch(app, mode)
    app.open("intents")
    assert str(payments[mode].id) in listed(app, "intents")
    assert str(payments[other(mode)].id) not in listed(app, "intents")
    app.open("ramp_orders")
    assert listed(app, "orders") == [str(orders[mode].id)]
    app.open("payment_links")
    assert listed(app, "payment_links") == [created_links[mode].id]
    text = str(app.open("requests").widget("requests"))
    assert (requests[mode] in text, requests[other(mode)] in text) == (True, False)


@pytest.mark.parametrize("mode", Mode)
def test_the_overview_counts_one_mode(
    app: DashboardApp, world: RampWorld, live: Principal, mode: Mode
) -> None:
    for _ in range(3):
        world.create_intent()
    world.caller = live
    world.create_intent()
    world.caller = replace(live, mode=Mode.TEST)
    switch(app, mode)
    app.open("overview")
    expected = {Mode.TEST: 4, Mode.LIVE: 2}[mode]
    cells = [cell for row in app.widget("states")["rows"] for cell in row["cells"]]
    assert str(expected) in {str(cell.get("text")) for cell in cells}
    assert len(app.widget("recent")["entries"]) == expected


@pytest.mark.parametrize("mode", Mode)
def test_a_link_to_a_payment_of_the_other_mode_shows_it_and_offers_to_switch(
    app: DashboardApp, payments: dict[Mode, Intent], mode: Mode
) -> None:
    switch(app, mode)
    strange = payments[other(mode)]
    text = app.open("intent", id=str(strange.id)).text
    assert f"Payment #{strange.id}" in text
    assert f"This is in {other(mode)} mode." in text
    app.click(f"Switch to {other(mode)} mode")
    assert f"Payment #{strange.id}" in app.text
    assert f"{other(mode).capitalize()} mode" in app.text
    assert "This is in" not in app.text
    app.open("intents")
    assert listed(app, "intents") == [str(strange.id)]


@pytest.mark.parametrize("mode", Mode)
def test_a_search_finds_its_mode_first_and_the_other_rather_than_nothing(
    app: DashboardApp, payments: dict[Mode, Intent], mode: Mode
) -> None:
    switch(app, mode)
    recipient = payments[mode].terms.recipient  # Both payments have it.
    app.open("search", q=recipient)
    assert listed(app, "found_payment") == [f"payment-{payments[mode].id}"]
    assert "these are in the other mode" not in app.text
    app.open("search", q={Mode.TEST: "B-2", Mode.LIVE: "A-1"}[mode])
    assert listed(app, "found_payment") == [f"payment-{payments[other(mode)].id}"]
    assert f"Nothing in {mode} mode matches; these are in the other mode." in app.text


def test_a_person_of_the_other_mode_is_found_by_a_switch(
    app: DashboardApp, world: RampWorld
) -> None:
    world.create_on_ramp()
    switch(app, Mode.LIVE)
    app.open("kyc", provider="YELLOW_CARD", currency="NGN", country="NG")
    app.at.text_input(key="email").set_value(ADA)
    assert "Not started" in str(app.rerun().widget("kyc_facts"))
    assert not app.has_widget("kyc_orders")
    app.click("Switch to test mode")
    assert "Approved" in str(app.widget("kyc_facts"))
    assert len(app.widget("kyc_orders")["rows"]) == 1


def test_an_operator_edits_a_test_link_while_in_live_mode(
    world: RampWorld, live: Principal
) -> None:
    made = links.create(
        world.services,
        world.caller,
        LinkRequest(
            title="Coffee",
            destination_chain="BASE_TESTNET",
            recipient=world.wallet("BASE_TESTNET", "shop"),
        ),
    )
    operator = replace(world.operator, mode=Mode.LIVE)
    change = LinkRequest(source_chains=["ARBITRUM_TESTNET"])
    edited = links.update(world.services, operator, made.id, change)
    assert (edited.source_chains, edited.mode) == (("ARBITRUM_TESTNET",), "test")
    with pytest.raises(NotFound):
        links.update(world.services, live, made.id, change)

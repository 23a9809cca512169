"""Standing addresses on screen: created, paid into, closed, and what waits sent back."""

from crossway.dashboard.views import palette_entries, search
from crossway.domain.standing import StandingState
from crossway.usecases.standing import addresses, deposits
from crossway.usecases.standing.request import StandingRequest
from tests.dashboard.conftest import DashboardApp


def test_an_address_is_created_paid_into_and_closed(screen: DashboardApp) -> None:
    world = screen.world
    screen.open("standing_addresses")
    recovery = world.wallet("BASE_MAINNET", "recovery")
    screen.at.text_input(key="standing_recovery").set_value(recovery)
    recipient = world.wallet("ARBITRUM_MAINNET", "shop")
    screen.at.text_input(key="standing_recipient").set_value(recipient)
    screen.at.text_input(key="standing_minimum").set_value("20")
    screen.at.text_input(key="standing_reference").set_value("customer 7")
    screen.click("Create standing address")
    [made] = addresses.list_page(world.services, world.operator, 10)
    assert (made.recipient, made.recovery) == (recipient, recovery)
    assert made.latest_rules.minimum == 20_000_000
    token = made.terms.tokens[0].token
    for units in (50_000_000, 100):
        world.sandbox.deposit("BASE_MAINNET", made.address, token, units, 1)
    world.pass_time(60)
    screen.open("standing_address", id=made.id)
    assert made.address in str(screen.widget("standing_facts"))
    rows = screen.widget("standing_deposits")["rows"]
    states = [row["cells"][1]["badges"][0]["text"] for row in rows]
    assert sorted(states) == ["Forwarded", "Kept"]
    [paid] = [row["cells"][3]["href"] for row in rows if "href" in row["cells"][3]]
    assert paid == "intent?id=1"
    screen.at.text_input(key="standing_estimate").set_value("50").run()
    said = " ".join(element.value for element in screen.at.markdown)
    assert "The recipient gets 49.9235 USDC; were" in said
    assert "0.01 USDC of that for forwarding" in said
    screen.click("Close")
    assert not addresses.get(world.services, world.operator, made.id).latest_rules.active
    [row] = screen.open("standing_addresses").widget("standing_addresses")["rows"]
    assert row["cells"][1]["badges"][0]["text"] == "Closed"
    assert len(screen.widget("standing_deposits")["rows"]) == 2


def test_what_was_kept_is_returned_by_hand(screen: DashboardApp) -> None:
    world = screen.world
    screen.open("standing_addresses")
    for key, chain in (("recovery", "BASE_MAINNET"), ("recipient", "ARBITRUM_MAINNET")):
        screen.at.text_input(key=f"standing_{key}").set_value(world.wallet(chain, key))
    screen.click("Create standing address")
    [made] = addresses.list_page(world.services, world.operator, 10)
    token = made.terms.tokens[0].token
    world.sandbox.deposit("BASE_MAINNET", made.address, token, 100, 1)
    world.pass_time(30)
    screen.open("standing_address", id=made.id).click("Return deposit #1, 0.0001 USDC")
    world.pass_time(60)
    [deposit] = deposits.list_deposits(world.services, world.operator, 10)
    assert deposit.state is StandingState.RETURNED


def test_search_opens_the_address_of_what_came_to_it(screen: DashboardApp) -> None:
    world = screen.world
    wallets = [world.wallet(chain, "x") for chain in ("ARBITRUM_MAINNET", "BASE_MAINNET")]
    request = StandingRequest("BASE_MAINNET", "ARBITRUM_MAINNET", *wallets, reference="customer 7")
    made = addresses.create(world.services, world.caller, request)
    sent = world.sandbox.deposit("BASE_MAINNET", made.address, made.terms.tokens[0].token, 100)
    world.pass_time(30)
    for text in (made.id, made.address, "customer 7", sent.tx_hash):
        target = search.resolve(world.services, world.operator, text)
        assert target == search.SearchTarget(f"standing_address?id={made.id}"), text
        found = palette_entries.find_records(world.services, world.operator, text, [])
        assert {entry.href for entry in found} == {target.href}
    screen.open("search", q=sent.tx_hash)
    assert "matched by deposit transaction" in str(screen.widget("found_standing_deposit"))


def test_a_bad_form_names_its_field_and_creates_nothing(screen: DashboardApp) -> None:
    screen.open("standing_addresses")
    screen.at.text_input(key="standing_minimum").set_value("lots")
    screen.click("Create standing address")
    assert any("Minimum" in error.value for error in screen.at.error)
    assert addresses.list_page(screen.world.services, screen.world.operator, 10) == []

"""One payment's page: found by any identifier, its steps, and the actions its state allows."""

import json

from crossway.domain.intent import State
from crossway.domain.return_budget import ReturnBudget
from tests.dashboard.conftest import DashboardApp


def buttons(screen: DashboardApp) -> dict[str, bool]:
    return {button.label: not button.disabled for button in screen.at.button}


def test_a_link_by_number_or_address_opens_the_payment(screen: DashboardApp) -> None:
    intent = screen.world.create_intent()
    for name in (str(intent.id), intent.address):
        assert screen.open("intent", id=name).at.title[0].value == f"Payment #{intent.id}"


def test_the_root_link_leads_to_the_payment(screen: DashboardApp) -> None:
    intent = screen.world.create_intent()
    screen.at.query_params["intent"] = intent.address
    screen.rerun()
    leaving = [w for w in screen.at.main if "navigate" in str(getattr(w, "proto", ""))[:4000]]
    assert leaving or screen.at.title[0].value == f"Payment #{intent.id}"


def test_an_unknown_identifier_shows_a_message(screen: DashboardApp) -> None:
    assert "No payment found for “nonsense”" in screen.open("intent", id="nonsense").text


def test_a_pending_payment_can_be_checked_and_not_refunded(screen: DashboardApp) -> None:
    screen.open("intent", id=str(screen.world.create_intent().id))
    assert buttons(screen)["Check for deposit"] is True
    assert buttons(screen)["Refund"] is False
    assert "A refund is possible once the payment has expired" in screen.text
    stands = [step["status"] for step in screen.widget("steps")["steps"]]
    assert stands == ["done", "now", "todo", "todo"]


def test_checking_an_unfunded_payment_shows_an_error(screen: DashboardApp) -> None:
    screen.open("intent", id=str(screen.world.create_intent().id)).click("Check for deposit")
    assert "Intent is not funded: received 0 of" in screen.text


def test_a_simulated_deposit_leads_to_the_payout(screen: DashboardApp) -> None:
    intent = screen.world.create_intent()
    screen.open("intent", id=str(intent.id)).click("Deposit 25")
    screen.world.wait_for_state(intent, State.COMPLETED)
    screen.rerun()
    assert {step["status"] for step in screen.widget("steps")["steps"]} == {"done"}
    assert len(screen.widget("deposits")["rows"]) == 1
    actual = {r["key"]: r["cells"][2].get("text") for r in screen.widget("compare")["rows"]}
    assert actual["Recipient gets"] == "25.00 USDC"


def test_an_overpayment_is_shown_as_refunded(screen: DashboardApp) -> None:
    intent = screen.world.create_intent()
    screen.open("intent", id=str(intent.id)).click("Deposit too much")
    screen.world.wait_for_state(intent, State.COMPLETED)
    screen.rerun()
    actual = {r["key"]: r["cells"][2].get("text") for r in screen.widget("compare")["rows"]}
    assert actual["Refunded"].endswith(" USDC")
    assert "Overpaid" in screen.text


def test_an_unexpected_deposit_is_shown_and_can_be_returned(screen: DashboardApp) -> None:
    intent = screen.world.create_intent()
    screen.open("intent", id=str(intent.id)).click("Deposit another token")
    screen.world.pass_time(20)
    screen.rerun()
    assert "Wrong token" in screen.text
    assert any(label.startswith("Return unexpected deposit") for label in buttons(screen))


def test_an_expired_payment_with_funds_offers_a_refund(
    screen: DashboardApp,
) -> None:
    intent = screen.world.create_intent()
    screen.world.deposit(intent, "short")
    screen.world.pass_time(20)
    screen.world.machine.seconds += 3700
    screen.world.services.chains[intent.terms.source_chain].heads()
    screen.world.wait_for_state(intent, State.EXPIRED, State.REFUNDED)
    screen.open("intent", id=str(intent.id))
    if screen.world.reload(intent).state is State.EXPIRED:
        assert any(label.startswith("Refund 12.") for label in buttons(screen))
    screen.world.wait_for_state(intent, State.REFUNDED)
    screen.rerun()
    assert "Already refunded." in screen.text


def test_a_refund_that_waits_is_not_shown_as_in_progress(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    world.deposit(intent, "short")
    world.pass_time(20)
    spent = ReturnBudget(intent.terms.source_chain, 0, -50_000_000, world.clock.now())
    world.store.write(lambda unit: unit.treasury.save_return_budget(spent))
    world.pass_time(3_700, 300)
    screen.open("intent", id=str(intent.id))
    assert screen.widget("steps")["steps"][-1]["note"] == "waiting"
    assert "have used up what fees brought" in screen.text


def test_an_expired_payment_shows_its_creation_and_expiry_as_steps(screen: DashboardApp) -> None:
    intent = screen.world.create_intent()
    screen.world.machine.seconds += 3700
    screen.world.wait_for_state(intent, State.EXPIRED)
    titles = [s["title"] for s in screen.open("intent", id=str(intent.id)).widget("steps")["steps"]]
    assert titles == ["Created", "Expired"]


def test_an_ended_payment_has_no_pending_steps(screen: DashboardApp) -> None:
    intent = screen.world.create_intent()
    screen.open("intent", id=str(intent.id))
    assert "not yet" in str(screen.widget("compare")["rows"])
    screen.world.machine.seconds += 3700
    screen.world.wait_for_state(intent, State.EXPIRED)
    screen.rerun()
    assert "not yet" not in str(screen.widget("compare")["rows"])


def test_a_note_appears_in_the_timeline(screen: DashboardApp) -> None:
    intent = screen.world.create_intent()
    screen.open("intent", id=str(intent.id))
    screen.at.text_area(key="note_words").set_value("The payer called.")
    screen.click("Add note")
    titles = [item["title"] for item in screen.widget("timeline")["entries"]]
    assert titles[0].startswith("Note by ")
    assert screen.widget("timeline")["entries"][0]["note"] == "The payer called."


def test_payment_details_show_ledger_raw_transactions_and_records(
    screen: DashboardApp,
) -> None:
    intent = screen.world.create_intent()
    screen.world.deposit(intent)
    screen.world.wait_for_state(intent, State.COMPLETED)
    screen.open("intent", id=str(intent.id), tab="Advanced")
    assert {row["cells"][0]["text"] for row in screen.widget("attempts")["rows"]} >= {
        "Deposit collection",
        "Payout to the recipient",
    }
    assert screen.widget("ledger")["rows"]
    assert "no webhook" in screen.text
    screen.open("intent", id=str(intent.id), tab="Raw")
    records = [json.loads(element.value) for element in screen.at.json]
    assert records[0]["address"] == intent.address
    assert all(record["signed"]["raw"].endswith(" bytes") for record in records[4])


def test_an_ambiguous_search_opens_a_results_page(screen: DashboardApp) -> None:
    intents = [screen.world.create_intent() for _ in range(2)]
    screen.open("search", q=intents[0].terms.recipient)
    rows = screen.widget("found_payment")["rows"]
    assert [row["href"] for row in rows] == [f"intent?id={item.id}" for item in reversed(intents)]
    assert rows[0]["cells"][1]["text"] == "Recipient address"
    assert "No results for “nonsense”" in screen.open("search", q="nonsense").text
    assert "Enter an exact value" in screen.open("search").text

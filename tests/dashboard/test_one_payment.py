"""One payment's page: found by any identifier, its steps, and the actions its state allows."""

import json

from crossway.domain.intent import State
from tests.dashboard.conftest import Screen


def buttons(screen: Screen) -> dict[str, bool]:
    return {button.label: not button.disabled for button in screen.at.button}


def test_a_link_by_number_or_address_opens_the_payment(screen: Screen) -> None:
    intent = screen.world.pay()
    for name in (str(intent.id), intent.address):
        assert screen.open("intent", id=name).at.title[0].value == f"Payment #{intent.id}"


def test_the_root_link_leads_to_the_payment(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.at.query_params["intent"] = intent.address
    screen.again()
    leaving = [w for w in screen.at.main if "navigate" in str(getattr(w, "proto", ""))[:4000]]
    assert leaving or screen.at.title[0].value == f"Payment #{intent.id}"


def test_an_unknown_name_is_answered_in_words(screen: Screen) -> None:
    assert "No payment found for “nonsense”" in screen.open("intent", id="nonsense").words


def test_a_pending_payment_can_be_checked_and_not_refunded(screen: Screen) -> None:
    screen.open("intent", id=str(screen.world.pay().id))
    assert buttons(screen)["Check for deposit"] is True
    assert buttons(screen)["Refund"] is False
    assert "A refund is possible once the payment has expired" in screen.words
    stands = [step["status"] for step in screen.widget("steps")["steps"]]
    assert stands == ["done", "now", "todo", "todo"]


def test_checking_an_unfunded_payment_is_refused_in_words(screen: Screen) -> None:
    screen.open("intent", id=str(screen.world.pay().id)).press("Check for deposit")
    assert "Intent is not funded: received 0 of" in screen.words


def test_a_simulated_deposit_leads_to_the_payout(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.open("intent", id=str(intent.id)).press("Deposit 25")
    screen.world.until(intent, State.COMPLETED)
    screen.again()
    assert {step["status"] for step in screen.widget("steps")["steps"]} == {"done"}
    assert len(screen.widget("deposits")["rows"]) == 1
    actual = {r["key"]: r["cells"][2].get("text") for r in screen.widget("compare")["rows"]}
    assert actual["Recipient gets"] == "25.00 USDC"


def test_what_was_too_much_shows_as_gone_back(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.open("intent", id=str(intent.id)).press("Deposit too much")
    screen.world.until(intent, State.COMPLETED)
    screen.again()
    actual = {r["key"]: r["cells"][2].get("text") for r in screen.widget("compare")["rows"]}
    assert actual["Refunded"].endswith(" USDC")
    assert "Overpaid" in screen.words


def test_another_token_is_shown_and_can_be_returned(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.open("intent", id=str(intent.id)).press("Deposit another token")
    screen.world.pass_time(20)
    screen.again()
    assert "Wrong token" in screen.words
    assert any(label.startswith("Return unexpected deposit") for label in buttons(screen))


def test_an_expired_payment_that_holds_money_offers_its_refund_by_name(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.world.deposit(intent, "short")
    screen.world.pass_time(20)
    screen.world.machine.seconds += 3700
    screen.world.services.chains[intent.terms.source_chain].heads()
    screen.world.until(intent, State.EXPIRED, State.REFUNDED)
    screen.open("intent", id=str(intent.id))
    if screen.world.now(intent).state is State.EXPIRED:
        assert any(label.startswith("Refund 12.") for label in buttons(screen))
    screen.world.until(intent, State.REFUNDED)
    screen.again()
    assert "Already refunded." in screen.words


def test_every_state_stands_as_steps(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.world.machine.seconds += 3700
    screen.world.until(intent, State.EXPIRED)
    titles = [s["title"] for s in screen.open("intent", id=str(intent.id)).widget("steps")["steps"]]
    assert titles == ["Created", "Expired"]


def test_of_a_payment_that_has_ended_nothing_is_called_not_yet(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.open("intent", id=str(intent.id))
    assert "not yet" in str(screen.widget("compare")["rows"])
    screen.world.machine.seconds += 3700
    screen.world.until(intent, State.EXPIRED)
    screen.again()
    assert "not yet" not in str(screen.widget("compare")["rows"])


def test_a_note_is_written_and_stands_in_the_story(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.open("intent", id=str(intent.id))
    screen.at.text_area(key="note_words").set_value("The payer called.")
    screen.press("Add note")
    titles = [item["title"] for item in screen.widget("timeline")["entries"]]
    assert titles[0].startswith("Note by ")
    assert screen.widget("timeline")["entries"][0]["note"] == "The payer called."


def test_the_depth_of_a_payment_has_its_books_its_bytes_and_its_records(screen: Screen) -> None:
    intent = screen.world.pay()
    screen.world.deposit(intent)
    screen.world.until(intent, State.COMPLETED)
    screen.open("intent", id=str(intent.id), tab="Advanced")
    assert {row["cells"][0]["text"] for row in screen.widget("attempts")["rows"]} >= {
        "Deposit collection",
        "Payout to the recipient",
    }
    assert screen.widget("ledger")["rows"]
    assert "no webhook" in screen.words
    screen.open("intent", id=str(intent.id), tab="Raw")
    records = [json.loads(element.value) for element in screen.at.json]
    assert records[0]["address"] == intent.address
    assert all(one["signed"]["raw"].endswith(" bytes") for one in records[4])


def test_a_text_that_could_mean_much_is_answered_by_a_page(screen: Screen) -> None:
    made = [screen.world.pay() for _ in range(2)]
    screen.open("search", q=made[0].terms.recipient)
    rows = screen.widget("found_payment")["rows"]
    assert [row["href"] for row in rows] == [f"intent?id={one.id}" for one in reversed(made)]
    assert rows[0]["cells"][1]["text"] == "Recipient address"
    assert "No results for “nonsense”" in screen.open("search", q="nonsense").words
    assert "Enter an exact value" in screen.open("search").words

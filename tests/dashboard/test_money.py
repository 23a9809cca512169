"""Treasury, books and comparisons on screen: each state that an operator can meet."""

import json
from datetime import date

from crossway.domain.intent import State
from tests.dashboard.conftest import Screen


def texts(rows: list[dict[str, object]]) -> str:
    return json.dumps(rows, ensure_ascii=False)


def paid(screen: Screen, amount: str = "exact") -> None:
    intent = screen.world.pay()
    screen.world.deposit(intent, amount)
    screen.world.until(intent, State.COMPLETED)


def test_empty_books_say_what_will_be_their_first_line(screen: Screen) -> None:
    assert "Nothing is booked yet" in screen.open("books").words
    assert "Nothing was posted" in screen.words


def test_the_books_balance_and_a_line_opens_its_postings(screen: Screen) -> None:
    paid(screen)
    screen.open("books")
    assert "The books balance: debits equal credits" in screen.words
    lines = screen.widget("trial")["rows"]
    (recipient,) = [row for row in lines if "Recipient" in texts([row])]
    assert "25.00 USDC" in texts([recipient])
    assert len(screen.widget("postings")["rows"]) >= 5
    query = dict(part.split("=") for part in recipient["href"].partition("?")[2].split("&"))
    screen.open("books", **query)
    assert screen.at.title[0].value == "Recipient: USDC on Arbitrum One"
    assert [m.value for m in screen.at.metric] == ["0.00 USDC", "25.00 USDC (debit)"]
    (posting,) = screen.widget("postings")["rows"]
    assert posting["href"] == "intent?id=1"
    assert "Debit" in texts([posting])


def test_a_range_that_ends_before_it_begins_is_refused_in_words(screen: Screen) -> None:
    paid(screen)
    screen.open("books")
    screen.at.date_input(key="books_first").set_value(date(2026, 11, 21))
    screen.at.date_input(key="books_last").set_value(date(2026, 11, 20))
    assert "Last day must not be before the first day." in screen.again().words

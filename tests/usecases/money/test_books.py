"""The books as accountants read them: they balance, and an export adds up."""

import csv
import io
import json
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from crossway.domain.errors import Forbidden, InvalidInput
from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.ports.treasury_records import PostingFilter
from crossway.usecases.money import books, stock
from crossway.usecases.money.books_files import pieces
from crossway.usecases.network import sandbox
from tests.world import START, World

CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET")
TODAY = datetime.fromtimestamp(START, UTC).date()


@pytest.fixture
def world(tmp_path: Path) -> World:
    """Payments of three days, one of them unfinished."""
    made = World(f"sqlite:///{tmp_path / 'crossway.db'}", chains=CHAINS)
    stock.take_in(made.services, made.operator)
    for number in range(3):
        intent = made.pay()
        made.deposit(intent, "over" if number else "exact")
        made.until(intent, State.COMPLETED)
        made.pass_time(86_400, step=3_600)
    made.deposit(made.pay(), "short")
    made.pass_time(30)
    return made


def test_the_trial_balance_is_zero_for_every_token(world: World) -> None:
    now = books.trial(world.services, world.operator)
    assert now.out == {}
    assert {line.key[0] for line in now.lines} >= {
        Account.PAYER, Account.RECIPIENT, Account.INVENTORY, Account.CAPITAL, Account.HELD,
        Account.BRIDGE_FEES, Account.SERVICE_FEES, Account.NETWORK_FEES,
    }  # fmt: skip
    assert {t.symbol for line in now.lines for t in [line.money]} >= {"USDC", "ETH"}
    first = books.trial(world.services, world.operator, TODAY)
    assert first.out == {}
    held = {line.key: line.units for line in first.lines}
    assert held != {line.key: line.units for line in now.lines}


def test_an_account_shows_its_postings_with_payment_and_counterpart(world: World) -> None:
    usdc = world.services.catalogue.tokens["ARBITRUM_MAINNET", "USDC"].address
    key = (Account.RECIPIENT, "ARBITRUM_MAINNET", usdc)
    found = books.page(world.services, world.operator, PostingFilter(key), 2)
    assert [entry.posted.posting.intent_id for entry in found] == [3, 2]
    assert {entry.counterpart for entry in found} == {
        world.address("ARBITRUM_MAINNET", "recipient")
    }
    assert {entry.micro_usd for entry in found} == {25_000_000}
    day = books.day_of(TODAY)
    opening, closing = books.standing(world.services, world.operator, key, day + 1, day + 1)
    assert (opening, closing) == (25_000_000, 50_000_000)


@pytest.mark.parametrize("form", ["csv", "json"])
def test_an_export_adds_up_from_opening_to_closing_balances(world: World, form: str) -> None:
    first, last = TODAY + timedelta(days=1), TODAY + timedelta(days=2)
    text = "".join(pieces(world.services, world.operator, form, first, last))
    if form == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        parts = {k: [r for r in rows if r["kind"] == k] for k in ("opening", "posting", "closing")}
    else:
        read = json.loads(text)
        assert (read["from"], read["to"]) == (first.isoformat(), last.isoformat())
        names = {"opening": "opening", "posting": "postings", "closing": "closing"}
        parts = {kind: read[name] for kind, name in names.items()}
    sums: dict[tuple[str, str, str], int] = defaultdict(int)
    for row in parts["opening"]:
        sums[row["account"], row["chain"], row["token"]] += int(row["units"])
    for row in parts["posting"]:
        sums[row["debit"], row["chain"], row["token"]] += int(row["units"])
        sums[row["credit"], row["chain"], row["token"]] -= int(row["units"])
        assert first.isoformat() <= row["at"] < (last + timedelta(days=1)).isoformat()
        assert row["tx"]
    closing = {(r["account"], r["chain"], r["token"]): int(r["units"]) for r in parts["closing"]}
    assert {key: units for key, units in sums.items() if units} == closing
    booked = books.trial(world.services, world.operator, last)
    assert closing == {
        (line.key[0].value, line.key[1], line.key[2]): line.units for line in booked.lines
    }
    assert parts["opening"]
    assert parts["posting"]


def test_an_export_of_everything_closes_at_the_balances_of_now(world: World) -> None:
    opened = books.export(world.services, world.operator, None, None)
    entries = list(opened.entries)
    assert opened.opening == {}
    now = books.trial(world.services, world.operator)
    assert {k: u for k, u in opened.closing.items() if u} == {x.key: x.units for x in now.lines}
    assert [e.posted.id for e in entries] == sorted(e.posted.id for e in entries)


def test_wrong_ranges_and_forms_and_strangers_are_refused(world: World) -> None:
    with pytest.raises(InvalidInput, match="last day"):
        books.export(world.services, world.operator, TODAY, date(2020, 1, 1))
    with pytest.raises(InvalidInput, match="csv, json"):
        pieces(world.services, world.operator, "xml", None, None)
    for ask in (books.trial, lambda s, c: books.page(s, c, PostingFilter(), 1)):
        with pytest.raises(Forbidden):
            ask(world.services, world.caller)


def test_stock_that_was_put_in_is_booked_as_capital_only_as_it_is(world: World) -> None:
    services, who = world.services, world.operator
    usdc = services.catalogue.tokens["BASE_MAINNET", "USDC"]
    chain = services.chains["BASE_MAINNET"]
    before = chain.balances([chain.own.relayer], usdc.address)[chain.own.relayer]
    sandbox.faults(
        services, who, "BASE_MAINNET", {"balances": {"relayer": {"USDC": str(before + 7_000_000)}}}
    )
    with pytest.raises(InvalidInput, match="reason"):
        stock.book_difference(services, who, "BASE_MAINNET", usdc.address, 7_000_000, " ")
    told = stock.book_difference(
        services, who, "BASE_MAINNET", usdc.address, 7_000_000, "More stock from the bank"
    )
    assert told == "7 USDC on Base is booked as put in."
    assert books.trial(services, who).out == {}
    with world.store.read() as unit:
        assert (
            unit.books.balances()[Account.INVENTORY, "BASE_MAINNET", usdc.address]
            == before + 7_000_000
        )

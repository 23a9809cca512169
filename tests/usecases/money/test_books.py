"""The books balance, and exports add up."""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from crossway.domain.errors import Forbidden, InvalidInput
from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.ports.treasury_repository import PostingFilter
from crossway.usecases.money import books, inventory_adjustments
from crossway.usecases.money.books_export import export_file
from crossway.usecases.simulator import chain_controls
from tests.databases import copy_sqlite, new_sqlite
from tests.harness import START, Harness

CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET")
TODAY = datetime.fromtimestamp(START, UTC).date()


@pytest.fixture(scope="module")
def three_days(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """Payments of three days, one of them unfinished."""
    world = Harness(new_sqlite(tmp_path_factory.mktemp("three-days")), chains=CHAINS)
    inventory_adjustments.book_opening_balances(world.services, world.operator)
    for number in range(3):
        intent = world.create_intent()
        world.deposit(intent, "over" if number else "exact")
        world.wait_for_state(intent, State.COMPLETED)
        world.pass_time(86_400, step=3_600)
    world.deposit(world.create_intent(), "short")
    world.pass_time(30)
    return world


@pytest.fixture
def world(three_days: Harness, tmp_path: Path) -> Iterator[Harness]:
    """A world of a test's own with the payments of three days."""
    world = Harness(copy_sqlite(three_days.url, tmp_path), chains=CHAINS)
    world.machine.seconds = three_days.machine.seconds
    yield world
    world.store.close()


def test_the_trial_balance_is_zero_for_every_token(world: Harness) -> None:
    now = books.get_trial_balance(world.services, world.operator)
    assert now.imbalances == {}
    assert {line.key[0] for line in now.balances} >= {
        Account.PAYER, Account.RECIPIENT, Account.INVENTORY, Account.EQUITY, Account.HELD,
        Account.SPREAD, Account.SERVICE_FEES, Account.NETWORK_FEES,
    }  # fmt: skip
    assert {t.symbol for line in now.balances for t in [line.denomination]} >= {"USDC", "ETH"}
    first = books.get_trial_balance(world.services, world.operator, TODAY)
    assert first.imbalances == {}
    balances = {line.key: line.amount for line in first.balances}
    assert balances != {line.key: line.amount for line in now.balances}


def test_an_account_lists_its_postings_with_payment_and_counterparty(world: Harness) -> None:
    usdc = world.services.catalogue.tokens["ARBITRUM_MAINNET", "USDC"].address
    key = (Account.RECIPIENT, "ARBITRUM_MAINNET", usdc)
    postings = books.list_postings(world.services, world.operator, PostingFilter(key), 2)
    assert [entry.posted.posting.intent_id for entry in postings] == [3, 2]
    assert {entry.counterparty for entry in postings} == {
        world.wallet("ARBITRUM_MAINNET", "recipient")
    }
    assert {entry.micro_usd for entry in postings} == {25_000_000}
    day = books.day_number(TODAY)
    opening, closing = books.opening_and_closing_balance(
        world.services, world.operator, key, day + 1, day + 1
    )
    assert (opening, closing) == (25_000_000, 50_000_000)


@pytest.mark.parametrize("form", ["csv", "json"])
def test_an_export_adds_up_from_opening_to_closing_balances(world: Harness, form: str) -> None:
    first, last = TODAY + timedelta(days=1), TODAY + timedelta(days=2)
    text = "".join(export_file(world.services, world.operator, form, first, last))
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
    booked = books.get_trial_balance(world.services, world.operator, last)
    assert closing == {
        (line.key[0].value, line.key[1], line.key[2]): line.amount for line in booked.balances
    }
    assert parts["opening"]
    assert parts["posting"]


def test_a_full_export_closes_at_the_current_balances(world: Harness) -> None:
    opened = books.export_postings(world.services, world.operator, None, None)
    entries = list(opened.postings)
    assert opened.opening == {}
    now = books.get_trial_balance(world.services, world.operator)
    assert {k: u for k, u in opened.closing.items() if u} == {x.key: x.amount for x in now.balances}
    assert [e.posted.id for e in entries] == sorted(e.posted.id for e in entries)


def test_invalid_ranges_formats_and_callers_are_rejected(world: Harness) -> None:
    with pytest.raises(InvalidInput, match="last day"):
        books.export_postings(world.services, world.operator, TODAY, date(2020, 1, 1))
    with pytest.raises(InvalidInput, match="csv, json"):
        export_file(world.services, world.operator, "xml", None, None)
    for ask in (
        books.get_trial_balance,
        lambda s, c: books.list_postings(s, c, PostingFilter(), 1),
    ):
        with pytest.raises(Forbidden):
            ask(world.services, world.caller)


def test_added_inventory_is_booked_as_equity_for_the_exact_difference(world: Harness) -> None:
    services, args = world.services, world.operator
    usdc = services.catalogue.tokens["BASE_MAINNET", "USDC"]
    chain = services.chains["BASE_MAINNET"]
    before = chain.balances([chain.accounts.relayer], usdc.address)[chain.accounts.relayer]
    chain_controls.inject_faults(
        services, args, "BASE_MAINNET", {"balances": {"relayer": {"USDC": str(before + 7_000_000)}}}
    )
    with pytest.raises(InvalidInput, match="reason"):
        inventory_adjustments.book_difference(
            services, args, "BASE_MAINNET", usdc.address, 7_000_000, " "
        )
    result = inventory_adjustments.book_difference(
        services, args, "BASE_MAINNET", usdc.address, 7_000_000, "More stock from the bank"
    )
    assert result == "7 USDC on Base booked as added."
    assert books.get_trial_balance(services, args).imbalances == {}
    with world.store.read() as unit:
        assert (
            unit.ledger.get_balances()[Account.INVENTORY, "BASE_MAINNET", usdc.address]
            == before + 7_000_000
        )

"""The monthly statement and the journal add up, and say what has no known value."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from crossway.domain.errors import InvalidInput
from crossway.domain.intent import State
from crossway.domain.ledger import NO_INTENT, Account, Posting
from crossway.usecases.money import books, inventory_adjustments, journal, profit_counting
from crossway.usecases.money import statement as statements
from crossway.usecases.money.sheets import Sheet, Value, stream_csv
from tests.databases import new_sqlite
from tests.harness import START, Harness

TODAY = datetime.fromtimestamp(START, UTC).date()
BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
Row = dict[str, Value]


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    """Opening balances and one payment of 25 USDC: 0.06325 USD earned, 0.04 USD spent. An hour
    without prices later, 0.002 ether of network fees. The tests only read them."""
    world = Harness(new_sqlite(tmp_path_factory.mktemp("statement")), chains=(BASE, ARBITRUM))
    inventory_adjustments.book_opening_balances(world.services, world.operator)
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(600, step=10)
    world.machine.seconds += 3_600
    fee = Posting(
        *(NO_INTENT, BASE, world.services.catalogue.native_token(BASE)),
        *(Account.NETWORK_FEES, Account.INVENTORY, 2 * 10**15, "0xfee"),
    )
    world.store.write(lambda unit: unit.ledger.post([fee], world.clock.now()))
    world.machine.seconds += 3_600
    assert profit_counting.count_slice(world.services) == 1
    yield world
    world.store.close()


def read(sheet: Sheet) -> list[Row]:
    return [dict(zip(sheet.columns, row, strict=True)) for row in sheet.rows]


def sheets_of(world: Harness, month: str = "2026-11") -> dict[str, list[Row]]:
    made = statements.make_statement(world.services, world.operator, month)
    return {sheet.title: read(sheet) for sheet in statements.make_sheets(world.services, made)}


def test_the_result_is_revenue_less_costs_in_every_part(world: Harness) -> None:
    sheets = sheets_of(world)
    result = {(row["section"], row["line"]): row["usd"] for row in sheets["Result"]}
    assert result["Revenue", "Service fees"] == Decimal("0.01")
    assert result["Revenue", "Spread of payments out of inventory"] == Decimal("0.05325")
    assert result["Revenue", "Total"] == Decimal("0.06325")
    assert result["Costs", "Network fees"] == Decimal("0.04")
    assert result["Result", "Revenue less costs"] == Decimal("0.02325")
    for title in ("By chain", "By route", "By merchant", "By cause", "By day"):
        assert sum(Decimal(str(row["result_usd"])) for row in sheets[title]) == Decimal("0.02325")
    of_token = [row for row in sheets["By token"] if row["line"] == "Network fees"]
    assert {row["chain"]: row["amount_without_price"] for row in of_token} == {
        BASE: Decimal("0.002"),
        ARBITRUM: None,
    }


def test_what_has_no_price_is_a_note(world: Harness) -> None:
    notes = [row["note"] for row in sheets_of(world)["Notes"]]
    assert notes == [
        "The month has not ended, or some postings are not counted yet.",
        "Network fees: 0.002 ETH on Base had no known price then, and is in no sum in USD.",
    ]


def test_balances_go_from_nothing_to_those_of_the_books(world: Harness) -> None:
    rows = sheets_of(world)["Balances"]
    booked = books.get_trial_balance(world.services, world.operator).balances
    assert {(r["account"], r["chain"], r["token"]): r["closing"] for r in rows} == {
        (one.key[0].value, *one.key[1:]): Decimal(one.denomination.format(one.amount))
        for one in booked
    }
    assert {row["opening"] for row in rows} == {Decimal(0)}
    after = sheets_of(world, "2026-12")
    assert {row["opening"] for row in after["Balances"]} == {row["closing"] for row in rows}
    assert after["By token"] == []
    assert statements.make_statement(world.services, world.operator, "2026-10").ended


@pytest.mark.parametrize("month", ["", "2026-13", "2026-1", "2026-11-01", "november"])
def test_a_month_that_is_none_is_refused(world: Harness, month: str) -> None:
    with pytest.raises(InvalidInput, match="month must be"):
        statements.make_statement(world.services, world.operator, month)


def test_debits_equal_credits_in_the_journal_by_day_and_token(world: Harness) -> None:
    rows = read(journal.make_journal(world.services, world.operator, TODAY, TODAY))
    sums: dict[tuple[object, ...], Decimal] = defaultdict(Decimal)
    usd: dict[object, Decimal] = defaultdict(Decimal)
    for row in rows:
        debit, credit = (Decimal(str(row[name] or 0)) for name in ("debit", "credit"))
        assert (row["debit"] is None) != (row["credit"] is None)
        sums[row["date"], row["chain"], row["token"]] += debit - credit
        usd[row["date"]] += Decimal(str(row["debit_usd"] or 0)) - Decimal(
            str(row["credit_usd"] or 0)
        )
    assert set(sums.values()) == {Decimal(0)}
    assert set(usd.values()) == {Decimal(0)}
    with world.store.read() as unit:
        last_id = unit.profit.counted_to()
    assert [row["entry"] for row in rows] == [n for n in range(1, last_id + 1) for _ in (0, 1)]


def test_the_journal_names_account_amount_rate_and_reference(world: Harness) -> None:
    rows = read(journal.make_journal(world.services, world.operator, TODAY, TODAY))
    to_recipient, from_inventory = next(
        (one, other) for one, other in zip(rows[::2], rows[1::2], strict=True)
        if one["account"] == "recipient"
    )  # fmt: skip
    assert (to_recipient["debit"], to_recipient["credit"]) == (Decimal(25), None)
    assert (from_inventory["account"], from_inventory["credit"]) == ("inventory", Decimal(25))
    assert (to_recipient["currency"], to_recipient["rate_usd"]) == ("USDC", Decimal(1))
    assert to_recipient["debit_usd"] == from_inventory["credit_usd"] == Decimal(25)
    assert (to_recipient["payment"], to_recipient["date"]) == ("1", str(TODAY))
    (unpriced, _) = [row for row in rows if row["reference"] == "0xfee"]
    assert (unpriced["debit"], unpriced["rate_usd"], unpriced["debit_usd"]) == (
        *(Decimal("0.002"), None, None),
    )


def test_several_sheets_are_one_csv_file() -> None:
    first = Sheet("A", ("name", "amount"), [("=1+1", Decimal("1E+3")), ("b", None)])
    assert "".join(stream_csv([first])) == "name,amount\r\n'=1+1,1000\r\nb,\r\n"
    both = "".join(stream_csv([first, Sheet("B", ("x",), [])]))
    assert both.split("\r\n") == ["A", "name,amount", "'=1+1,1000", "b,", "", "B", "x", "", ""]


def test_the_months_days() -> None:
    assert statements.parse_month("2028-02") == (date(2028, 2, 1), date(2028, 2, 29))
    assert statements.parse_month("2026-12") == (date(2026, 12, 1), date(2026, 12, 31))


@pytest.mark.parametrize("month", ["0001-01", "9999-12"])
def test_the_first_and_the_last_month_of_the_calendar_are_empty(world: Harness, month: str) -> None:
    made = statements.make_statement(world.services, world.operator, month)
    assert made.report.total.revenue == 0

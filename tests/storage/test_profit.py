"""Daily results as stored: added up once, and read by their days alone."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from crossway.domain.ledger import NO_INTENT, Account, Posting
from crossway.domain.profit_and_loss import Group, Origin, ProfitLine, Result
from crossway.storage.store import SqlStore
from tests.statements import plan_of, recorded

NOW = datetime(2026, 11, 27, 12, 0, tzinfo=UTC)
GROUP = Group(Origin.PAYMENT, "c-1", "live", "BASE", "ARBITRUM", "CCTP")
GAS = Result(20_784, ProfitLine.NETWORK_FEES, "BASE", "eth", GROUP, 10**18, 2_000 * 10**9, 0)


def test_results_are_added_up_once(store: SqlStore) -> None:
    other = replace(GAS, line=ProfitLine.SERVICE_FEES, token="usd", units=5, nano_usd=0, unpriced=5)
    assert store.write(lambda unit: unit.profit.add([GAS, other], 0, 7))
    assert not store.write(lambda unit: unit.profit.add([GAS], 0, 7))
    assert store.write(lambda unit: unit.profit.add([GAS, replace(GAS, day=20_785)], 7, 9))
    with store.read() as unit:
        assert unit.profit.counted_to() == 9
        assert sorted(unit.profit.list_days(20_784, 20_784), key=lambda one: one.line) == [
            replace(GAS, units=2 * 10**18, nano_usd=4_000 * 10**9),
            other,
        ]
        assert len(unit.profit.list_days(20_784, 20_785)) == 3


def test_an_hours_prices_stay_as_they_were_recorded(store: SqlStore) -> None:
    store.write(lambda unit: unit.profit.record_prices(5, {"ETH": 2 * 10**15, "USDC": 10**12}))
    store.write(lambda unit: unit.profit.record_prices(5, {"ETH": 3 * 10**15}))
    with store.read() as unit:
        assert unit.profit.has_prices(5)
        assert not unit.profit.has_prices(6)
        assert unit.profit.get_prices({5, 6}) == {(5, "ETH"): 2 * 10**15, (5, "USDC"): 10**12}


def test_postings_are_counted_by_id_and_arrivals_are_not_read(store: SqlStore) -> None:
    def posting(owner: int, debit: Account, credit: Account, units: int) -> Posting:
        return Posting(owner, "BASE", "usd", debit, credit, units, "tx")

    fee = posting(NO_INTENT, Account.NETWORK_FEES, Account.INVENTORY, 3)
    arrival = posting(7, Account.HELD, Account.PAYER, 5)
    collected = posting(7, Account.ESCROW, Account.HELD, 5)
    store.write(lambda unit: unit.ledger.post([fee, arrival, collected], NOW))
    with store.read() as unit:
        first, second, third = unit.profit.list_uncounted(10, 5)
        assert [one.posting for one in (first, second, third)] == [fee, arrival, collected]
        assert unit.profit.list_uncounted(second.id, 5) == [first, second]
        assert unit.profit.list_of_owners({7}) == {7: [collected]}
    store.write(lambda unit: unit.profit.add([], 0, second.id))
    with store.read() as unit:
        assert unit.profit.list_uncounted(10, 5) == [third]


@pytest.mark.parametrize("kind", ["sqlite"], indirect=True)
def test_a_period_is_read_by_its_days(store: SqlStore) -> None:
    with recorded(store.reader) as statements, store.read() as unit:
        unit.profit.list_days(1, 2)
    [query] = [one for one in statements if "daily_results" in one]
    plan = plan_of(store.reader, query)
    assert plan == ["SEARCH daily_results USING PRIMARY KEY (day>? AND day<?)"]

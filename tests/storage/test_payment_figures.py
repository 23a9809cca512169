"""Figures of payments are counted once, in slices, whatever is written meanwhile."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from crossway.domain.analytics import AnalyticsPeriod, Dimension, Step
from crossway.domain.filters import FilterSet
from crossway.domain.intent import IntentEvent, State
from crossway.domain.ledger import Account
from crossway.domain.swaps import Swap
from crossway.ports.analytics import AnalyticsQuery
from crossway.ports.payment_figures import ChangeLog
from crossway.storage.analytics_tables import payment_figures
from crossway.storage.store import SqlStore, open_store
from crossway.usecases.operating.payment_figures import count_changes
from tests.figures import check_figures
from tests.storage.records import (
    ARBITRUM,
    BASE,
    HUGE,
    NOW,
    a_posting,
    advance_intent,
    intent_change,
    run_concurrently,
    store_intent,
)

E = IntentEvent
FEES = {"debit": Account.NETWORK_FEES, "credit": Account.INVENTORY, "token": "native"}
YEAR = AnalyticsPeriod(NOW - timedelta(days=180), NOW + timedelta(days=180))


def begin(store: SqlStore) -> None:
    """Count what is there, so that from now on changes are counted."""
    while count_changes(store):
        pass


def counted(store: SqlStore) -> dict[int, str]:
    """The state with which each payment is counted."""
    with store.reader.connect() as db:
        query = select(payment_figures.c.intent_id, payment_figures.c.state)
        return {row.intent_id: row.state for row in db.execute(query)}


def complete(store: SqlStore, **more: Any) -> int:
    """A payment that completes, with its fees; returns its id."""
    intent = store_intent(store, **more)
    intent = advance_intent(store, intent, E.DEPOSIT_FULL, E.STARTED, E.FILLED)
    fees = [
        a_posting(intent, 10_000, debit=Account.SERVICE_FEES, credit=Account.ESCROW),
        a_posting(intent, 80_000, debit=Account.BRIDGE_FEES, credit=Account.ESCROW),
        a_posting(intent, 10**25 + 7, chain=BASE, **FEES),
        a_posting(intent, 3 * 10**18 + 1, chain=ARBITRUM, **FEES),
        a_posting(intent, 12_345, chain="POLYGON_MAINNET", **FEES),
    ]
    store.write(lambda unit: unit.ledger.post(fees, NOW))
    return intent.id


def test_changes_are_counted_and_nothing_is_left_to_do(store: SqlStore) -> None:
    begin(store)
    first, second = complete(store), store_intent(store).id
    assert count_changes(store) == 2
    assert counted(store) == {first: "COMPLETED", second: "PENDING"}
    assert count_changes(store) == 0
    check_figures(store)


def test_fees_in_what_a_deposit_is_swapped_for_are_valued_as_that(store: SqlStore) -> None:
    """A deposit of 11,034 units of WBTC buys USDC with 18 decimals: its fees are cents, too."""
    swap = Swap(
        exchange="UNISWAP_V3",
        symbol="USDC",
        token="usdc-bsc",
        decimals=18,
        output=7_275_497 * 10**12,
        expected_input=11_014,
        impact_bps=1,
        cost_micro_usd=12_000,
        route="0x",
        fees_units=10_000 * 10**12,
        app_fee_units=0,
        network_fee_units=0,
    )
    bitcoin = {"asset_symbol": "WBTC", "asset_decimals": 8, "swap": swap}
    intent = store_intent(store, {"deposit_amount": 11_034}, **bitcoin)
    intent = advance_intent(store, intent, E.DEPOSIT_FULL, E.STARTED, E.FILLED)
    of_swap = {"token": swap.token, "credit": Account.ESCROW}
    fees = [
        a_posting(intent, 10_000 * 10**12, debit=Account.SERVICE_FEES, **of_swap),
        a_posting(intent, 35_428 * 10**12, debit=Account.BRIDGE_FEES, **of_swap),
    ]
    store.write(lambda unit: unit.ledger.post(fees, NOW))
    begin(store)
    with store.reader.connect() as db:
        c = payment_figures.c
        query = select(c.service_fee_micro_usd, c.bridge_fee_micro_usd)
        assert tuple(db.execute(query).one()) == (10_000, 35_428)


def test_payments_that_were_there_before_are_counted_in_slices_newest_first(
    store: SqlStore,
) -> None:
    ids = [complete(store, created_at=NOW + timedelta(days=n)) for n in range(7)]
    assert count_changes(store) == 1
    reached, shares = [], []
    while count_changes(store, limit=3):
        reached.append(sorted(counted(store)))
        with store.read() as unit:
            shares.append(unit.analytics.get_freshness(NOW).counted)
    assert reached[:2] == [ids[4:], ids[1:]]
    assert reached[-1] == ids
    assert shares == sorted(shares)
    assert (0 < shares[0] < 1, shares[-1]) == (True, 1.0)
    check_figures(store)


def test_payments_made_during_the_backfill_are_counted_once(store: SqlStore) -> None:
    for _ in range(5):
        complete(store)
    count_changes(store)
    count_changes(store, limit=2)
    complete(store)
    advance_intent(store, store_intent(store), E.DEPOSIT_FULL)
    check_figures(store)
    assert len(counted(store)) == 7


def test_a_slice_is_bounded_and_the_rest_follows(store: SqlStore) -> None:
    begin(store)
    ids = [complete(store) for _ in range(5)]
    assert count_changes(store, limit=2) <= 4
    assert 0 < len(counted(store)) < 5
    check_figures(store)
    assert sorted(counted(store)) == ids


def test_a_payment_that_changes_again_in_the_log_is_counted_with_its_last_change(
    store: SqlStore,
) -> None:
    begin(store)
    moving, others = store_intent(store), [store_intent(store) for _ in range(30)]
    advance_intent(store, moving, E.DEPOSIT_FULL)
    while moving.id not in counted(store):
        assert count_changes(store, limit=2)
    assert counted(store)[moving.id] == "FUNDED"
    assert set(counted(store)) == {moving.id, *(other.id for other in others)}
    check_figures(store)


def test_a_payment_that_returns_to_an_earlier_state_is_counted_in_that_state(
    store: SqlStore,
) -> None:
    begin(store)
    intent = store_intent(store)
    for event in (E.DEPOSIT_FULL, E.STARTED, E.FILLED, E.FILL_REVERSED, E.START_REVERSED):
        intent = advance_intent(store, intent, event)
        check_figures(store)
    advance_intent(store, intent, E.DEPOSIT_REVERSED)
    check_figures(store)
    assert counted(store) == {intent.id: "PENDING"}


@pytest.mark.parametrize(
    ("events", "cause"),
    [
        ((E.DEADLINE_EMPTY,), "no_deposit"),
        ((E.DEADLINE_EMPTY, E.DEPOSIT_LATE, E.RETURNED), "late"),
        ((E.DEADLINE_HOLDING, E.RETURNED, E.RETURN_REVERSED), "no_deposit"),
        ((E.CANCELLED_EMPTY,), "cancelled"),
        ((E.DEPOSIT_FULL, E.DEADLINE_HOLDING), "not_started"),
        ((E.DEPOSIT_FULL, E.STARTED, E.FILL_REFUSED), "payout_failed"),
        ((E.DEPOSIT_FULL, E.STARTED, E.FILL_REFUSED, E.RETURNED), "payout_failed"),
        ((E.DEADLINE_EMPTY, E.STARTED), ""),
        ((E.DEADLINE_EMPTY, E.STARTED, E.FILLED), ""),
    ],
)
def test_the_cause_is_how_the_payment_last_ended(
    store: SqlStore, events: tuple[IntentEvent, ...], cause: str
) -> None:
    advance_intent(store, store_intent(store), *events)
    check_figures(store)
    with store.reader.connect() as db:
        assert db.scalar(select(payment_figures.c.cause)) == cause


def test_a_fee_without_a_transition_and_its_reversal_are_counted(store: SqlStore) -> None:
    begin(store)
    number = complete(store)
    begin(store)
    with store.read() as unit:
        intent = unit.intents.get(number)
    assert intent is not None
    fee = a_posting(intent, 21_000 * 10**9, tx="late", **FEES)
    for posting in (fee, fee.reversed()):
        store.write(lambda unit, p=posting: unit.ledger.post([p], NOW))  # type: ignore[misc]
        assert count_changes(store) == 1
        check_figures(store)


def test_deposits_of_any_size_are_exact(store: SqlStore) -> None:
    for _ in range(2):
        complete(store, terms={"deposit_amount": HUGE})
    check_figures(store)
    with store.read() as unit:
        token = unit.analytics.count_period(AnalyticsQuery(YEAR, Dimension.TOKEN))
    assert [amount.units for amount in token.deposits] == [2 * HUGE]


def test_engines_that_count_at_once_store_each_change_once(store: SqlStore, url: str) -> None:
    others = [open_store(url) for _ in range(2)]
    for _ in range(12):
        complete(store)
    begin(store)
    for _ in range(12):
        complete(store)
    run_concurrently([lambda s=s: begin(s) for s in (store, *others)])  # type: ignore[misc]
    check_figures(store)
    assert len(counted(store)) == 24
    for other in others:
        other.close()


@pytest.mark.parametrize("kind", ["postgresql"], indirect=True)
def test_a_transaction_that_commits_late_is_not_missed(store: SqlStore, url: str) -> None:
    """Ids are given out before the commit. On SQLite writers take turns."""
    begin(store)
    slow, quick = store_intent(store), store_intent(store, client_id="c-2")
    begin(store)
    written, release, other = threading.Event(), threading.Event(), open_store(url)

    def write_slowly(unit: Any) -> None:
        unit.intents.apply([intent_change(slow, E.DEPOSIT_FULL)])
        written.set()
        assert release.wait(30)

    writer = threading.Thread(target=other.write, args=(write_slowly,))
    writer.start()
    assert written.wait(30)
    advance_intent(store, quick, E.DEPOSIT_FULL)
    assert count_changes(store) == 0  # A writer is at work: nothing is settled.
    with store.read() as unit:
        newest, cursor = unit.payment_figures.newest_ids(), unit.payment_figures.get_cursor()
    assert cursor is not None
    assert newest[ChangeLog.TRANSITIONS] > cursor.log_ids[ChangeLog.TRANSITIONS]
    release.set()
    writer.join()
    check_figures(store)
    assert counted(store) == {slow.id: State.FUNDED, quick.id: State.FUNDED}
    other.close()


@pytest.mark.parametrize("dimension", Dimension)
@pytest.mark.parametrize("step", Step)
def test_sums_and_single_payments_give_the_same_figures(
    store: SqlStore, dimension: Dimension, step: Step
) -> None:
    for n in range(4):
        at = NOW + timedelta(hours=17 * n)
        complete(store, mode="live" if n % 2 else "test", created_at=at, client_id=f"c-{n % 3}")
        advance_intent(store, store_intent(store, created_at=at), E.DEADLINE_EMPTY)
    complete(store, terms={"destination_chain": BASE, "bridge": ""}, created_at=NOW)
    begin(store)
    for start, end in ((-5, 60), (-24, 96), (0, 18), (1, 3)):
        period = AnalyticsPeriod(NOW + timedelta(hours=start), NOW + timedelta(hours=end))
        query = AnalyticsQuery(period, dimension, step=step)
        with store.read() as unit:
            ids = unit.analytics.get_id_range(period)
            matching = unit.analytics.count_matching(query, FilterSet(), *ids)
            assert matching == unit.analytics.count_period(query)

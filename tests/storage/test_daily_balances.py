"""Daily balances, pages of postings, corridor statistics and reconciliations."""

from collections import defaultdict
from datetime import timedelta
from random import Random

from crossway.domain.corridor_stats import (
    CorridorVolume,
    Outcome,
    Period,
    bucket_of,
    quantile_seconds,
)
from crossway.domain.ledger import Account, BalanceKey
from crossway.ports.treasury_repository import InventoryTarget, PostingFilter, Turnover
from crossway.storage.store import SqlStore
from tests.storage.records import ARBITRUM, BASE, HUGE, NOW, a_posting, store_intent

DAY = int(NOW.timestamp()) // 86_400
HELD: BalanceKey = (Account.HELD, BASE, "usdc-base")
PAYER: BalanceKey = (Account.PAYER, BASE, "usdc-base")


def post_days(store: SqlStore, days: list[int]) -> list[tuple[int, int]]:
    """Book one posting of growing amounts on each of the days, in this order."""
    intent = store_intent(store)
    created = [(day, HUGE + number) for number, day in enumerate(days)]
    for day, units in created:
        at = NOW + timedelta(days=day)
        posting = a_posting(intent, units, f"tx-{units}")
        store.write(lambda unit, p=posting, at=at: unit.ledger.post([p], at))  # type: ignore[misc]
    return created


def test_an_opening_balance_is_what_was_posted_before_that_day(store: SqlStore) -> None:
    """Also when the clock went back: a late posting counts for its own day."""
    days = [0, 0, 1, 3, 2, 2, 0, 7, 1, 7]
    Random(5).shuffle(days)
    created = post_days(store, days)
    for day in range(-1, 9):
        expected = sum(units for on, units in created if on < day)
        with store.read() as unit:
            result = unit.ledger.get_balances_before(DAY + day)
        assert (result[HELD], result[PAYER]) == (expected, -expected)


def test_turnovers_are_debits_and_credits_apart_since_a_day(store: SqlStore) -> None:
    created = post_days(store, [0, 1, 2, 1])
    intent = store_intent(store)
    back = a_posting(intent, 5).reversed()
    store.write(lambda unit: unit.ledger.post([back], NOW + timedelta(days=2)))
    expected = sum(units for on, units in created if on >= 1)
    with store.read() as unit:
        assert unit.ledger.get_turnovers(Account.HELD, DAY + 1) == {HELD: Turnover(expected, 5)}
        taken = [unit.ledger.sum_credits(*HELD, first_day=DAY + day) for day in (0, 2, 3)]
        assert taken == [5, 5, 0]


def test_an_account_is_paged_by_key_in_both_directions(store: SqlStore) -> None:
    post_days(store, [0, 2, 1, 1, 3, 0])
    elsewhere = a_posting(store_intent(store), 9, chain=ARBITRUM)
    store.write(lambda unit: unit.ledger.post([elsewhere], NOW))

    def walk(**more: int | None) -> list[int]:
        postings, filters = [], PostingFilter(HELD, **more)  # type: ignore[arg-type]
        while True:
            with store.read() as unit:
                page = unit.ledger.list_page(filters, 2)
            postings += [item.id for item in page]
            if len(page) < 2:
                return postings
            last = page[-1].id
            step = {"before_id": last} if filters.after_id is None else {"after_id": last}
            filters = PostingFilter(HELD, **(more | step))  # type: ignore[arg-type]

    with store.read() as unit:
        everything = unit.ledger.list_page(PostingFilter(), 100)
    newest_first = [p.id for p in everything if p.posting.chain == BASE]
    assert [(p.at, p.id) for p in everything] == sorted(
        ((p.at, p.id) for p in everything), reverse=True
    )
    assert walk() == newest_first
    assert walk(after_id=0) == newest_first[::-1]
    in_days = [p.id for p in everything if p.posting.chain == BASE and 1 <= (p.at - NOW).days <= 2]
    assert walk(first_day=DAY + 1, last_day=DAY + 2) == in_days


def test_corridor_volumes_add_up_by_hour_and_day_and_can_be_reversed(store: SqlStore) -> None:
    def flow(n: int, seconds: float, ended: Outcome = Outcome.PAID) -> CorridorVolume:
        bucket = bucket_of(seconds)
        return CorridorVolume("test", BASE, ARBITRUM, "CCTP", "USDC", ended, bucket, n, n * 10, n)

    for hours in (0, 1, 30):
        at = NOW + timedelta(hours=hours)
        store.write(lambda unit, at=at: unit.corridor_stats.add([flow(1, 8), flow(1, 8)], at))  # type: ignore[misc]
    later = NOW + timedelta(hours=30)
    store.write(
        lambda unit: unit.corridor_stats.add([flow(-1, 8), flow(1, 60, Outcome.FAILED)], later)
    )
    counted: dict[tuple[Period, Outcome], int] = defaultdict(int)
    with store.read() as unit:
        for span in Period:
            for item in unit.corridor_stats.sum_since(None, span, later - timedelta(hours=6)):
                counted[span, item.outcome] += item.count
        all_hours = unit.corridor_stats.sum_since(None, Period.HOUR, NOW + timedelta(hours=1))
    assert counted == {(span, ended): 1 for span in Period for ended in Outcome}
    paid = [(hour.bucket, hour.count) for hour in all_hours if hour.outcome is Outcome.PAID]
    assert sum(n for _, n in paid) == 3
    assert abs((quantile_seconds(paid, 0.5) or 0) - 8) < 0.4


def test_targets_and_reconciliations_are_stored(store: SqlStore) -> None:
    target = InventoryTarget(BASE, "usdc-base", HUGE, "Ada", NOW)
    store.write(lambda unit: unit.treasury.set_target(target))
    store.write(lambda unit: unit.treasury.set_target(target))
    first = store.write(lambda unit: unit.treasury.start_reconciliation("Ada", NOW, 3, for_day=7))
    again = store.write(lambda unit: unit.treasury.start_reconciliation("Ben", NOW, 3, for_day=7))
    other = store.write(lambda unit: unit.treasury.start_reconciliation("Ben", NOW, 3))
    assert first is not None
    assert again is None
    store.write(lambda unit: unit.treasury.finish_reconciliation(first, NOW, 1, {"findings": []}))
    with store.read() as unit:
        assert unit.treasury.list_targets() == [target]
        assert [run.id for run in unit.treasury.list_reconciliations(5)] == [other, first]
        assert [run.id for run in unit.treasury.list_running_reconciliations()] == [other]
        assert unit.treasury.has_reconciliation_for(7)
        assert not unit.treasury.has_reconciliation_for(8)
    store.write(lambda unit: unit.treasury.delete_target(BASE, "usdc-base"))
    with store.read() as unit:
        assert unit.treasury.list_targets() == []

"""Analytics: what a payment counts for, grouped and filtered, whatever happens to it later."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from crossway.domain.analytics import AnalyticsPeriod, Dimension, FailureCause, Step
from crossway.domain.clients import Mode
from crossway.domain.errors import Forbidden, InvalidInput
from crossway.domain.filters import FilterSet, parse_filters
from crossway.domain.intent import State
from crossway.domain.ledger import Account
from crossway.ports.analytics import AnalyticsQuery, AnalyticsReport, TokenAmount
from crossway.ports.sandbox import Faults
from crossway.usecases.money import analytics, books
from tests.figures import check_figures
from tests.harness import START, Harness

CHAINS = ("BASE_MAINNET", "ARBITRUM_MAINNET")
NOON = datetime.fromtimestamp(START, UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
OUT, BACK = "BASE_MAINNET>ARBITRUM_MAINNET", "ARBITRUM_MAINNET>BASE_MAINNET"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """A world that tests only read."""
    return build_world(tmp_path_factory.mktemp("analytics"))


@pytest.fixture
def own_world(tmp_path: Path) -> Harness:
    """The same world for a test that changes it."""
    return build_world(tmp_path)


def build_world(folder: Path) -> Harness:
    """Between 12 and 13: two payments of 25 USDC completed, one underpaid and one never paid, both
    expired; at 15, one back that waits for its deposit."""
    world = Harness(f"sqlite:///{folder / 'crossway.db'}", chains=CHAINS)
    for amount in ("exact", "over"):
        intent = world.create_intent()
        world.deposit(intent, amount)
        world.wait_for_state(intent, State.COMPLETED)
    world.deposit(world.create_intent(), "short")
    world.create_intent()
    world.pass_time(3 * 3600, step=600)
    world.create_intent(*reversed(CHAINS))
    world.pass_time(30)
    return world


def query(
    dimension: Dimension = Dimension.ALL,
    start: datetime = NOON,
    end: datetime = NOON + 12 * HOUR,
    step: Step = Step.HOUR,
    mode: Mode | None = None,
) -> AnalyticsQuery:
    return AnalyticsQuery(AnalyticsPeriod(start, end), dimension, mode, step)


def report(world: Harness, asked: AnalyticsQuery) -> AnalyticsReport:
    check_figures(world.store)
    caller = replace(world.operator, mode=asked.mode)
    return analytics.get_report(world.services, caller, asked)


def filtered(world: Harness, asked: AnalyticsQuery, filters: str) -> AnalyticsReport:
    check_figures(world.store)
    caller = replace(world.operator, mode=asked.mode)
    *steps, last = analytics.stream_filtered_report(
        world.services, caller, asked, FilterSet(parse_filters(filters, "all"))
    )
    fractions = [step.fraction for step in steps]
    assert fractions == sorted(fractions)
    assert last.report is not None
    return last.report


def test_a_report_adds_up_counts_and_money(world: Harness) -> None:
    total = report(world, query()).total
    of = total.measures
    assert (of.created, of.deposited, of.started, of.completed) == (5, 2, 2, 2)
    assert (of.pending, of.expired, of.refunded, of.underpaid) == (1, 1, 1, 1)
    assert of.volume_micro_usd == 50_000_000
    assert of.requested_micro_usd == 125_000_000


def test_fees_are_those_of_the_books(world: Harness) -> None:
    total = report(world, query()).total
    booked = dict.fromkeys(Account, 0)
    for entry in books.export_postings(world.services, world.operator, None, None).postings:
        booked[entry.posted.posting.debit] += entry.micro_usd or 0
    trial = books.get_trial_balance(world.services, world.operator)
    network_fees = [b for b in trial.balances if b.key[0] is Account.NETWORK_FEES]
    assert booked[Account.SERVICE_FEES] > 0
    assert booked[Account.SPREAD] > 0
    income = booked[Account.SERVICE_FEES] + booked[Account.SPREAD]
    assert total.measures.service_fee_micro_usd == income
    # No bridge took part.
    assert total.measures.bridge_fee_micro_usd == booked[Account.BRIDGE_FEES] == 0
    assert total.measures.network_fees == {b.key[1]: b.amount for b in network_fees}
    assert total.network_fee_micro_usd == sum(b.micro_usd or 0 for b in network_fees) > 0
    assert total.unpriced_chains == ()
    earned = income - total.network_fee_micro_usd
    assert total.margin_micro_usd == earned


def test_groups_come_with_the_largest_volume_first(world: Harness) -> None:
    routes = report(world, query(Dimension.ROUTE)).groups
    assert [(g.value, g.figures.measures.created) for g in routes] == [(OUT, 4), (BACK, 1)]
    states = report(world, query(Dimension.STATUS)).groups
    assert {g.value: g.figures.measures.created for g in states} == {
        "COMPLETED": 2, "REFUNDED": 1, "EXPIRED": 1, "PENDING": 1,
    }  # fmt: skip
    [merchant] = report(world, query(Dimension.MERCHANT)).groups
    assert merchant.value == "c-1"


def test_deposits_of_a_token_are_exact(world: Harness) -> None:
    [token] = report(world, query(Dimension.TOKEN)).groups
    deposited = [world.reload(world_intent(world, n)).terms.deposit_amount for n in (1, 2)]
    assert token.deposits == TokenAmount("USDC", 6, sum(deposited))


def world_intent(world: Harness, number: int):  # type: ignore[no-untyped-def]
    with world.store.read() as unit:
        intent = unit.intents.get(number)
    assert intent is not None
    return intent


def test_the_series_has_a_point_for_each_hour_also_without_payments(world: Harness) -> None:
    series = report(world, query(end=NOON + 5 * HOUR)).series
    assert [p.at for p in series] == [NOON + n * HOUR for n in range(5)]
    assert [p.figures.measures.created for p in series] == [4, 0, 0, 1, 0]


def test_the_series_before_has_the_same_steps_of_the_period_before(world: Harness) -> None:
    found = report(world, query(start=NOON + 3 * HOUR, end=NOON + 6 * HOUR))
    assert [p.at for p in found.series_before] == [NOON + n * HOUR for n in range(3)]
    assert [p.figures.measures.created for p in found.series_before] == [4, 0, 0]


def test_days_begin_at_midnight_and_hours_outside_the_period_are_left_out(world: Harness) -> None:
    asked = query(start=NOON + HOUR, end=NOON + 2 * DAY, step=Step.DAY)
    found = report(world, asked)
    midnight = NOON.replace(hour=0)
    assert [p.at for p in found.series] == [midnight, midnight + DAY, midnight + 2 * DAY]
    assert [p.figures.measures.created for p in found.series] == [1, 0, 0]
    whole = report(world, query(start=midnight - DAY, end=midnight + 3 * DAY, step=Step.DAY))
    assert whole.total.measures.created == 5


def test_the_period_before_is_as_long_and_ends_where_the_period_begins(world: Harness) -> None:
    asked = query(Dimension.ROUTE, start=NOON + 3 * HOUR, end=NOON + 6 * HOUR)
    found = report(world, asked)
    assert (found.total.measures.created, found.before.measures.created) == (1, 4)
    assert {g.value: g.before.measures.completed for g in found.groups} == {OUT: 2, BACK: 0}


def test_durations_run_from_the_complete_deposit_to_the_payout(world: Harness) -> None:
    [route] = report(world, query()).durations
    assert (route.source, route.destination, route.completed) == (*CHAINS, 2)
    with world.store.read() as unit:
        history = [t for t in unit.intents.list_transitions({1, 2}) if t.from_state != t.to_state]
    paid = {t.intent_id: t.at for t in history if t.to_state is State.COMPLETED}
    funded = {t.intent_id: t.at for t in history if t.to_state is State.FUNDED}
    seconds = sorted((paid[n] - funded[n]).total_seconds() for n in (1, 2))
    assert route.p50 == pytest.approx(seconds[0], rel=0.04)
    assert route.p95 == pytest.approx(seconds[1], rel=0.04)


def test_each_unpaid_payment_has_one_cause(world: Harness) -> None:
    causes = report(world, query()).causes
    assert {c.cause: (c.payments, c.requested_micro_usd) for c in causes} == {
        FailureCause.UNDERPAID: (1, 25_000_000), FailureCause.NO_DEPOSIT: (1, 25_000_000),
    }  # fmt: skip
    groups = report(world, query(Dimension.CAUSE)).groups
    assert {g.value for g in groups} == {"underpaid", "no_deposit"}


def test_a_deposit_weeks_later_changes_the_hour_in_which_the_payment_was_created(
    own_world: Harness,
) -> None:
    world = own_world
    before = report(world, query()).total.measures
    world.machine.seconds += 21 * 86_400
    world.pass_time(2)
    late = world_intent(world, 4)
    world.deposit(late)
    world.wait_for_state(late, State.REFUNDED)
    found = report(world, query())
    after = found.total.measures
    # The one that waited for its deposit has expired meanwhile.
    assert (before.pending, before.expired, before.refunded) == (1, 1, 1)
    assert (after.pending, after.expired, after.refunded) == (0, 1, 2)
    assert {c.cause for c in found.causes} == {
        FailureCause.UNDERPAID, FailureCause.LATE, FailureCause.NO_DEPOSIT,
    }  # fmt: skip
    assert sum(after.network_fees.values()) > sum(before.network_fees.values())
    now = world.clock.now().replace(minute=0, second=0, microsecond=0)
    recent = report(world, query(start=now - DAY, end=now + HOUR))
    assert recent.total.measures.created == 0


def test_a_payout_that_a_reorg_undoes_is_not_counted_as_completed(tmp_path: Path) -> None:
    world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=CHAINS)
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    assert report(world, query()).total.measures.completed == 1
    world.sandbox.inject_faults("ARBITRUM_MAINNET", Faults(reorg_depth=6, drop_next=5))
    world.wait_for_state(intent, State.INITIATED)
    undone = report(world, query())
    assert (undone.total.measures.completed, undone.total.measures.started) == (0, 1)
    assert undone.durations == []
    world.wait_for_state(intent, State.COMPLETED)
    assert report(world, query()).total.measures.completed == 1


@pytest.mark.parametrize("dimension", Dimension)
def test_a_filter_that_all_match_gives_the_figures_of_the_standard_grouping(
    world: Harness, dimension: Dimension
) -> None:
    for step in Step:
        asked = query(dimension, start=NOON - DAY, end=NOON + DAY, step=step)
        assert filtered(world, asked, "mode:test") == report(world, asked)


@pytest.mark.parametrize(
    ("filters", "created"),
    [
        ("from:ARBITRUM_MAINNET", 1),
        ("!from:ARBITRUM_MAINNET", 4),
        ("state:COMPLETED,PENDING;to:ARBITRUM_MAINNET", 2),
        ("client:c-1;token:USDC;value:20..30", 5),
        ("client:c-2", 0),
        ("value:26..", 0),
        ("exception:short", 1),
        ("!exception:short", 4),
        ("exception:over", 1),
        ("bridge:none", 0),
        ("link:nothing", 0),
        ("!link:nothing", 5),
        ("reference:nothing", 0),
        ("created:2026-11-21T14:00:00Z..", 1),
    ],
)
def test_filters_of_the_payment_list_apply(world: Harness, filters: str, created: int) -> None:
    assert filtered(world, query(), filters).total.measures.created == created


def test_modes_are_kept_apart(world: Harness) -> None:
    assert report(world, query(mode=Mode.TEST)).total.measures.created == 5
    assert report(world, query(mode=Mode.LIVE)).total.measures.created == 0
    live = replace(world.operator, mode=Mode.LIVE)
    asked = analytics.get_report(world.services, live, query(mode=Mode.TEST))
    assert (asked.query.mode, asked.total.measures.created) == (Mode.LIVE, 0)


def test_a_report_says_how_far_the_figures_reach(own_world: Harness) -> None:
    world = own_world
    fresh = report(world, query()).freshness
    assert (fresh.up_to, fresh.counted) == (world.clock.now(), 1.0)
    newest = world.create_intent()
    stale = analytics.get_report(world.services, world.operator, query()).freshness
    assert stale.up_to is not None
    assert stale.up_to < newest.created_at
    assert report(world, query()).freshness.up_to == world.clock.now()


def test_requests_of_the_largest_size_add_up(own_world: Harness) -> None:
    world = own_world
    for _ in range(3):
        world.create_intent(to="BASE_MAINNET", amount=str(10**12))
    total = report(world, query()).total.measures
    assert total.requested_micro_usd == 3 * 10**12 + 125_000_000
    assert filtered(world, query(), "mode:test").total.measures == total


def test_only_operators_see_analytics(world: Harness) -> None:
    with pytest.raises(Forbidden):
        analytics.get_report(world.services, world.caller, query())
    with pytest.raises(Forbidden):
        analytics.stream_filtered_report(world.services, world.caller, query(), FilterSet())


@pytest.mark.parametrize(
    ("start", "end", "reason"),
    [
        (NOON, NOON, "must end after it begins"),
        (NOON, NOON - DAY, "must end after it begins"),
        (NOON + DAY, NOON + 2 * DAY, "begins in the future"),
        (NOON - 4000 * DAY, NOON, "ten years at most"),
        (datetime(1980, 1, 1, tzinfo=UTC), NOON, "the year 2000 or later"),
    ],
)
def test_a_bad_period_is_refused_with_a_sentence(
    world: Harness, start: datetime, end: datetime, reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason):
        analytics.parse_period(world.services, start, end)


def test_a_period_is_widened_to_whole_hours(world: Harness) -> None:
    some = timedelta(minutes=10, seconds=5)
    period = analytics.parse_period(world.services, NOON - some, NOON + some)
    assert period == AnalyticsPeriod(NOON - HOUR, NOON + HOUR)
    assert analytics.parse_period(world.services, NOON - HOUR, NOON).end == NOON


def test_a_series_by_hour_has_a_longest_period(world: Harness) -> None:
    with pytest.raises(InvalidInput, match="31 days"):
        report(world, query(start=NOON - 32 * DAY))

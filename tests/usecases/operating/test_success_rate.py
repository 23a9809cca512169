"""Overview, routes and analytics count the same payments as successful, with a real engine."""

from datetime import timedelta
from pathlib import Path

import pytest

from crossway.domain.analytics import AnalyticsPeriod, Dimension, Step
from crossway.domain.intent import State
from crossway.ports.analytics import AnalyticsQuery
from crossway.ports.sandbox import Faults, StrangerAction
from crossway.usecases.money.analytics import get_report
from crossway.usecases.operating.metrics import collect_metrics
from crossway.usecases.operating.overview import get_overview
from crossway.usecases.operating.payment_figures import count_changes
from crossway.usecases.pricing.corridor_quotes import Window, list_corridors
from tests.bridges.world import BridgeWorld
from tests.harness import Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    url = f"sqlite:///{tmp_path / 'crossway.db'}"
    return Harness(url, chains=(BASE, ARBITRUM))


def paid_and_failed(world: Harness) -> list[tuple[int, int]]:
    """The payments that were paid, and those that were not though they were funded: on the
    overview, in the metrics, in the table of routes by hours and by days, and in analytics."""
    day = get_overview(world.services, world.operator).period
    counted = [(day.completed, day.failed)]
    ended = collect_metrics(world.services).ended
    counted.append((ended["paid"], ended["failed"]))
    for window in (Window.DAY, Window.WEEK):
        corridors = list_corridors(world.services, world.operator, window, 100_000_000)
        counted.append((sum(c.paid for c in corridors), sum(c.failed for c in corridors)))
    while count_changes(world.store):
        pass
    end = world.clock.now().replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    period = AnalyticsPeriod(end - timedelta(days=2), end)
    query = AnalyticsQuery(period, Dimension.ALL, step=Step.HOUR)
    of = get_report(world.services, world.operator, query).total.measures
    return [*counted, (of.completed, of.ended_funded - of.completed)]


def test_every_funded_payment_that_did_not_reach_its_recipient_is_a_failure(
    world: Harness,
) -> None:
    paid = world.create_intent()
    world.deposit(paid)
    world.wait_for_state(paid, State.COMPLETED)
    refused = world.create_intent(recipient=world.wallet(ARBITRUM, "refused"))
    world.deposit(refused)
    world.wait_for_state(refused, State.INITIATED)
    world.sandbox.inject_faults(ARBITRUM, Faults(refuse=[refused.terms.recipient]))
    world.wait_for_state(refused, State.REFUNDED, within=600)
    # Nobody pays one, and too little comes for the next: neither was funded.
    unpaid, short = world.create_intent(), world.create_intent()
    world.deposit(short, "short")
    # Funded, and never started: nothing is there to pay it out of.
    world.sandbox.inject_faults(ARBITRUM, Faults(balances={"relayer": {"USDC": 0}}))
    waiting = world.create_intent()
    world.deposit(waiting)
    world.wait_for_state(waiting, State.FUNDED)
    assert set(paid_and_failed(world)) == {(1, 1)}, "an open payment is neither"
    world.pass_time(3_700, step=100)
    world.pass_time(60)
    ends = [world.reload(i).state for i in (unpaid, short, waiting)]
    assert ends == [State.EXPIRED, State.REFUNDED, State.REFUNDED]
    assert set(paid_and_failed(world)) == {(1, 2)}
    day = get_overview(world.services, world.operator).period
    assert day.success == 1 / 3


@pytest.mark.slow
def test_what_a_bridge_delivers_is_paid_and_what_it_parks_is_not(tmp_path: Path) -> None:
    world = BridgeWorld(tmp_path, "CCTP", chains=(BASE, ARBITRUM))
    delivered = world.pay()
    world.wait_for_state(delivered, State.COMPLETED)
    assert set(paid_and_failed(world)) == {(1, 0)}
    parked = world.pay(recipient=world.wallet(ARBITRUM, "refused"))
    world.wait_for(parked, "SEEN")
    world.sandbox.inject_faults(ARBITRUM, Faults(refuse=[parked.terms.recipient]))
    world.wait_for_state(parked, State.FAILED)
    assert set(paid_and_failed(world)) == {(1, 1)}
    world.pass_time(60 * 90, step=600)
    world.sandbox.inject_faults(ARBITRUM, Faults(accept=[parked.terms.recipient]))
    world.act(parked, StrangerAction.RELEASE)
    world.wait_for_state(parked, State.COMPLETED, within=4_000)
    assert set(paid_and_failed(world)) == {(2, 0)}
    # It counts in the hour in which it was paid, and no more in that in which it failed.
    hours = [(h.completed, h.failed) for _, h in get_overview(world.services, world.operator).steps]
    assert [h for h in hours if h != (0, 0)] == [(1, 0), (1, 0)]


def test_a_payout_that_a_reorg_takes_back_is_not_paid_until_it_is_made_again(
    world: Harness,
) -> None:
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    world.sandbox.inject_faults(ARBITRUM, Faults(reorg_depth=4, drop_next=3))
    world.wait_for_state(intent, State.INITIATED, within=60)
    assert set(paid_and_failed(world)) == {(0, 0)}
    world.wait_for_state(intent, State.COMPLETED, within=600)
    assert set(paid_and_failed(world)) == {(1, 0)}

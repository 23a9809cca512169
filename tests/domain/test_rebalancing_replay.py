"""A past made by hand, replayed with and without policies."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from crossway.domain.rebalancing import LocationBalance, RebalancingPolicy, RouteOffer
from crossway.domain.rebalancing_needs import PlanInputs
from crossway.domain.rebalancing_replay import Demand, InventoryHistory, Movement, Replay, replay
from tests.domain.rebalancing_worlds import DEFAULTS, NOW, USDC, A, B, at, offer, policy

END = NOW + timedelta(days=2)
MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
POLICIES = [policy(A, 500, 2_000), policy(B, 0, 1_000)]
OPENING = [at(A, 600), at(B, 10_000)]
BY_RHINO = [offer(B, A, fee=1, seconds=60)]


def paid(number: int, dollars: int, after: timedelta, until: timedelta) -> Demand:
    """A payment on A, funded so long after the beginning, and started and paid later."""
    begins, ends = NOW + after, NOW + until
    return Demand(number, A, dollars * USDC, begins, ends, ends)


def movement(location: tuple[str, str], dollars: int, after: timedelta) -> Movement:
    return Movement(NOW + after, location, dollars * USDC)


def play(
    movements: Sequence[Movement],
    demands: Sequence[Demand],
    policies: Sequence[RebalancingPolicy] = POLICIES,
    offers: Sequence[RouteOffer] = BY_RHINO,
    opening: Sequence[LocationBalance] = OPENING,
) -> Replay:
    by_pair = {(one.source, one.destination): [one] for one in offers}

    def with_offers(inputs: PlanInputs) -> PlanInputs:
        return replace(inputs, offers=by_pair)

    history = InventoryHistory(NOW, END, opening, movements, demands)
    return replay(history, policies, DEFAULTS, with_offers)


def test_what_waited_for_inventory_would_not_have() -> None:
    # 600 USD pay the first; the second waits until 1 000 USD come after five hours.
    demands = [paid(1, 500, HOUR, HOUR + MINUTE), paid(2, 400, 2 * HOUR, 5 * HOUR)]
    movements = [
        movement(A, -500, HOUR + MINUTE),
        movement(A, 1_000, 5 * HOUR - MINUTE),
        movement(A, -400, 5 * HOUR),
    ]
    before = play(movements, demands, policies=[])
    assert before.transfers == ()
    assert before.waits == {2: 3 * HOUR - MINUTE}
    after = play(movements, demands)
    assert after.waits == {}
    (filled,) = after.transfers
    # Once the first payment takes 500 of the 600 USD.
    assert filled.at == NOW + HOUR
    assert filled.planned.amount == 1_900 * USDC
    assert filled.planned.fee_micro_usd == 1 * USDC


def test_a_payout_that_begins_to_wait_is_served_at_once() -> None:
    """A minute after the plan that finds nothing to do, and as long as the bridge takes."""
    demands = [paid(1, 700, MINUTE, 3 * HOUR)]
    after = play([movement(A, -700, 3 * HOUR)], demands)
    assert [(one.at, one.planned.is_urgent) for one in after.transfers] == [(NOW + MINUTE, True)]
    assert after.waits == {1: MINUTE}


def test_a_payment_that_never_started_would_have_been_paid() -> None:
    lost = replace(paid(1, 700, HOUR, 4 * HOUR), started_at=None)
    before = play([], [lost], policies=[])
    assert (before.waits, before.unstarted) == ({1: 3 * HOUR}, {1})
    after = play([], [lost])
    assert (after.waits, after.unstarted) == ({1: MINUTE}, set())
    # 600 + 2 100 − 700 USD are left: nothing more is needed.
    (filled,) = after.transfers
    assert filled.planned.amount == 2_100 * USDC


def test_what_was_paid_out_of_what_is_missing_waits_until_that_comes() -> None:
    """700 USD were there then, by a transfer that is left out: 100 of them come later."""
    early, later = paid(1, 700, HOUR, HOUR + MINUTE), paid(2, 50, 2 * HOUR, 2 * HOUR + MINUTE)
    movements = [
        movement(A, -700, HOUR + MINUTE),
        movement(A, -50, 2 * HOUR + MINUTE),
        movement(A, 200, 3 * HOUR),
    ]
    # The second is small enough for the 600 USD; of what comes then, the first is paid.
    assert play(movements, [early, later], policies=[]).waits == {1: 2 * HOUR}
    # Served at once, within a minute.
    assert play(movements, [early, later]).waits == {1: MINUTE}
    never = play(movements[:2], [early, later], policies=[])
    assert (never.waits, never.unstarted) == ({1: END - NOW - HOUR}, {1})


def test_without_a_bridge_it_waits_as_it_did() -> None:
    demands = [paid(1, 700, HOUR, 4 * HOUR)]
    movements = [movement(A, 100, 4 * HOUR - MINUTE), movement(A, -700, 4 * HOUR)]
    told = play(movements, demands, offers=[])
    assert (told.transfers, told.waits) == ((), {1: 3 * HOUR - MINUTE})


def test_what_moves_leaves_its_source_with_its_fee() -> None:
    movements = [movement(A, -1_900, day * 12 * HOUR) for day in range(1, 4)]
    amounts = [
        [one.planned.amount for one in play(movements, [], opening=[at(A, 2_000), rich]).transfers]
        for rich in (at(B, 10_000), at(B, 4_810), at(B, 4_812))
    ]
    # Each brings 1 900 USD and costs one more. Of 3 810 USD to spare two leave 8, of 3 812 they
    # leave 10: the smallest that may move, but not with the costs that it may have.
    assert amounts == [[1_900 * USDC] * 3, [1_900 * USDC] * 2, [1_900 * USDC] * 2]
    # With a hundred more, what is left may move; it costs a whole dollar, which is too much.
    short = play(movements, [], opening=[at(A, 2_000), at(B, 4_912)])
    assert [one.planned.amount for one in short.transfers] == [1_900 * USDC] * 2
    by_gift = [replace(BY_RHINO[0], fee_micro_usd=0)]
    short = play(movements, [], opening=[at(A, 2_000), at(B, 4_912)], offers=by_gift)
    # Without a fee 3 912 − 3 800 = 112 USD are left, less what they may cost.
    assert [one.planned.amount for one in short.transfers] == [
        1_900 * USDC,
        1_900 * USDC,
        112 * USDC * 10_000 // 10_020,
    ]


def test_progress_is_told() -> None:
    shares: list[float] = []
    history = InventoryHistory(NOW, END, OPENING, [], [])
    replay(history, POLICIES, DEFAULTS, lambda inputs: inputs, shares.append)
    assert shares == sorted(shares)
    assert shares[-1] == 1.0

"""What is planned of given balances, policies and offers, by hand."""

from dataclasses import replace
from datetime import time, timedelta

import pytest

from crossway.domain.inventory_transfer import InventoryTransferKind
from crossway.domain.rebalancing import RebalancingSettings, RebalancingState
from crossway.domain.rebalancing_planner import plan_rebalancing
from tests.domain.rebalancing_worlds import (
    DEFAULTS,
    NOW,
    USDC,
    A,
    B,
    C,
    as_stored,
    at,
    inputs,
    offer,
    policy,
)

POLICIES = [policy(A, 1_000, 5_000), policy(B, 1_000, 5_000), policy(C, 1_000, 5_000)]


def moved(plan_inputs: object) -> list[tuple[str, str, str, float]]:
    """Bridge, from, to and dollars of each transfer planned."""
    plan = plan_rebalancing(plan_inputs)  # type: ignore[arg-type]
    return [(t.bridge, t.source[0], t.destination[0], t.amount / USDC) for t in plan.transfers]


def reasons(plan_inputs: object) -> list[str]:
    plan = plan_rebalancing(plan_inputs)  # type: ignore[arg-type]
    return [one.reason for one in plan.unserved]


def test_below_the_minimum_it_is_filled_to_the_target() -> None:
    given = inputs([at(A, 999), at(B, 50_000)], POLICIES, [offer(B, A)])
    assert moved(given) == [("RHINOFI", "B", "A", 4_001)]
    (transfer,) = plan_rebalancing(given).transfers
    # With all that it may cost: 20 basis points of what arrives.
    assert transfer.max_source_amount == 4_009_002_000
    assert transfer.reason == "Chain A has 999 USDC, less than its minimum of 1,000 USDC."


def test_between_minimum_and_target_nothing_moves() -> None:
    given = inputs([at(A, 1_000), at(B, 50_000)], POLICIES, [offer(B, A)])
    assert plan_rebalancing(given) == plan_rebalancing(inputs([], [], []))


def test_what_is_promised_or_under_way_counts() -> None:
    low = at(A, 10_000, reserved=6_000, leaving=3_001)
    assert moved(inputs([low, at(B, 50_000)], POLICIES, [offer(B, A)])) == [
        ("RHINOFI", "B", "A", 4_001)
    ]
    for more in ("arriving", "expected"):
        enough = at(A, 0, **{more: 1_000})
        assert moved(inputs([enough, at(B, 50_000)], POLICIES, [offer(B, A)])) == []


def test_the_cheapest_bridge_moves_it_and_the_fastest_where_payouts_wait() -> None:
    slow = offer(B, A, fee=1, seconds=900, bridge="GATEWAY")
    fast = offer(B, A, fee=20, seconds=5, bridge="ACROSS")
    given = inputs([at(A, 0), at(B, 50_000)], POLICIES, [slow, fast])
    assert moved(given) == [("GATEWAY", "B", "A", 5_000)]
    waiting = inputs([at(A, 0, waiting=100), at(B, 50_000)], POLICIES, [slow, fast])
    # 39 basis points of 5 100 USD: above the cap of 20, within three times that.
    assert moved(waiting) == [("ACROSS", "B", "A", 5_100)]
    (transfer,) = plan_rebalancing(waiting).transfers
    assert transfer.reason == "Payouts on Chain A wait for 100 USDC."
    dear = [slow, replace(fast, fee_micro_usd=31 * USDC)]
    assert moved(replace(waiting, offers={(B, A): dear})) == [("GATEWAY", "B", "A", 5_100)]


def test_for_payouts_a_source_gives_down_to_its_minimum() -> None:
    given = inputs([at(A, 0), at(B, 5_000)], POLICIES, [offer(B, A)])
    assert moved(given) == []
    assert reasons(given) == ["Chain A lacks 5,000 USDC, and no other location has any to spare."]
    urgent = replace(given, balances=[at(A, 0, waiting=500), at(B, 5_000)])
    ((_, _, _, amount),) = moved(urgent)
    # 4 000 to spare, less the 60 basis points that it may cost.
    assert amount == pytest.approx(4_000 / 1.006, abs=0.01)


def test_several_sources_serve_one_lack_and_payouts_come_first() -> None:
    balances = [at(A, 0), at(B, 8_000), at(C, 0, waiting=50)]
    offers = [offer(B, A), offer(B, C)]
    # C gets what it needs down to B's minimum; nothing is left for A.
    assert [(s, d) for _, s, d, _ in moved(inputs(balances, POLICIES, offers))] == [("B", "C")]
    rich = [at(A, 0), at(B, 8_000), at(C, 8_000)]
    both = inputs(rich, POLICIES, [offer(B, A), offer(C, A)])
    assert sorted(d for *_, d in moved(both)) == [2_005.988024, 2_994.011976]


def test_above_the_maximum_the_excess_leaves_to_where_there_is_room() -> None:
    policies = [policy(A, 0, 5_000, 20_000), policy(B, 0, 5_000, 9_000), policy(C, 0, 0, 10**6)]
    given = inputs([at(A, 30_000), at(B, 5_000), at(C, 0)], policies, [offer(A, B, fee=0.1)])
    assert moved(given) == [("RHINOFI", "A", "B", 4_000)]
    gateway = offer(A, C, fee=0.01, bridge="GATEWAY", kind=InventoryTransferKind.DEPOSIT)
    assert moved(replace(given, offers={(A, C): [gateway]})) == [("GATEWAY", "A", "C", 25_000)]
    assert moved(inputs([at(A, 20_000), at(B, 0)], policies, [offer(A, B)])) == []


def test_limits_of_amounts_costs_and_numbers_are_kept_and_told() -> None:
    given = inputs([at(A, 0), at(B, 50_000)], POLICIES, [offer(B, A, fee=6)])
    assert moved(replace(given, settings=replace(DEFAULTS, largest_micro_usd=3_001 * USDC))) == [
        ("RHINOFI", "B", "A", 3_001)
    ]
    for changed, reason in (
        ({"max_cost_bps": 11}, "rhino.fi costs 12.0 bps, more than is allowed"),
        ({"max_cost_day_micro_usd": 5 * USDC}, "the day's limit of costs is reached"),
        ({"max_open_per_bridge": 0}, "rhino.fi has as many open transfers as are allowed"),
        (
            {"smallest_micro_usd": 6_000 * USDC},
            "what could be moved is less than the smallest transfer",
        ),
    ):
        limited = replace(given, settings=replace(DEFAULTS, **changed))
        assert moved(limited) == []
        lack = "Chain A lacks 5,000 USDC; Chain B has 45,000 USDC to spare, but"
        assert reasons(limited) == [f"{lack} {reason}."]


def test_after_a_transfer_the_two_rest_in_both_directions() -> None:
    given = inputs([at(A, 0), at(B, 50_000)], POLICIES, [offer(B, A)])
    (first,) = plan_rebalancing(given).transfers
    back = replace(first, source=A, destination=B)
    for planned in (first, back):
        ended = replace(as_stored(planned, 1), state=RebalancingState.ARRIVED)
        resting = replace(given, recent=[ended], now=NOW + timedelta(seconds=599))
        assert moved(resting) == []
        assert "made a short while ago" in reasons(resting)[0]
        assert moved(replace(resting, now=NOW + timedelta(seconds=600))) != []
        still_open = replace(resting, recent=[as_stored(planned, 1)], now=NOW + timedelta(days=1))
        assert moved(still_open) == []


def test_what_a_person_declined_is_not_planned_again_for_a_day() -> None:
    given = inputs([at(A, 0), at(B, 50_000)], POLICIES, [offer(B, A)])
    (planned,) = plan_rebalancing(given).transfers
    declined = replace(as_stored(planned, 1), state=RebalancingState.DECLINED)
    later = replace(given, recent=[declined], now=NOW + timedelta(hours=23))
    assert moved(later) == []
    assert moved(replace(later, now=NOW + timedelta(days=1))) == moved(given)


def test_nothing_begins_outside_the_hours_or_while_something_cannot_be_read() -> None:
    given = inputs([at(A, 0), at(B, 50_000)], POLICIES, [offer(B, A)])
    settings = RebalancingSettings(begins_at=time(13), ends_at=time(17))
    closed = replace(given, settings=settings)
    assert moved(closed) == []
    assert reasons(closed) == ["Transfers begin between 13:00 and 17:00 UTC."]
    silent = {("USDC", False): ["rhino.fi does not answer."]}
    unreadable = replace(given, unreadable=silent)
    assert moved(unreadable) == []
    assert reasons(unreadable) == ["rhino.fi does not answer."]


def test_why_nothing_can_be_moved() -> None:
    low, rich = at(A, 0), at(B, 50_000)
    assert reasons(inputs([low], POLICIES, [])) == [
        "Chain A lacks 5,000 USDC, and no other location with a policy holds USDC."
    ]
    nobody = inputs([low, rich], POLICIES, [])
    lack = "Chain A lacks 5,000 USDC; Chain B has 45,000 USDC to spare, but"
    assert reasons(nobody) == [f"{lack} no bridge moves it there."]
    refused = replace(nobody, refusals={(B, A): "CCTP carries USDC alone."})
    assert reasons(refused) == [f"{lack} CCTP carries USDC alone."]
    unpriced = [replace(low, pico_usd=None), replace(rich, pico_usd=None)]
    assert reasons(inputs(unpriced, POLICIES, [offer(B, A)])) == [
        "Chain A lacks 5,000 USDC, and the price of USDC is unknown."
    ]
    # A location without a policy neither gets nor gives.
    assert moved(inputs([low, rich], POLICIES[:1], [offer(B, A)])) == []


def test_payouts_are_not_kept_waiting_by_small_fast_transfers() -> None:
    """Three fast sources with little would use up all that may be open of the bridge."""
    rich = at(A, 10_000)
    fast = [(f"F{number}", f"0xf{number}") for number in range(3)]
    offers = [offer(one, C, fee=0.01, seconds=5) for one in fast] + [offer(A, C, seconds=6)]
    policies = [policy(A, 0, 0), policy(C, 0, 0), *(policy(one, 0, 0) for one in fast)]
    balances = [rich, at(C, 0, waiting=5_000), *(at(one, 30) for one in fast)]
    assert moved(inputs(balances, policies, offers)) == [("RHINOFI", "A", "C", 5_000)]
    # Where nobody has enough, the fast ones are used first.
    given = inputs([at(A, 4_000), *balances[1:]], policies, offers)
    assert [s for _, s, _, _ in moved(given)] == ["F0", "F1", "F2"]


def test_why_a_location_at_its_maximum_gets_nothing() -> None:
    """Payouts wait, and what the escrow has still to repay will fill it."""
    policies = [policy(A, 0, 0, 1_000), POLICIES[1]]
    given = inputs([at(A, 0, waiting=100, expected=2_000), at(B, 50_000)], policies, [offer(B, A)])
    assert moved(given) == []
    assert reasons(given) == [
        "Chain A lacks 100 USDC; Chain B has 49,000 USDC to spare, but with what is on its way, it "
        "is at its maximum."
    ]


def test_what_only_costs_forbid_is_not_called_dear() -> None:
    """25.01 USD are to spare, of which 20 basis points are kept for costs: too little to move."""
    settings = replace(DEFAULTS, smallest_micro_usd=25 * USDC)
    given = inputs([at(A, 0), at(B, 5_025.01)], POLICIES, [offer(B, A, fee=0.01)], settings)
    assert moved(given) == []
    assert reasons(given) == [
        "Chain A lacks 5,000 USDC; Chain B has 25.01 USDC to spare, but what could be moved is "
        "less than the smallest transfer."
    ]


def test_without_a_smallest_transfer_nothing_is_divided_by_zero() -> None:
    settings = replace(DEFAULTS, smallest_micro_usd=0)
    worthless = [replace(at(A, 0), pico_usd=1), replace(at(B, 50_000), pico_usd=1)]
    assert moved(inputs(worthless, POLICIES, [offer(B, A, fee=0)], settings)) == []

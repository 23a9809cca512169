"""What anyone may return from a standing address is booked once it is final, and nobody else's
deposit is taken for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.domain.outbound import OutboundTxState
from crossway.domain.standing import StandingAddress
from crossway.domain.standing import StandingState as S
from crossway.engine.standing_watcher import StandingWatcher
from crossway.ports.sandbox import Faults
from crossway.usecases.chains.kill_switches import set_kill_switch
from crossway.usecases.money.reconciliation import compare
from crossway.usecases.money.standing_reconciliation import RETURNED
from crossway.usecases.payments.standing_held import RETURNED_BY_OTHERS, HeldThere
from tests.engine.standing_world import ARBITRUM, BASE, EURC, USDC, StandingWorld
from tests.invariants import check_invariants

UNITS = 50_000_000


@pytest.fixture
def world(tmp_path: Path) -> Iterator[StandingWorld]:
    built = StandingWorld(tmp_path)
    yield built
    built.store.close()


def return_all(world: StandingWorld, address: StandingAddress, token: str = USDC) -> None:
    """As the contract lets anyone: at any time what is not accepted, else after a day."""
    world.sandbox.refund_by_stranger(BASE, address.address, token, address.recovery)


def close_route(world: StandingWorld, closed: bool = True) -> None:
    set_kill_switch(world.services, world.operator, f"chain:{ARBITRUM}", closed, "maintenance")
    world.pass_time(3)


def test_a_deposit_that_waits_and_was_returned_by_somebody_ends_as_returned(
    world: StandingWorld,
) -> None:
    address = world.create()
    close_route(world)
    world.send(address, UNITS)
    world.pass_time(30)
    assert (world.states(), world.booked()) == ([S.WAITING], UNITS)
    return_all(world, address)
    world.pass_time(900, 30)
    [deposit] = world.deposits()
    assert (deposit.state, deposit.reason) == (S.RETURNED, RETURNED_BY_OTHERS)
    assert (world.booked(), world.recovered(), world.transactions()) == (0, UNITS, [])
    check_invariants(world)


def test_dust_that_was_kept_and_returned_by_somebody_is_booked(world: StandingWorld) -> None:
    address = world.create()
    world.send(address, 100)
    world.pass_time(30)
    assert world.states() == [S.KEPT]
    assert differences(world) == []
    return_all(world, address)
    message = f"The standing address {address.address} on Base holds 0 USDC; the books say "
    assert differences(world) == [("standing", f"{message}0.0001 USDC.", RETURNED, False)]
    world.pass_time(900, 30)
    assert (world.states(), world.booked(), world.recovered()) == ([S.RETURNED], 0, 100)
    assert differences(world) == []


def test_what_is_on_its_way_is_a_difference_for_a_while(world: StandingWorld) -> None:
    address = world.create()
    world.send(address, UNITS)
    found = set()
    for _ in range(40):
        world.pass_time(1)
        found |= {(kind, is_transient) for kind, _, _, is_transient in differences(world)}
    assert world.states() == [S.FORWARDED]
    assert ("standing", True) in found
    assert ("standing", False) not in found


def differences(world: StandingWorld) -> list[tuple[str, str, tuple[str, str], bool]]:
    return [
        (d.kind, d.message, (d.reason, d.next_step), d.is_transient)
        for d in compare(world.services).differences
        if d.kind == "standing"
    ]


def test_our_own_return_does_not_take_a_later_deposit_for_one_that_somebody_returned(
    world: StandingWorld,
) -> None:
    address = world.create()
    world.pass_time(2)
    world.send(address, UNITS, EURC)
    return_all(world, address, EURC)
    world.pass_time(30)
    # Ours waits, as there is nothing, instead of failing.
    assert world.states() == [S.RETURNING]
    assert [tx.state for tx in world.transactions()] == [OutboundTxState.DUE]
    world.send(address, UNITS + 1, EURC)
    world.pass_time(1_200, 30)
    assert world.states() == [S.RETURNED, S.RETURNED]
    first, second = world.deposits()
    assert (first.reason, second.reason) == (RETURNED_BY_OTHERS, "The token is not accepted.")
    assert (world.booked(EURC), world.recovered(EURC)) == (0, 2 * UNITS + 1)
    states = {tx.intent_id: tx.state for tx in world.transactions()}
    assert states[first.owner] is OutboundTxState.CANCELLED
    check_invariants(world)


def test_who_returns_dust_holds_no_payment_up(world: StandingWorld) -> None:
    address = world.create()
    world.send(address, 100)
    world.pass_time(30)
    return_all(world, address)
    world.send(address, UNITS)
    world.pass_time(60)
    # Before what is missing is final.
    assert world.states() == [S.KEPT, S.FORWARDED]
    world.pass_time(900, 30)
    assert (world.states(), world.booked()) == ([S.RETURNED, S.FORWARDED], 0)
    check_invariants(world)


def test_a_return_that_failed_and_that_somebody_makes_ends_its_alert(world: StandingWorld) -> None:
    address = world.create()
    world.sandbox.inject_faults(BASE, Faults(refuse=[address.recovery]))
    world.pass_time(2)
    world.send(address, UNITS, EURC)
    world.pass_time(120, 5)
    assert (world.states(), alerts(world)) == ([S.FAILED], ["transfer"])
    world.sandbox.inject_faults(BASE, Faults(accept=[address.recovery]))
    return_all(world, address, EURC)
    world.pass_time(900, 30)
    assert (world.states(), alerts(world)) == ([S.RETURNED], [])
    assert (world.booked(EURC), world.recovered(EURC)) == (0, UNITS)


def alerts(world: StandingWorld) -> list[str]:
    with world.store.read() as unit:
        return [alert.kind for alert in unit.alerts.list_active()]


def test_the_payment_of_a_deposit_that_somebody_returned_expires(world: StandingWorld) -> None:
    address = world.create()
    world.pass_time(2)
    world.send(address, UNITS)
    # It is returned before our transaction gets there.
    while world.states() != [S.FORWARDING]:
        world.pass_time(1)
    return_all(world, address)
    world.pass_time(1_500, 30)
    assert world.states() == [S.RETURNED]
    world.pass_time(3_700, 300)
    [intent] = world.intents()
    assert (intent.state, world.paid(), world.recovered()) == (State.EXPIRED, 0, UNITS)
    assert world.booked() == 0
    check_invariants(world)


def test_a_return_that_a_reorg_removes_is_not_booked(world: StandingWorld) -> None:
    address = world.create()
    world.send(address, 100)
    world.pass_time(30)
    watcher, chain = StandingWatcher(world.services), world.services.chains[BASE]
    return_all(world, address)
    assert watcher.check({BASE: chain.heads()}) == 0
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=4, drop_next=1))
    assert world.recovered() == 0
    world.pass_time(900, 30)
    assert watcher.check({BASE: chain.heads()}) == 0
    assert (world.states(), world.booked()) == ([S.KEPT], 100)


def test_the_oldest_deposits_are_taken_to_have_left(world: StandingWorld) -> None:
    address = world.create()
    for units in (100, 90, 80):
        world.send(address, units)
    world.pass_time(30)
    first, second, third = world.deposits()
    there = HeldThere(address.address, (first, second, third), ())
    assert there.units == 270
    assert there.find_returned(100) == (first,)
    assert there.find_returned(190) == (first, second)
    assert there.find_returned(270) == (first, second, third)
    # A part of one, and what is not the oldest.
    assert [there.find_returned(units) for units in (0, 60, 90, 271)] == [(), (), (), ()]

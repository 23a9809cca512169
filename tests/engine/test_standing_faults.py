"""One payment for each deposit at a standing address, and one transaction that moves it, whatever
fails."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.domain.intent import State
from crossway.domain.standing import StandingState as S
from crossway.engine.loop import Engine
from crossway.ports.sandbox import Faults
from crossway.usecases.standing.deposits import return_deposit
from tests.engine.standing_world import BASE, EURC, USDC, StandingWorld


@pytest.fixture
def world(tmp_path: Path) -> Iterator[StandingWorld]:
    built = StandingWorld(tmp_path)
    yield built
    built.store.close()


def require_paid_once(world: StandingWorld, units: int = 50_000_000) -> None:
    """The one deposit has one payment, which was paid, and was forwarded by one transaction."""
    [intent], [deposit] = world.intents(), world.deposits()
    assert (intent.state, deposit.state) == (State.COMPLETED, S.FORWARDED)
    assert deposit.intent_id == intent.id
    assert (intent.terms.deposit_amount, world.paid()) == (units, intent.terms.payout_amount)
    assert world.recovered() == 0
    assert world.booked() == world.balance(deposit.incoming.to) == 0


@pytest.mark.parametrize(
    ("step", "number"),
    [
        ("before-standing-credit", 1),
        ("standing-credited", 1),
        ("before-sign", 1),
        ("signed:FORWARD", 1),
        ("sent:FORWARD", 1),
        ("before-confirm", 1),
        ("confirmed:FORWARD", 1),
        ("signed:START", 1),
    ],
)
def test_a_killed_engine_makes_one_payment_and_forwards_once(
    tmp_path: Path, step: str, number: int
) -> None:
    world = StandingWorld(tmp_path, step, number)
    address = world.create()
    world.send(address, 50_000_000)
    world.run(90)
    assert world.left == 0
    require_paid_once(world)
    world.store.close()


@pytest.mark.parametrize("step", ["signed:RECOVER", "sent:RECOVER", "confirmed:RECOVER"])
def test_a_killed_engine_returns_a_deposit_once(tmp_path: Path, step: str) -> None:
    world = StandingWorld(tmp_path, step)
    address = world.create()
    world.send(address, 30_000_000, EURC)
    world.run(90)
    assert (world.left, world.states()) == (0, [S.RETURNED])
    assert (world.recovered(EURC), world.booked(EURC)) == (30_000_000, 0)
    world.store.close()


def test_two_engines_make_one_payment(world: StandingWorld) -> None:
    address = world.create()
    # Neither has leases that keep the other away.
    engines = [Engine(world.services, name, sole=True) for name in ("one", "two")]
    world.pass_time(2)
    world.send(address, 50_000_000)
    for _ in range(60):
        world.machine.seconds += 1
        for engine in engines:
            engine.tick()
    require_paid_once(world)


def test_a_deposit_that_a_reorg_removes_before_it_is_deep_makes_no_payment(
    world: StandingWorld,
) -> None:
    address = world.create()
    world.pass_time(2)
    world.send(address, 50_000_000)
    world.pass_time(1)
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=3, drop_next=1))
    world.pass_time(60)
    assert (world.intents(), world.booked()) == ([], 0)
    assert all(deposit.state is S.ORPHANED for deposit in world.deposits())


def test_a_deposit_in_another_block_after_a_reorg_makes_one_payment(world: StandingWorld) -> None:
    address = world.create()
    world.pass_time(2)
    world.send(address, 50_000_000)
    world.pass_time(1)
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=3))
    world.pass_time(90)
    require_paid_once(world)


@pytest.mark.parametrize("seconds", range(6, 24, 2))
def test_a_deep_reorg_never_makes_a_second_payment(world: StandingWorld, seconds: int) -> None:
    """Deposit, forwarding and start are replaced at every moment, and included again."""
    address = world.create()
    world.pass_time(2)
    world.send(address, 50_000_000)
    world.pass_time(seconds)
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=30))
    world.pass_time(120)
    require_paid_once(world)


@pytest.mark.parametrize("seconds", [4, 6, 8, 10])
def test_a_deposit_that_a_deep_reorg_removes_is_paid_to_nobody_or_once(
    world: StandingWorld, seconds: int
) -> None:
    """The deposit itself is gone, and what was sent of it with it."""
    address = world.create()
    world.pass_time(2)
    world.send(address, 50_000_000)
    world.pass_time(seconds)
    world.sandbox.inject_faults(BASE, Faults(reorg_depth=40, drop_next=1))
    world.pass_time(4_000, 5)
    assert len(world.intents()) <= 1
    assert (world.recovered(), world.booked()) == (0, 0)
    assert world.balance(address.address) == 0


def test_forwarding_that_reverts_is_tried_again(world: StandingWorld) -> None:
    address = world.create()
    world.sandbox.inject_faults(BASE, Faults(revert_next=2))
    world.send(address, 50_000_000)
    world.pass_time(120)
    require_paid_once(world)


def test_what_cannot_be_forwarded_before_its_payment_expires_goes_back(
    world: StandingWorld,
) -> None:
    address = world.create()
    world.pass_time(1)
    world.send(address, 50_000_000)
    world.sandbox.inject_faults(BASE, Faults(balances={"relayer": {"ETH": 0}}))
    world.pass_time(3_500, 20)
    assert world.states() == [S.FORWARDING]
    world.pass_time(200, 5)
    world.sandbox.inject_faults(BASE, Faults(balances={"relayer": {"ETH": 10**20}}))
    world.pass_time(120)
    [deposit], [intent] = world.deposits(), world.intents()
    assert (deposit.state, intent.state) == (S.RETURNED, State.EXPIRED)
    assert deposit.reason == "It could not be forwarded before its payment expired."
    assert (world.recovered(), world.paid(), world.booked()) == (50_000_000, 0, 0)


def test_a_recovery_address_that_refuses_waits_for_an_operator(world: StandingWorld) -> None:
    address = world.create(minimum="20000000")
    world.sandbox.inject_faults(BASE, Faults(refuse=(address.recovery,)))
    world.send(address, 10_000_000)
    world.pass_time(600, 2)
    [deposit] = world.deposits()
    assert (deposit.state, world.booked()) == (S.FAILED, 10_000_000)
    with world.store.read() as unit:
        alerts = [a for a in unit.alerts.list_active() if a.kind == "transfer"]
    assert [alert.subject for alert in alerts] == [f"standing:{deposit.id}"]


def test_a_forged_deposit_is_not_forwarded(world: StandingWorld) -> None:
    world.create()
    world.pass_time(2)
    world.sandbox.inject_faults(BASE, Faults(lie="forged"))
    world.pass_time(30)
    world.sandbox.inject_faults(BASE, Faults(lie=""))
    world.pass_time(10)
    assert (world.intents(), world.booked(USDC)) == ([], 0)
    assert set(world.states()) <= {S.ORPHANED}


def test_returns_to_the_recovery_address_draw_on_the_budget_for_returns(tmp_path: Path) -> None:
    """Who knows the address can send what is not accepted again and again: it costs the operator no
    more than any other return."""
    # Two returns a day.
    world = StandingWorld(tmp_path, return_allowance_micro_usd=20_000)
    address = world.create(minimum="20000000")
    for _ in range(4):
        world.send(address, 1_000_000)
    world.pass_time(120)
    assert sorted(world.states()) == [S.RETURNED] * 2 + [S.RETURNING] * 2
    assert world.recovered() == 2_000_000
    with world.store.read() as unit:
        [alert] = unit.alerts.list_active()
    assert alert.key == "returns:BASE_MAINNET"
    world.pass_time(2 * 86_400, 3_600)
    world.pass_time(60)
    assert (world.states(), world.recovered()) == ([S.RETURNED] * 4, 4_000_000)
    world.store.close()


def test_only_staff_have_returned_what_costs_more_than_it_is_worth(world: StandingWorld) -> None:
    """A merchant's key, which may be stolen, causes no returns at the operator's cost."""
    address = world.create()
    world.send(address, 100)
    world.pass_time(30)
    [kept] = world.deposits()
    assert kept.state is S.KEPT
    return_deposit(world.services, world.caller, kept.id)
    world.pass_time(60)
    assert (world.states(), world.recovered()) == ([S.RETURNING], 0)
    return_deposit(world.services, world.operator, kept.id)
    world.pass_time(60)
    assert (world.states(), world.recovered()) == ([S.RETURNED], 100)

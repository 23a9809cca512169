"""The sandbox's clock: it follows the machine, can be moved and stopped, and is shared."""

from datetime import UTC, datetime

import pytest

from crossway.domain.errors import InvalidInput
from tests.simulation import START, Simulation


def at(seconds: float) -> datetime:
    return datetime.fromtimestamp(START + seconds, UTC)


def test_it_follows_the_machine_until_it_is_moved(simulation: Simulation) -> None:
    assert simulation.clock.now() == simulation.clock.machine() == at(0)
    simulation.pass_time(5)
    assert simulation.clock.now() == at(5)
    simulation.sandbox.advance(3600)
    assert simulation.clock.now() == at(3605)
    assert simulation.clock.machine() == at(5)
    assert simulation.sandbox.clock() == (3600.0, False)


def test_a_stopped_clock_stands_and_goes_on_from_there(simulation: Simulation) -> None:
    simulation.sandbox.freeze(True)
    simulation.pass_time(100)
    assert simulation.clock.now() == at(0)
    assert simulation.sandbox.clock() == (-100.0, True)
    simulation.sandbox.freeze(False)
    assert simulation.clock.now() == at(0)
    simulation.pass_time(7)
    assert simulation.clock.now() == at(7)


def test_a_stopped_clock_can_be_moved(simulation: Simulation) -> None:
    simulation.sandbox.freeze(True)
    simulation.sandbox.advance(60)
    assert simulation.clock.now() == at(60)
    simulation.sandbox.freeze(False)
    simulation.pass_time(1)
    assert simulation.clock.now() == at(61)


def test_stopping_twice_is_stopping_once(simulation: Simulation) -> None:
    simulation.sandbox.freeze(True)
    simulation.pass_time(10)
    simulation.sandbox.freeze(True)
    assert simulation.clock.now() == at(0)


@pytest.mark.parametrize("seconds", [-1, float("nan"), float("inf")])
def test_it_is_only_moved_forward(simulation: Simulation, seconds: float) -> None:
    with pytest.raises(InvalidInput):
        simulation.sandbox.advance(seconds)


def test_another_process_follows_a_move(simulation: Simulation) -> None:
    simulation.sandbox.advance(3600)
    other = simulation.reopen()
    assert other.clock.now() == at(3600)
    other.close()


def test_every_chain_moves_with_the_clock(simulation: Simulation) -> None:
    chain = simulation.chain()
    before = chain.heads()
    simulation.sandbox.advance(3600)
    after = chain.heads()
    assert after.height == before.height + 3600
    assert (after.time - before.time).total_seconds() == 3600


def test_a_chain_neither_goes_back_nor_stops_when_the_machine_is_set_back(
    simulation: Simulation,
) -> None:
    chain = simulation.chain()
    simulation.pass_time(7200)
    before = chain.heads()
    simulation.pass_time(-3600)
    assert chain.heads() == before
    simulation.sandbox.deposit(chain.id, chain.accounts.treasury, "a token", 1)
    simulation.pass_time(5)
    after = chain.heads()
    assert after.height == before.height + 1 + 5
    assert after.time == before.time

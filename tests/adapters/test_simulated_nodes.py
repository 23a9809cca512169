"""Simulated nodes that leave deposits out or report a head far ahead, and who believes them."""

from dataclasses import replace

import pytest

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.domain.deposits import IncomingTransfer
from crossway.ports.chain import Cursor
from crossway.ports.sandbox import Faults
from tests.simulation import AddressWatch, Simulation, dollars, wallet


def lie(simulation: Simulation, what: str) -> None:
    simulation.sandbox.inject_faults("BASE_MAINNET", Faults(lie=what))


def deposit(simulation: Simulation, units: int) -> None:
    chain = simulation.chain()
    simulation.sandbox.deposit(chain.id, wallet(chain), dollars(), units)


def watch(
    simulation: Simulation, chain: SimulatedChain, cursor: Cursor, seconds: int, step: float = 1.0
) -> tuple[list[IncomingTransfer], Cursor]:
    """What scans find in this time, one after another."""
    found: list[IncomingTransfer] = []
    for _ in range(int(seconds / step)):
        simulation.pass_time(step)
        scan = chain.scan(cursor, AddressWatch(wallet(chain)))
        found, cursor = [*found, *scan.incoming], scan.cursor
    return found, cursor


def start(simulation: Simulation) -> tuple[SimulatedChain, Cursor]:
    simulation.pass_time(1)
    chain = simulation.chain()
    return chain, chain.scan(None, AddressWatch()).cursor


def test_a_log_that_one_node_misses_is_found_when_its_block_is_read_again(
    simulation: Simulation,
) -> None:
    chain, cursor = start(simulation)
    lie(simulation, "missed_logs")
    deposit(simulation, 5)
    found, cursor = watch(simulation, chain, cursor, 4)
    assert found == []
    assert [transfer.amount for transfer in chain.transfers_to([wallet(chain)])] == [5]
    found, cursor = watch(simulation, chain, cursor, 40)
    assert [transfer.amount for transfer in found] == [5]
    assert list(chain.verify_inclusion(found)) == [True]
    assert watch(simulation, chain, cursor, 40)[0] == []


@pytest.mark.parametrize("step", [1, 50])
def test_what_a_node_missed_is_found_after_it_tells_the_truth_again(
    simulation: Simulation, step: float
) -> None:
    chain, cursor = start(simulation)
    lie(simulation, "missed_logs")
    deposit(simulation, 5)
    found, cursor = watch(simulation, chain, cursor, 2)
    lie(simulation, "")
    deposit(simulation, 7)
    later, cursor = watch(simulation, chain, cursor, 100, step)
    assert sorted(transfer.amount for transfer in [*found, *later]) == [5, 7]


def test_a_new_process_reads_again_what_a_node_missed(simulation: Simulation) -> None:
    chain, cursor = start(simulation)
    lie(simulation, "missed_logs")
    deposit(simulation, 5)
    found, cursor = watch(simulation, chain, cursor, 2)
    other = simulation.reopen()
    later, _ = watch(other, other.chain(), cursor, 40)
    other.close()
    assert [transfer.amount for transfer in [*found, *later]] == [5]


def test_what_no_node_reports_is_seen_in_the_balance_alone(simulation: Simulation) -> None:
    chain, cursor = start(simulation)
    lie(simulation, "no_logs")
    deposit(simulation, 5)
    found, cursor = watch(simulation, chain, cursor, 80)
    assert found == []
    assert list(chain.transfers_to([wallet(chain)])) == []
    assert chain.agreed_balances([wallet(chain)], dollars()) == {wallet(chain): 5}
    lie(simulation, "")
    assert [transfer.amount for transfer in chain.transfers_to([wallet(chain)])] == [5]


@pytest.mark.parametrize(
    ("what", "sentence"),
    [
        ("time_ahead", "node 1 reports the time 2026-11-19 11:06:41 UTC, ahead of this machine's"),
        ("height_ahead", "node 1 reports block 1,001,000, but the nodes that must agree have"),
    ],
)
def test_a_head_that_one_node_reports_far_ahead_does_not_count_and_is_told(
    simulation: Simulation, what: str, sentence: str
) -> None:
    simulation.pass_time(1)
    chain = simulation.chain()
    before = chain.heads()
    assert before.doubts == ()
    lie(simulation, what)
    during = chain.heads()
    assert replace(during, doubts=()) == before
    [doubt] = during.doubts
    assert doubt.startswith(sentence)
    lie(simulation, "")
    assert chain.heads() == before

"""A node of another chain is a cause of its own, whether the others suffice or not."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from crossway.adapters.chains.simulated.chain import SimulatedChain
from crossway.engine.loop import Engine
from crossway.ports.chain import ChainHead
from crossway.ports.sandbox import Faults
from crossway.usecases.operating.overview import ChainProblem, list_chain_statuses
from tests.harness import Harness

BASE = "BASE_MAINNET"


class OneNodeOfAnotherChain(SimulatedChain):
    """A chain of which one node serves another chain, while the others suffice."""

    wrong_chains = ("node 1 has chain 1 and not 8453",)

    def heads(self) -> ChainHead:
        return replace(super().heads(), wrong_chains=self.wrong_chains)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=(BASE, "ARBITRUM_MAINNET"))
    yield built
    built.store.close()


def alerts(world: Harness) -> list[tuple[str, str, str]]:
    with world.store.read() as unit:
        return sorted((a.key, a.kind, a.message) for a in unit.alerts.list_active())


def test_a_chain_whose_nodes_serve_another_one_is_not_called_silent(world: Harness) -> None:
    world.pass_time(2)
    world.sandbox.inject_faults(BASE, Faults(lie="chain_id"))
    world.pass_time(2)
    [(key, kind, message)] = alerts(world)
    assert (key, kind) == (f"wrong_chain:{BASE}", "wrong_chain")
    assert message.startswith("Base answers with chain id")
    # The nodes are silent now, which is another cause.
    world.sandbox.inject_faults(BASE, Faults(lie="", outage_seconds=60))
    world.pass_time(2)
    assert [(key, kind) for key, kind, _ in alerts(world)] == [(f"unreachable:{BASE}", "chain")]
    world.pass_time(120, 10)
    assert alerts(world) == []


def test_one_node_of_another_chain_is_told_of_while_the_others_suffice(world: Harness) -> None:
    chain = OneNodeOfAnotherChain(world.network, BASE)
    services = replace(world.services, chains={**world.services.chains, BASE: chain})
    engine = Engine(services, "one", sole=True)
    engine.tick()
    assert alerts(world) == [
        (
            f"misplaced:{BASE}",
            "wrong_chain",
            "Base has a node of another chain, which is not used: node 1 has chain 1 and not 8453",
        )
    ]
    [status] = [status for status in list_chain_statuses(services) if status.chain == BASE]
    assert (status.cause, status.height is None) == (ChainProblem.WRONG_CHAIN, False)
    chain.wrong_chains = ()
    world.machine.seconds += 1
    engine.tick()
    assert alerts(world) == []

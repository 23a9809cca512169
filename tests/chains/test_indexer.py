"""An indexer beside an engine on real chains: one finds deposits, the other goes on from there."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.rpc.block_scan import QueryLimits
from crossway.domain.deposits import DepositPurpose, DepositState
from crossway.domain.intent import Intent, State
from crossway.engine.indexer_loop import IndexerLoop
from tests.chains.anvil import Anvil
from tests.chains.front import FORGING, HONEST, Front
from tests.chains.live import ARBITRUM, BASE, LiveWorld, paid, write_profile
from tests.harness import ManualClock

LEASE_SECONDS = 15


@pytest.fixture
def front(chains: dict[str, Anvil]) -> Iterator[Front]:
    made = Front(chains[BASE])
    yield made
    made.close()


@pytest.fixture
def world(tmp_path: Path, chains: dict[str, Anvil], front: Front) -> Iterator[LiveWorld]:
    urls = {BASE: [front.url], ARBITRUM: [chains[ARBITRUM].url]}
    made = LiveWorld(tmp_path, chains, write_profile(tmp_path, urls, fast=3))
    yield made
    made.close()


def states(world: LiveWorld, intent: Intent) -> list[DepositState]:
    with world.services.store.read() as unit:
        return [deposit.state for deposit in unit.deposits.list_by_intents([intent.id])]


def logs_asked(front: Front) -> int:
    return Counter(front.methods)["eth_getLogs"]


def test_the_engine_leaves_deposits_to_an_indexer_and_takes_them_over_when_it_is_gone(
    world: LiveWorld, chains: dict[str, Anvil], front: Front
) -> None:
    seconds = ManualClock(0.0)
    indexer = IndexerLoop(world.services, "indexer", seconds)
    indexer.tick()
    # It sees the leases when it renews its own, for the first time now.
    world.engine.tick()
    first, second = world.pay(), world.pay("two")
    world.deposit(first)
    asked = logs_asked(front)
    world.engine.tick()
    assert (states(world, first), logs_asked(front)) == ([], asked)
    assert indexer.tick() == 1
    assert states(world, first) == [DepositState.SEEN]
    # Nothing is left to be found at this head.
    assert indexer.tick() == 0
    world.ends(first, State.COMPLETED)
    world.settled(first)
    assert world.held(first) == paid(first)
    indexer.stop()
    world.engine._leases.lost()
    world.deposit(second)
    world.ends(second, State.COMPLETED)


def test_what_an_indexer_found_in_a_block_that_is_replaced_is_taken_back(
    world: LiveWorld, chains: dict[str, Anvil]
) -> None:
    indexer = IndexerLoop(world.services, "indexer", ManualClock(0.0))
    intent = world.pay()
    indexer.tick()
    chains[BASE].mine()
    indexer.tick()
    world.deposit(intent)
    assert indexer.tick() == 1
    chains[BASE].sent.clear()
    chains[BASE].reorganise(1)
    chains[BASE].mine()
    indexer.tick()
    assert states(world, intent) == [DepositState.ORPHANED]
    # The same transaction, in another block.
    world.deposit(intent)
    indexer.tick()
    assert states(world, intent) == [DepositState.SEEN]
    world.ends(intent, State.COMPLETED)


def test_a_transfer_that_a_node_reports_twice_is_stored_once(
    world: LiveWorld, chains: dict[str, Anvil], front: Front
) -> None:
    indexer = IndexerLoop(world.services, "indexer", ManualClock(0.0))
    intent = world.pay()
    indexer.tick()
    tx_hash = world.deposit(intent)
    front.forged = chains[BASE].rpc("eth_getTransactionReceipt", tx_hash)["logs"]
    front.mood = FORGING
    indexer.tick()
    assert states(world, intent) == [DepositState.SEEN]
    front.mood = HONEST
    indexer.stop()
    world.ends(intent, State.COMPLETED)
    world.settled(intent)
    assert world.held(intent) == paid(intent)


def test_who_pays_on_the_wrong_chain_is_found_among_very_many(world: LiveWorld) -> None:
    intent = world.pay()
    for name in ("two", "three"):
        world.pay(name, ARBITRUM, BASE)
    chain = world.services.chains[ARBITRUM]
    assert isinstance(chain, EvmChain)
    # As if no query could name both.
    chain.context.limits = QueryLimits(2_000, 1)
    world.step()
    world.hands[ARBITRUM].pay(intent.address, 5_000_000)

    def purposes() -> list[DepositPurpose | None]:
        with world.services.store.read() as unit:
            return [one.purpose for one in unit.deposits.list_by_intents([intent.id])]

    world.until(lambda: purposes() == [DepositPurpose.WRONG_CHAIN])


def test_two_at_once_store_a_deposit_once(world: LiveWorld) -> None:
    indexer = IndexerLoop(world.services, "indexer", ManualClock(0.0))
    # Before the engine knows of the indexer, both look.
    world.engine.tick()
    indexer.tick()
    intent = world.pay()
    world.deposit(intent)
    assert world.engine._indexer.scan(world.engine._head_reader.read([BASE])) == 1
    assert indexer.tick() == 0
    world.ends(intent, State.COMPLETED)
    assert states(world, intent) == [DepositState.CREDITED]

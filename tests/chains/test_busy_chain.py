"""A chain with very many transfers: how much of it a scan asks a node for at once."""

from collections.abc import Iterator

import pytest

from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.family import EvmFamily
from crossway.adapters.chains.evm.logs import LARGE_BYTES
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Cursor
from tests.chains import anvil
from tests.chains.busy_node import CHAIN, BusyNode, block_hash, watched_address
from tests.conformance.networks import settings
from tests.simulation import AddressWatch

PER_BLOCK, EVERY, WATCHED = 500, 50, 1_000
LOG_BYTES = 600
WATCH = AddressWatch(*map(watched_address, range(WATCHED)))


@pytest.fixture
def node() -> Iterator[BusyNode]:
    made = BusyNode(PER_BLOCK, EVERY, WATCHED, patterns=20)
    yield made
    made.answers.set()
    made.close()


@pytest.fixture
def chain(node: BusyNode) -> Iterator[EvmChain]:
    profile = ChainProfile(
        rpc=[node.url], key="env:KEY", treasury=anvil.TREASURY, poll_seconds=0, clock_seconds=1e9,
        timeout_seconds=1,
    )  # fmt: skip
    opened = EvmFamily().open_chain(settings(CHAIN, profile, KEY=anvil.RELAYER_KEY)).chain
    yield opened
    opened.close()


def cursor(node: BusyNode, blocks: int) -> Cursor:
    """So many blocks below the newest."""
    height = node.height - blocks
    return Cursor(height, block_hash(height))


def test_a_long_way_is_scanned_in_ranges_that_a_node_answers(
    node: BusyNode, chain: EvmChain
) -> None:
    node.most_blocks = 100
    at, found = cursor(node, 380), []
    while at.height < node.height:
        scan = chain.scan(at, WATCH)
        at = scan.cursor
        found += scan.incoming
    heights = [h for h in range(node.height - 379, node.height + 1) if h % EVERY == 0]
    assert [transfer.block_height for transfer in found] == heights
    expected = [watched_address(height // EVERY % WATCHED) for height in heights]
    assert [transfer.to.lower() for transfer in found] == expected
    # Refused until it is small enough.
    assert node.ranges[:3] == [380, 190, 95]


def test_after_a_long_answer_less_is_asked_for(node: BusyNode, chain: EvmChain) -> None:
    blocks = 2 * LARGE_BYTES // (PER_BLOCK * LOG_BYTES)
    chain.scan(cursor(node, blocks), WATCH)
    assert node.ranges[0] == blocks
    node.ranges.clear()
    chain.scan(cursor(node, blocks), WATCH)
    # Half, and a little more after a success.
    assert blocks // 2 <= node.ranges[0] < blocks * 2 // 3


def test_after_an_answer_that_took_too_long_less_is_asked_for(
    node: BusyNode, chain: EvmChain
) -> None:
    usual = chain.context.limits.blocks
    node.answers.clear()
    with pytest.raises(Unreachable, match="ReadTimeout"):
        chain.scan(cursor(node, 1), WATCH)
    node.answers.set()
    assert chain.context.limits.blocks == usual // 2

"""What all families of live chains share: scanning after a reorg, and following transactions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from crossway.adapters.chains.rpc.block_scan import BlockHashes, QueryLimits
from crossway.adapters.chains.rpc.chain_context import NodeParams
from crossway.adapters.chains.rpc.deposit_scan import BlockScanner
from crossway.adapters.chains.rpc.tx_sender import FeeCache, NonceTxSender
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.errors import Unreachable
from crossway.ports.address_filter import AddressFilter
from crossway.ports.chain import (
    ChainHead,
    Cursor,
    IncludedTx,
    Scan,
    SignedTx,
    TxNotFound,
    TxPending,
)
from crossway.ports.chain_calls import CallCosts
from tests.simulation import AddressWatch

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OURS, CHAIN = "relayer", "BASE_MAINNET"


class Pool:
    """A pool whose nodes answer what they are given, each in place of its session."""

    def __init__(self, *answers: Any) -> None:
        self.answers = answers or (None,)

    def first(self, task: Callable[[Any], Any]) -> Any:
        return task(self.answers[0])

    @property
    def quorum_size(self) -> int:
        return len(self.answers)

    def quorum(self, task: Callable[[Any], Any]) -> list[Any]:
        return [task(answer) for answer in self.answers]

    def gather(self, task: Callable[[Any], Any], suffices: Any) -> tuple[list[Any], list[str]]:
        return self.quorum(task), []


def context(*answers: Any) -> Any:
    return SimpleNamespace(
        pool=Pool(*answers),
        chain=SimpleNamespace(id=CHAIN, block_time_seconds=2.0),
        params=NodeParams(batch_size=2),
        accounts=SimpleNamespace(relayer=OURS),
        limits=QueryLimits(100, 100),
        block_hashes=BlockHashes(),
    )


@dataclass
class Block:
    height: int
    hash: str
    time: datetime = NOW


class Blocks(BlockScanner[Any]):
    """A chain with a transfer in each block; `hashes` are those of the chain as it is now."""

    def __init__(self, height: int, replaced_from: int = 100) -> None:
        super().__init__(context())
        self.hashes = {
            h: f"new {h}" if h >= replaced_from else f"old {h}" for h in range(height + 1)
        }

    def head(self, finalized: int) -> ChainHead:
        height = max(self.hashes)
        return ChainHead(height, self.hashes[height], NOW, finalized)

    def know(self, *heights: int) -> None:
        for height in heights:
            self._context.block_hashes.remember(Block(height, f"old {height}"))

    def known(self) -> dict[int, str]:
        hashes: dict[int, str] = self._context.block_hashes.by_height
        return hashes

    def _scan_range(
        self, session: Any, head: ChainHead, after: Cursor, watch: AddressFilter
    ) -> Scan | None:
        if self.hashes[after.height] != after.block_hash:
            return None
        heights = range(after.height + 1, head.height + 1)
        transfers = [
            IncomingTransfer(CHAIN, f"tx {h}", 0, h, self.hashes[h], "token", "a", "mine", 1, NOW)
            for h in heights
        ]
        return Scan(transfers, Cursor(head.height, head.block_hash), None)

    def _read_transfers(self, session: Any, first: int, last: int, watch: Any) -> Any:
        raise NotImplementedError

    def _search_range(self, session: Any, first: int, head: ChainHead, to: Any) -> Any:
        raise NotImplementedError

    def _read_blocks(self, session: Any, heights: set[int]) -> Mapping[int, Block]:
        return {height: Block(height, self.hashes[height]) for height in heights}

    def _verify(self, session: Any, incoming: Any) -> Any:
        raise NotImplementedError


def test_a_replaced_cursor_is_scanned_again_from_the_last_common_block() -> None:
    blocks = Blocks(height=9, replaced_from=7)
    blocks.know(4, 5, 6, 7, 8)
    scan = blocks.scan(blocks.head(finalized=3), Cursor(8, "old 8"), AddressWatch("mine"))
    assert scan.reorged_from == 7
    assert [transfer.block_height for transfer in scan.incoming] == [7, 8, 9]
    assert scan.cursor == Cursor(9, "new 9")
    assert blocks.known() == {h: f"old {h}" for h in (4, 5, 6)}


def test_without_a_known_block_the_final_one_is_the_last_common_block() -> None:
    blocks = Blocks(height=9, replaced_from=7)
    blocks.know(7, 8)
    scan = blocks.scan(blocks.head(finalized=3), Cursor(8, "old 8"), AddressWatch("mine"))
    assert scan.reorged_from == 4
    assert [transfer.block_height for transfer in scan.incoming] == [4, 5, 6, 7, 8, 9]


def test_a_cursor_below_the_final_block_is_replaced_by_the_block_before_it() -> None:
    blocks = Blocks(height=9, replaced_from=8)
    scan = blocks.scan(blocks.head(finalized=9), Cursor(8, "old 8"), AddressWatch("mine"))
    assert scan.reorged_from == 8
    assert [transfer.block_height for transfer in scan.incoming] == [8, 9]


def test_a_node_below_the_cursor_is_no_answer() -> None:
    blocks = Blocks(height=9)
    with pytest.raises(Unreachable, match="the node is behind: block 9 after 10"):
        blocks.scan(blocks.head(finalized=3), Cursor(10, "old 10"), AddressWatch("mine"))


@dataclass
class Node:
    """What a node says about the relayer and its transactions."""

    nonce: int = 0
    final_nonce: int = 0
    known: set[str] = field(default_factory=set)

    def batch(self, requests: Sequence[Any]) -> list[Any]:
        return list(requests)


class Sender(NonceTxSender[Any, Any]):
    """Signs by the nonce alone; every node rejects what it is sent."""

    signed = 0

    def _read_fee(self, session: Node) -> int:
        raise NotImplementedError

    def _read_call_costs(self, session: Any) -> CallCosts:
        return CallCosts(session.nonce, 10 - session.nonce, 3, 4, 5, session.nonce + 6)

    def _read_nonce(self, session: Any, account: str) -> int:
        return int(session.nonce)

    def _read_final_nonce(self, session: Any, finalized: int) -> int:
        return int(session.final_nonce)

    def _sign(self, calls: Sequence[Any], fee_units: int) -> Sequence[SignedTx]:
        self.signed += len(calls)
        return [SignedTx(f"tx {nonce}", b"", nonce, fee_units) for _, nonce in calls]

    def _submit_request(self, transaction: SignedTx) -> Any:
        return transaction

    def _submission_error(self, result: Any, transaction: SignedTx) -> str:
        return f"{transaction.tx_id} is refused"

    def _read_known(self, session: Any, tx_ids: list[str]) -> set[str]:
        return session.known & set(tx_ids)

    def _read_included(self, session: Any, tx_ids: list[str]) -> Mapping[str, IncludedTx | None]:
        return {}

    def _read_unincluded(self, session: Any, tx_ids: list[str], height: int) -> Any:
        return {tx_id: TxPending() for tx_id in session.known & set(tx_ids)}


def sender(*nodes: Node) -> Sender:
    heads = SimpleNamespace(heads=lambda: ChainHead(9, "hash", NOW, 3))
    return Sender(context(*nodes), heads)


def call(account: str = OURS, chain: str = CHAIN) -> Any:
    return SimpleNamespace(account=account, chain=chain)


def signed(*nonces: int) -> list[SignedTx]:
    return [SignedTx(f"tx {nonce}", b"", nonce, 1, OURS) for nonce in nonces]


@pytest.mark.parametrize("nonces", [(5, 7), (7, 5)])
def test_the_lowest_nonce_of_the_quorum_is_next(nonces: tuple[int, int]) -> None:
    assert sender(*(Node(nonce=nonce) for nonce in nonces)).next_nonce(OURS) == 5


def test_the_highest_costs_of_the_quorum_are_charged() -> None:
    """The stand-in takes a start's cost from the nonce, and a fill's from what is left to ten."""
    found = sender(*(Node(nonce=nonce) for nonce in (2, 9))).call_costs()
    assert found == CallCosts(start=9, fill=8, settle=3, refund=4, send=5, deliver=15)


@pytest.mark.parametrize("other", [call(account="thief"), call(chain="BASE_TESTNET")])
def test_nothing_is_signed_for_another_account_or_chain(other: Any) -> None:
    ours = sender(Node())
    with pytest.raises(ValueError, match="is not an account of BASE_MAINNET"):
        ours.sign([(call(), 0), (other, 1)], 1)
    assert ours.signed == 0


def test_a_node_that_has_the_transaction_has_not_refused_it() -> None:
    errors = sender(Node(known={"tx 1"})).broadcast(signed(0, 1, 2))
    assert list(errors) == ["tx 0 is refused", "", "tx 2 is refused"]


@pytest.mark.parametrize("by_signing", [True, False])
def test_only_a_transaction_whose_nonce_is_used_for_good_was_dropped(by_signing: bool) -> None:
    ours = sender(Node(final_nonce=2, known={"tx 0"}))
    if by_signing:
        ours.sign([(call(), nonce) for nonce in range(3)], 1)
    else:
        ours.broadcast(signed(0, 1, 2))
    assert ours.status(["tx 0", "tx 1", "tx 2", "tx of another process"]) == {
        "tx 0": TxPending(),
        "tx 1": TxNotFound(dropped=True),
        "tx 2": TxNotFound(dropped=False),
        "tx of another process": TxNotFound(dropped=False),
    }


@pytest.mark.parametrize(("seconds", "expected"), [(3_600.0, [7, 7]), (0.0, [7, 9])])
def test_a_fee_is_read_again_once_it_is_too_old(seconds: float, expected: list[int]) -> None:
    cache, fees = FeeCache(seconds), iter([7, 9])
    assert [cache.get(lambda: next(fees)) for _ in range(2)] == expected

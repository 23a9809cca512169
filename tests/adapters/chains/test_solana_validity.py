"""How long what is signed on Solana can land: a blockhash's age, and when a transaction is gone."""

import base64
from types import SimpleNamespace
from typing import Any

import pytest

from crossway.adapters.chains.rpc.block_scan import BlockHashes
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.rpc.head_tracker import HeadPolicy
from crossway.adapters.chains.solana.head_tracker import SolanaHeadTracker
from crossway.adapters.chains.solana.pdas import SYSTEM
from crossway.adapters.chains.solana.tx_sender import SolanaTxSender
from crossway.adapters.chains.solana.watched_accounts import DepositMemory
from crossway.domain.errors import Unreachable
from crossway.ports.chain import SignedTx, TxNotFound

AGE, FINAL_SLOT, FINAL_HEIGHT = 30.0, 200, 100
CLOCK_DATA = base64.b64encode(bytes(32) + (1_767_225_600).to_bytes(8, "little")).decode()
CLOCK = {"lamports": 1, "owner": SYSTEM, "data": [CLOCK_DATA, "base64"]}


class Node:
    """A node that has no transaction of ours; `slot` is how far its list of them goes."""

    slot = FINAL_SLOT
    name, quorum_size = "a node", 1

    def first(self, task: Any) -> Any:
        return task(self)

    def quorum(self, task: Any) -> list[Any]:
        return [task(self)]

    def calls_by_node(self) -> list[int]:
        return [0]

    def seconds_worth(self, calls_before: Any) -> float:
        return 0.0

    def wrong_chains(self) -> tuple[str, ...]:
        return ()

    def gather(self, task: Any, suffices: Any) -> tuple[list[Any], list[str]]:
        return [task(self)], []

    def call(self, *requests: RpcRequest) -> list[Any]:
        return [self.answer(request) for request in requests]

    def batch(self, requests: list[RpcRequest]) -> list[Any]:
        return self.call(*requests)

    def answer(self, request: RpcRequest) -> Any:
        match request.method:
            case "getLatestBlockhash":
                value: Any = {"blockhash": "hash", "lastValidBlockHeight": 150}
            case "getMultipleAccounts":
                value = [CLOCK]
            case "getSlot":
                return FINAL_SLOT
            case "getEpochInfo":
                return {"blockHeight": FINAL_HEIGHT, "absoluteSlot": FINAL_SLOT}
            case "getSignatureStatuses":
                # The first question is answered by a machine that has seen the newest block.
                value, slot = [None] * len(request.params[0]), self.slot
                if len(request.params[0]) == 3:
                    slot = FINAL_SLOT
                return {"context": {"slot": slot}, "value": value}
            case method:
                raise AssertionError(method)
        return {"context": {"slot": FINAL_SLOT}, "value": value}


@pytest.fixture
def node() -> Node:
    return Node()


@pytest.fixture
def context(node: Node) -> Any:
    depth = SimpleNamespace(finalized=32)
    return SimpleNamespace(
        pool=node,
        chain=SimpleNamespace(id="SOLANA_MAINNET", block_time_seconds=0.4, confirmations=depth),
        params=SimpleNamespace(hash_seconds=AGE, behind=20, again_seconds=2.0),
        accounts=SimpleNamespace(relayer=SYSTEM),
        block_hashes=BlockHashes(),
    )


def test_a_blockhash_that_is_too_old_is_not_signed_with(context: Any) -> None:
    tracker = SolanaHeadTracker(context, HeadPolicy())
    with pytest.raises(Unreachable, match="no recent blockhash"):
        tracker.recent()
    tracker.heads()
    assert (tracker.recent().block_hash, tracker.recent().last_height) == ("hash", 150)
    # Older than a negative age: every blockhash is.
    context.params.hash_seconds = -1.0
    with pytest.raises(Unreachable, match="no recent blockhash"):
        tracker.recent()


@pytest.mark.parametrize(("slot", "gone"), [(FINAL_SLOT, True), (FINAL_SLOT - 1, False)])
def test_a_transaction_is_gone_only_once_its_time_is_over_for_a_machine_that_is_not_behind(
    node: Node, context: Any, slot: int, gone: bool
) -> None:
    sender = SolanaTxSender(context, SolanaHeadTracker(context, HeadPolicy()), DepositMemory())
    # Stored bytes begin with the last height at which a transaction can land, in eight bytes.
    last_heights = {"over": FINAL_HEIGHT - 1, "at its end": FINAL_HEIGHT}
    sender._remember(
        [SignedTx(name, height.to_bytes(8, "big"), 0, 1) for name, height in last_heights.items()]
    )
    node.slot = slot
    assert sender.status(["over", "at its end", "of another process"]) == {
        "over": TxNotFound(dropped=gone),
        "at its end": TxNotFound(dropped=False),
        "of another process": TxNotFound(dropped=False),
    }

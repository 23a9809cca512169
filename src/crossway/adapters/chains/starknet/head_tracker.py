"""The newest accepted and the final block of a Starknet chain."""

from collections.abc import Sequence
from typing import Any

from crossway.adapters.chains.rpc.client import RpcError
from crossway.adapters.chains.rpc.head_tracker import HeadTracker
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.starknet.chain_context import ChainContext, block_request
from crossway.adapters.chains.starknet.rpc_schemas import parse_block
from crossway.domain.errors import Unreachable
from crossway.ports.chain import ChainHead


class StarknetHeadTracker(HeadTracker):
    """Reads `latest`, and `l1_accepted` where final means accepted on L1."""

    def __init__(self, context: ChainContext, poll_seconds: float | None = None) -> None:
        super().__init__(context.chain, context.pool, poll_seconds)
        self._context = context

    def _read(self, session: RpcSession) -> ChainHead:
        requests = [block_request("latest")]
        if self._context.params.l1_finality:
            requests.append(block_request("l1_accepted"))
        results = session.batch(requests)
        if isinstance(results[0], RpcError):
            raise Unreachable(f"the node returned an error: {results[0].message}")
        newest = parse_block(results[0])
        final = self._finalized(newest.height, _l1_accepted_height(results[1:]))
        self._context.block_hashes.remember(newest)
        return ChainHead(newest.height, newest.hash, newest.time, final)


def _l1_accepted_height(results: Sequence[Any]) -> int | None:
    """The height accepted on L1; 0 where there is none yet, None where it was not requested."""
    if not results or results[0] is None:
        return None
    return 0 if isinstance(results[0], RpcError) else parse_block(results[0]).height

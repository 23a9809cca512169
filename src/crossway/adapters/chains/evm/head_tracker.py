"""The newest and the final block of an EVM chain."""

from crossway.adapters.chains.evm.chain_context import ChainContext, block_request
from crossway.adapters.chains.evm.rpc_schemas import Block, parse_block
from crossway.adapters.chains.rpc.head_tracker import HeadTracker
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.ports.chain import ChainHead


class EvmHeadTracker(HeadTracker):
    """Reads `latest`, and `finalized` where nodes know it; keeps both blocks as read last."""

    def __init__(self, context: ChainContext, poll_seconds: float | None = None) -> None:
        super().__init__(context.chain, context.pool, poll_seconds)
        self._context = context
        self.newest: Block | None = None
        self.final: Block | None = None

    def _read(self, session: RpcSession) -> ChainHead:
        requests = [block_request("latest")]
        if self._context.params.finalized_tag:
            requests.append(block_request("finalized"))
        results = session.call(*requests)
        newest = parse_block(results[0])
        known = len(results) > 1 and results[1] is not None
        reported = parse_block(results[1]) if known else None
        final = self._finalized(newest.height, None if reported is None else reported.height)
        self.newest, self.final = newest, reported or self.final
        self._context.block_hashes.remember(newest)
        return ChainHead(newest.height, newest.hash, newest.time, final)

"""Deposits that somebody reclaimed from the escrow: its states, and its events."""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from typing import Final

from crossway.adapters.chains.evm.abi import TOKENS_MOVED, decode
from crossway.adapters.chains.evm.calldata import call_request, spent_call
from crossway.adapters.chains.evm.chain_context import ChainContext, block_request
from crossway.adapters.chains.evm.give_backs import is_give_back
from crossway.adapters.chains.evm.logs import fetch_events
from crossway.adapters.chains.evm.rpc_schemas import parse_block, parse_data
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.domain.errors import Unreachable

_RECLAIMED: Final = 2
# The kind of a transfer that returns a deposit, as a topic.
_GIVE_BACK: Final = f"0x{8:064x}"
# A block may be older than its usual distance from the newest one says.
_SPARE_BLOCKS: Final = 1_000


def find_reclaims(
    context: ChainContext, intent_hashes: Collection[str], since: datetime
) -> Mapping[str, str]:
    """By intent hash, the transaction that reclaimed its deposit after `since`; empty where none is
    found. Raises `Unreachable`, also where the nodes that must agree do not."""
    ordered = sorted(intent_hashes)

    def read(session: RpcSession) -> dict[str, str]:
        reclaimed = _read_reclaimed(context, session, ordered)
        return _find_transactions(context, session, reclaimed, since) if reclaimed else {}

    first, *others = context.pool.quorum(read)
    if any(other != first for other in others):
        raise Unreachable("the nodes disagree on what was reclaimed")
    return first


def _read_reclaimed(
    context: ChainContext, session: RpcSession, intent_hashes: list[str]
) -> list[str]:
    call = spent_call(context.deployment.escrow2, intent_hashes)
    what = "what became of deposits"
    result = session.call(call_request(call))[0]
    (states,) = decode(["uint8[]"], parse_data(result, what), what)
    if len(states) != len(intent_hashes):
        raise MalformedResponse(f"the node did not return {what}")
    return [key for key, state in zip(intent_hashes, states, strict=True) if state == _RECLAIMED]


def _find_transactions(
    context: ChainContext, session: RpcSession, reclaimed: list[str], since: datetime
) -> dict[str, str]:
    newest = parse_block(session.call(block_request("latest"))[0])
    seconds = max((datetime.now(UTC) - since).total_seconds(), 0)
    blocks = int(seconds / context.chain.block_time_seconds) + _SPARE_BLOCKS
    log_filter = {
        "address": context.deployment.escrow2,
        "topics": [TOKENS_MOVED.topic, reclaimed, None, _GIVE_BACK],
    }
    first = max(newest.height - blocks, 0)
    logs = fetch_events(session, context.limits, log_filter, first, newest.height)
    found = {log.topics[1]: log.tx_hash for log in logs if is_give_back(context, log)}
    return {intent_hash: found.get(intent_hash, "") for intent_hash in reclaimed}

"""Token transfers from eth_getLogs: of some recipients, or of all; less where a node objects."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from crossway.adapters.chains.addresses import SHORT_ADDRESS
from crossway.adapters.chains.evm.log_hits import FindWatched, find_hits
from crossway.adapters.chains.evm.rpc_schemas import TRANSFER, Log, parse_log, topic_address
from crossway.adapters.chains.rpc.block_scan import QueryLimits
from crossway.adapters.chains.rpc.client import (
    AnswerTooSlow,
    NodeUnavailable,
    PayloadTooLarge,
    RpcError,
    RpcRequest,
)
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list
from crossway.domain.catalogue import Chain

# How nodes say that a query asks for too much.
_TOO_MUCH = re.compile(
    r"too (many|large|big|wide)|range|limit|exceed|more than|larger|time(d )?out|size|results",
    re.IGNORECASE,
)
_TOO_MUCH_CODES = (-32005, -32614)
# A block may be older than its usual distance from the newest one says.
_SPARE_BLOCKS: Final = 1_000


LARGE_BYTES: Final = 8 * 2**20
"""After a longer answer, some 13,000 logs, less is asked for: a pass waits until it is read."""


@dataclass(frozen=True, slots=True)
class LogQuery:
    """A block range, both ends included, and the recipients as topics; None for all recipients."""

    first: int
    last: int
    to: tuple[str, ...] | None


def address_topic(address: str) -> str:
    """An address as a log topic."""
    return "0x" + address[2:].lower().rjust(64, "0")


def split_query(
    limits: QueryLimits, first: int, last: int, to: Sequence[str] | None
) -> list[LogQuery]:
    """The queries that cover these blocks and recipients within the limits."""
    parts: list[tuple[str, ...] | None] = [None]
    if to is not None:
        size = limits.recipients
        topics = [address_topic(address) for address in to]
        parts = [tuple(topics[start : start + size]) for start in range(0, len(topics), size)]
    return [
        LogQuery(start, min(start + limits.blocks - 1, last), part)
        for start in range(first, last + 1, limits.blocks)
        for part in parts
    ]


def transfers_request(tokens: Collection[str], query: LogQuery) -> RpcRequest:
    """Request the transfers of these tokens."""
    log_filter: dict[str, Any] = {
        "fromBlock": hex(query.first),
        "toBlock": hex(query.last),
        "address": sorted(tokens),
        "topics": [TRANSFER] if query.to is None else [TRANSFER, None, list(query.to)],
    }
    return RpcRequest("eth_getLogs", (log_filter,))


def fetch_transfers(
    session: RpcSession,
    limits: QueryLimits,
    tokens: Collection[str],
    query: LogQuery,
    find_watched: FindWatched | None = None,
) -> list[Log]:
    """The transfers of a query, or where it names no recipients those to watched ones. Where the
    node rejects the query's size, both halves are queried."""
    try:
        content = session.fetch(transfers_request(tokens, query))
    except PayloadTooLarge as error:
        result: Any = RpcError(_TOO_MUCH_CODES[0], str(error))
    except AnswerTooSlow:
        limits.halve()
        raise
    else:
        if find_watched is not None and len(content) > LARGE_BYTES:
            limits.blocks = max(1, (query.last - query.first + 1) // 2)
        hits = None if find_watched is None else find_hits(content, find_watched)
        result = session.parse(content) if hits is None else hits
    if not isinstance(result, RpcError):
        return _parse_transfers(tokens, query, result, find_watched)
    if not _TOO_MUCH.search(result.message) and result.code not in _TOO_MUCH_CODES:
        raise NodeUnavailable(f"the node returned an error: {result.message}")
    logs: list[Log] = []
    for half in _split_in_half(limits, query, result.message):
        logs += fetch_transfers(session, limits, tokens, half, find_watched)
    return logs


def _split_in_half(limits: QueryLimits, query: LogQuery, message: str) -> tuple[LogQuery, LogQuery]:
    first, last, to = query.first, query.last, query.to
    width = last - first + 1
    if width > 1:
        limits.blocks = max(1, min(limits.blocks, width // 2))
        middle = first + width // 2
        return LogQuery(first, middle - 1, to), LogQuery(middle, last, to)
    if to is None or len(to) < 2:
        raise NodeUnavailable(f"the node rejects the smallest query: {message}")
    half = len(to) // 2
    limits.recipients = max(1, min(limits.recipients, half))
    return LogQuery(first, last, to[:half]), LogQuery(first, last, to[half:])


def _parse_transfers(
    tokens: Collection[str], query: LogQuery, result: Any, find_watched: FindWatched | None
) -> list[Log]:
    logs = [parse_log(value) for value in as_list(result, "logs")]
    hashes: dict[int, str] = {}
    for log in logs:
        if not _matches(tokens, query, log):
            raise MalformedResponse("the node returned logs that were not requested")
        if hashes.setdefault(log.height, log.block_hash) != log.block_hash:
            raise MalformedResponse(f"the node has two blocks {log.height}")
    # Transfers of non-fungible tokens have one topic more.
    logs = [log for log in logs if len(log.topics) == 3 and len(log.data) == 32]
    if find_watched is None:
        return logs
    watched = find_watched({_recipient_key(log) for log in logs})
    return [log for log in logs if _recipient_key(log) in watched]


def _recipient_key(log: Log) -> bytes:
    return log.topics[2][-2 * SHORT_ADDRESS :].encode()


def _matches(tokens: Collection[str], query: LogQuery, log: Log) -> bool:
    if not query.first <= log.height <= query.last or log.address not in tokens:
        return False
    if not log.topics or log.topics[0] != TRANSFER:
        return False
    return query.to is None or (len(log.topics) >= 3 and log.topics[2] in query.to)


def fetch_events(
    session: RpcSession, limits: QueryLimits, log_filter: Mapping[str, Any], first: int, last: int
) -> list[Log]:
    """Logs of our own contracts over a block range, in smaller ranges where a node objects."""
    logs: list[Log] = []
    while first <= last:
        end = min(first + limits.blocks - 1, last)
        result = session.batch([events_request(log_filter, first, end)])[0]
        if not isinstance(result, RpcError):
            logs += [parse_log(value) for value in as_list(result, "logs")]
            first = end + 1
        elif first == end or not _TOO_MUCH.search(result.message):
            raise NodeUnavailable(f"the node returned an error: {result.message}")
        else:
            limits.blocks = max(1, (end - first + 1) // 2)
    return logs


def height_since(chain: Chain, newest: int, since: datetime) -> int:
    """A height below which no block is as new as `since`, where the newest block is of now."""
    seconds = max((datetime.now(UTC) - since).total_seconds(), 0)
    return max(newest - int(seconds / chain.block_time_seconds) - _SPARE_BLOCKS, 0)


def events_request(log_filter: Mapping[str, Any], first: int, last: int) -> RpcRequest:
    """Request the logs that match `address` and `topics` over a block range."""
    return RpcRequest(
        "eth_getLogs", ({**log_filter, "fromBlock": hex(first), "toBlock": hex(last)},)
    )


def transfer_recipient(log: Log) -> str:
    """The recipient of a transfer."""
    return topic_address(log.topics[2])

"""Finding what came in: transfers of tokens from block to block, and whether each still stands.

Events say in which transactions something came in; what it was is read from their receipts.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import partial

from crossway.adapters.chains.live import agreement
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection
from crossway.adapters.chains.starknet import rises
from crossway.adapters.chains.starknet.events import (
    Wanted,
    answered,
    fetched,
    few,
    of_receivers,
    of_token,
    question,
)
from crossway.adapters.chains.starknet.ground import Ground, ask_block, ask_receipts, blocks_at
from crossway.adapters.chains.starknet.wire import (
    Block,
    Malformed,
    Receipt,
    Told,
    block,
    receipt,
    transfer_of,
)
from crossway.domain.deposits import Incoming
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Cursor, Heads, Scan, Watch

# With more addresses than this, all transfers of the tokens are read and looked up here.
MOST_ASKED_FOR = 5_000
LOOK_BACK_SECONDS = 2 * 86_400
_MARGIN = 1.25


def scan(ground: Ground, head: Heads, after: Cursor | None, watch: Watch) -> Scan:
    """What came in after a cursor, up to a head."""
    if after is None:
        return Scan([], Cursor(head.height, head.block_hash), None)
    addresses = watch.all()
    found = ground.nodes.one(lambda line: _scan(ground, line, head, after, addresses))
    ground.limits.grow(ground.traits)
    return found


def _scan(ground: Ground, line: Line, head: Heads, after: Cursor, addresses: Sequence[str]) -> Scan:
    if head.height < after.height:
        raise Unreachable(f"the node is behind: block {head.height} after {after.height}")
    first, last = after.height + 1, min(head.height, after.height + ground.limits.blocks)
    wanted = _questions(ground, first, last, addresses) if first <= last and addresses else []
    asked = [question(ground.limits, one) for one in wanted]
    answers = line.tell([ask_block(after.height), ask_block(last), *asked])
    before, end = _header(answers[0], after.height), _header(answers[1], last)
    if before.hash != after.block_hash:
        return _again(ground, line, head, after, addresses)
    events = _events(ground, line, wanted, answers[2:], addresses)
    ground.layouts.learn(events)
    ground.remember(before)
    ground.remember(end)
    incoming = _incoming_of(ground, line, events, set(addresses), {end.height: end})
    return Scan(incoming, Cursor(end.height, end.hash), None)


def _questions(ground: Ground, first: int, last: int, addresses: Sequence[str]) -> list[Wanted]:
    """What to ask for the events of a stretch."""
    if len(addresses) > MOST_ASKED_FOR:
        return [of_token(first, last, token) for token in sorted(ground.tokens)]
    unsure = ground.layouts.unsure(ground.tokens)
    return [
        *of_receivers(ground.limits, first, last, addresses),
        *(of_token(first, last, token) for token in unsure),
    ]


def _events(
    ground: Ground,
    line: Line,
    wanted: Sequence[Wanted],
    answers: Sequence[object],
    addresses: Sequence[str],
) -> list[Told]:
    """The events that these answers hold; of a token with very many transfers, those of the blocks
    in which balances rose."""
    events: list[Told] = []
    busy: list[Wanted] = []
    for one, answer in zip(wanted, answers, strict=True):
        if not one.address or len(addresses) > MOST_ASKED_FOR:
            events += answered(line, ground.limits, one, answer)
        elif (found := few(line, ground.limits, one, answer)) is not None:
            events += found
        else:
            busy.append(one)
    if busy:
        tokens, stretch = [one.address for one in busy], busy[0]
        events += rises.found(ground, line, addresses, tokens, stretch.first - 1, stretch.last)
    return events


def _header(answer: object, height: int) -> Block:
    if isinstance(answer, Objection):
        raise Unreachable(f"the node has no block {height}: {answer.message}")
    return block(answer, height)


def _again(
    ground: Ground, line: Line, head: Heads, after: Cursor, addresses: Sequence[str]
) -> Scan:
    """The cursor's block was replaced: find the last one that stands, and go on from there."""
    root = _standing(ground, line, head, after)
    ground.remember(root)
    for height in [h for h in ground.seen if h > root.height and h <= after.height]:
        del ground.seen[height]
    again = _scan(ground, line, head, Cursor(root.height, root.hash), addresses)
    return Scan(again.incoming, again.cursor, root.height + 1)


def _standing(ground: Ground, line: Line, head: Heads, after: Cursor) -> Block:
    known = sorted((h for h in ground.seen if head.finalized < h < after.height), reverse=True)
    for start in range(0, len(known), ground.traits.batch):
        part = known[start : start + ground.traits.batch]
        now = blocks_at(line, set(part))
        for height in part:
            if now[height].hash == ground.seen[height]:
                return now[height]
    final = min(head.finalized, after.height - 1)
    return blocks_at(line, {final})[final]


def _incoming_of(
    ground: Ground, line: Line, events: Sequence[Told], to: set[str], known: dict[int, Block]
) -> list[Incoming]:
    """Transfers to these addresses in the transactions of these events, in the chain's order."""
    mine = [one for one in events if _is_mine(ground, one, to)]
    names = {one.tx_hash: one for one in mine}
    lacking = {one.height for one in mine} - known.keys()
    in_blocks = known | (blocks_at(line, lacking) if lacking else {})
    found = []
    for its in _receipts(line, sorted(names)).values():
        if its is None:
            raise Malformed("the node tells of an event and has not its transaction")
        at = in_blocks.get(its.height)
        where = names[its.tx_hash]
        if at is None or not at.hash == its.block_hash == where.block_hash:
            raise Malformed(f"the node tells of two blocks {where.height}")
        found += _in_receipt(ground, its, at, to)
    return sorted(found, key=lambda one: (one.block_height, one.tx_hash, one.index))


def _is_mine(ground: Ground, one: Told, to: set[str]) -> bool:
    moved = transfer_of(one.event)
    return one.event.address in ground.tokens and moved is not None and moved.to in to


def _in_receipt(ground: Ground, its: Receipt, at: Block, to: set[str]) -> list[Incoming]:
    found = []
    for index, one in enumerate(its.events):
        moved = transfer_of(one)
        if one.address not in ground.tokens or moved is None or moved.to not in to:
            continue
        found.append(
            Incoming(
                chain=ground.chain.id,
                tx_hash=its.tx_hash,
                index=index,
                block_height=its.height,
                block_hash=its.block_hash,
                token=one.address,
                sender=moved.source,
                to=moved.to,
                units=moved.units,
                at=at.at,
            )
        )
    return found


def _receipts(line: Line, names: Sequence[str]) -> dict[str, Receipt | None]:
    answers = line.tell(ask_receipts(names))
    return {name: receipt(a, name) for name, a in zip(names, answers, strict=True)}


def incoming_to(
    ground: Ground, head: Heads, addresses: Collection[str], since: datetime | None
) -> Sequence[Incoming]:
    """Every transfer to these addresses since a time."""
    if not addresses:
        return []
    to = sorted(addresses)
    asked_for = head.time - timedelta(seconds=LOOK_BACK_SECONDS) if since is None else since

    def work(line: Line) -> list[Incoming]:
        low = _height_before(ground, line, head, asked_for)
        events: list[Told] = []
        for first in range(low, head.height + 1, ground.traits.blocks):
            last = min(first + ground.traits.blocks - 1, head.height)
            events += fetched(line, ground.limits, of_receivers(ground.limits, first, last, to))
        unsure = ground.layouts.unsure(ground.tokens)
        events += rises.found(ground, line, to, unsure, low, head.height)
        return _incoming_of(ground, line, events, set(to), {})

    return ground.nodes.one(work)


def _height_before(ground: Ground, line: Line, head: Heads, at: datetime) -> int:
    """A block that is older than this: estimated by the usual pace, and looked at."""
    seconds = max((head.time - at).total_seconds(), 0)
    back = int(seconds * _MARGIN / ground.chain.block_time_seconds) + 10
    while (height := head.height - back) > 0 and blocks_at(line, {height})[height].at >= at:
        back *= 2
    return max(height, 0)


def still_there(ground: Ground, incoming: Sequence[Incoming]) -> Sequence[bool]:
    """Whether each transfer stands in its block, as every node says that must agree."""
    look = partial(_standing_of, ground, incoming=incoming)
    return agreement.still_there(ground.nodes, incoming, look)


def _standing_of(ground: Ground, line: Line, incoming: Sequence[Incoming]) -> list[bool]:
    in_blocks = blocks_at(line, {one.block_height for one in incoming})
    receipts = _receipts(line, sorted({one.tx_hash for one in incoming}))

    def stands(one: Incoming) -> bool:
        its = receipts[one.tx_hash]
        if in_blocks[one.block_height].hash != one.block_hash or its is None:
            return False
        if its.block_hash != one.block_hash or one.index >= len(its.events):
            return False
        event = its.events[one.index]
        moved = transfer_of(event)
        return (
            event.address == one.token
            and moved is not None
            and (moved.to, moved.units) == (one.to, one.units)
        )

    return [stands(one) for one in incoming]

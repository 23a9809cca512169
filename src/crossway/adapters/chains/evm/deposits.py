"""Finding what came in: logs of tokens from block to block, and whether each still stands."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from functools import partial

from crossway.adapters.chains.evm import native
from crossway.adapters.chains.evm.ground import Ground, ask_block, blocks_at
from crossway.adapters.chains.evm.logs import answered, fetched, question, receiver, spans
from crossway.adapters.chains.evm.wire import (
    TRANSFER,
    Block,
    Log,
    Malformed,
    block,
    receipt,
    topic_address,
)
from crossway.adapters.chains.live import agreement
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Question, TooLarge
from crossway.domain.deposits import Incoming
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Cursor, Heads, Scan, Watch

# One scan goes this many questions far; the next one goes on.
_MOST_STRETCHES = 20
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
    if len(addresses) > MOST_ASKED_FOR and found.incoming:
        known = watch.known({one.to for one in found.incoming})
        found = Scan([i for i in found.incoming if i.to in known], found.cursor, found.reorged_from)
    ground.limits.grow(ground.traits)
    return found


def _scan(ground: Ground, line: Line, head: Heads, after: Cursor, addresses: Sequence[str]) -> Scan:
    if head.height < after.height:
        raise Unreachable(f"the node is behind: block {head.height} after {after.height}")
    asked = None if len(addresses) > MOST_ASKED_FOR else addresses
    far = min(ground.limits.blocks * _MOST_STRETCHES, ground.reach)
    last = min(head.height, after.height + far)
    stretches = spans(ground.limits, after.height + 1, last, asked)
    wanted = [ask_block(after.height), ask_block(last)]
    try:
        answers = line.tell([*wanted, *(question(ground.tokens, s) for s in stretches)])
    except TooLarge:
        ground.limits.recipients = max(1, ground.limits.recipients // 2)
        ground.limits.blocks = max(1, ground.limits.blocks // 2)
        raise
    before, end = block(answers[0], after.height), block(answers[1], last)
    if before.hash != after.block_hash:
        return _again(ground, line, head, after, addresses)
    logs: list[Log] = []
    for stretch, answer in zip(stretches, answers[2:], strict=True):
        logs += answered(line, ground.limits, ground.tokens, stretch, answer)
    ground.remember(before)
    ground.remember(end)
    incoming = incoming_of(ground, line, logs, {end.height: end})
    incoming += ground.coins.next_found(ground, line, addresses, before, end)
    return Scan(sorted(incoming, key=_place), Cursor(end.height, end.hash), None)


def _place(one: Incoming) -> tuple[int, int]:
    return one.block_height, one.index


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


def incoming_of(
    ground: Ground, line: Line, logs: Sequence[Log], known: dict[int, Block]
) -> list[Incoming]:
    """Transfers as the port tells them; a log whose block does not stand is a contradiction."""
    lacking = {one.height for one in logs} - known.keys()
    in_blocks = known | (blocks_at(line, lacking) if lacking else {})
    found = []
    for one in logs:
        its = in_blocks[one.height]
        if its.hash != one.block_hash:
            raise Malformed(f"the node tells of two blocks {one.height}")
        found.append(
            Incoming(
                chain=ground.chain.id,
                tx_hash=one.tx_hash,
                index=one.index,
                block_height=one.height,
                block_hash=one.block_hash,
                token=one.address,
                sender=topic_address(one.topics[1]),
                to=receiver(one),
                units=int.from_bytes(one.data, "big"),
                at=its.at,
            )
        )
    return found


def incoming_to(
    ground: Ground, head: Heads, addresses: Collection[str], since: datetime | None
) -> Sequence[Incoming]:
    """Every transfer to these addresses since a time, as far as the node still has it."""
    if not addresses:
        return []
    to = sorted(addresses)
    asked_for = head.time - timedelta(seconds=LOOK_BACK_SECONDS) if since is None else since

    def work(line: Line) -> list[Incoming]:
        first = _height_before(ground, line, head, asked_for)
        logs: list[Log] = []
        for stretch in spans(ground.limits, first, head.height, to):
            answer = line.tell([question(ground.tokens, stretch)])[0]
            logs += answered(line, ground.limits, ground.tokens, stretch, answer)
        ends = blocks_at(line, {first, head.height})
        found = incoming_of(ground, line, logs, ends)
        found += ground.coins.found(ground, line, to, ends[first], ends[head.height])
        return sorted(found, key=_place)

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
    hashes = sorted({one.tx_hash for one in incoming if not native.is_made_up(one)})
    answers = line.ask(*(Question("eth_getTransactionReceipt", (h,)) for h in hashes))
    receipts = {h: receipt(a, h) for h, a in zip(hashes, answers, strict=True)}
    again = None if ground.traits.places else _logs_again(ground, line, incoming)

    def stands(one: Incoming) -> bool:
        if in_blocks[one.block_height].hash != one.block_hash:
            return False
        if native.is_native(ground, one):
            return ground.coins.stands(ground, line, one, receipts.get(one.tx_hash))
        its = receipts[one.tx_hash]
        if its is None or its.block_hash != one.block_hash or not its.worked:
            return False
        told = its.logs if again is None else again[one.block_height]
        return any(_same(log, one) for log in told)

    return [stands(one) for one in incoming]


def _logs_again(ground: Ground, line: Line, incoming: Sequence[Incoming]) -> dict[int, list[Log]]:
    """The transfers of the blocks in question, by height: for chains whose receipts count events
    in another way than logs do."""
    found: dict[int, list[Log]] = {}
    for height in sorted({one.block_height for one in incoming}):
        to = sorted({one.to for one in incoming if one.block_height == height})
        found[height] = [
            log
            for span in spans(ground.limits, height, height, to)
            for log in fetched(line, ground.limits, ground.tokens, span)
        ]
    return found


def _same(log: Log, one: Incoming) -> bool:
    return (
        log.index == one.index
        and (log.tx_hash, log.block_hash) == (one.tx_hash, one.block_hash)
        and log.address == one.token
        and len(log.topics) == 3
        and log.topics[0] == TRANSFER
        and receiver(log) == one.to
        and int.from_bytes(log.data, "big") == one.units
    )

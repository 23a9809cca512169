"""Finding what came in: balances that changed, and the transactions that changed them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.live.rpc import Objection
from crossway.adapters.chains.solana.accounts import (
    AMOUNT_AT,
    AMOUNT_SIZE,
    read_accounts,
    read_at,
    units_in,
)
from crossway.adapters.chains.solana.arrivals import in_order, incoming_of, still_there
from crossway.adapters.chains.solana.ground import Ground, ask_block, blocks_at, refuse_unsure
from crossway.adapters.chains.solana.places import is_native
from crossway.adapters.chains.solana.reading import Transaction, signatures, transactions
from crossway.adapters.chains.solana.strangers import Ours, paid_out
from crossway.adapters.chains.solana.wire import Account, block
from crossway.domain.deposits import Incoming
from crossway.domain.errors import Unreachable
from crossway.ports.chain import Cursor, Heads, Scan, Watch

# A list of transactions may lag behind the accounts; so often is it asked for what is lacking.
_TRIES = 20
# What is lacking after that holds nothing up any more, and is asked for in one look of so many.
_SELDOM = 16
_OWNERS_AT_ONCE = 50
# What nodes say of blocks that they do not keep, or that never were.
_LET_GO, _LONG_AGO_SLOTS = (-32001, -32007, -32009, -32011), 1_000
_ROOTS_AT_ONCE = 20


@dataclass(frozen=True, slots=True)
class Place:
    """Where deposits of a token to an address lie."""

    owner: str
    token: str
    account: str


@dataclass
class Memory:
    """What lay where as far as transactions explain it, the newest of them, and how often they did
    not add up to what was shown. It spares questions: without it, all is read again."""

    held: dict[str, int] = field(default_factory=dict)
    newest: dict[str, str] = field(default_factory=dict)
    tries: dict[str, tuple[int, int]] = field(default_factory=dict)
    # Accounts that the cursor went past before they were explained.
    passed: set[str] = field(default_factory=set)
    turn: int = 0
    reached: Cursor | None = None
    ours: Ours = field(default_factory=Ours)
    # By address: its places of usual tokens, and of the others.
    places: dict[str, tuple[list[Place], list[Place]]] = field(default_factory=dict)

    def doubt(self, changed: Mapping[str, int]) -> None:
        """Only what differs by as much as before goes on being counted."""
        self.tries = {a: one for a, one in self.tries.items() if changed.get(a) == one[1]}

    def is_doubtful(self, account: str) -> bool:
        """Whether it was asked often enough what changed there."""
        return self.tries.get(account, (0, 0))[0] >= _TRIES

    def forget(self) -> None:
        """Know nothing any more, but what is still lacking."""
        self.held, self.newest, self.tries, self.reached = {}, {}, {}, None
        self.ours.newest = ""


def scan(ground: Ground, memory: Memory, head: Heads, after: Cursor | None, watch: Watch) -> Scan:
    """What came in after a cursor, up to a head."""
    if after is None:
        return Scan([], Cursor(head.height, head.block_hash), None)
    addresses = watch.all()
    if memory.reached != after:
        # What the last look found was not stored, or somebody else looked on.
        memory.forget()
    try:
        found, all_read = ground.nodes.one(
            lambda line: _scan(ground, line, memory, head, after, addresses)
        )
        # What one node alone says must not be taken for explained.
        believed = ground.nodes.quorum == 1 or all(still_there(ground, all_read))
    except Unreachable:
        memory.forget()
        raise
    if not believed:
        memory.forget()
    memory.reached = found.cursor
    return found


def _scan(
    ground: Ground,
    line: Line,
    memory: Memory,
    head: Heads,
    after: Cursor,
    addresses: Sequence[str],
) -> tuple[Scan, Sequence[Incoming]]:
    """With all that was read, also from before the cursor."""
    if head.height < after.height:
        raise Unreachable(f"the node is behind: block {head.height} after {after.height}")
    cursor = Cursor(head.height, head.block_hash)
    if not _stands(line, after, head.finalized):
        again = _again(ground, line, memory, head, after, addresses)
        return again, again.incoming
    places, all_of_them = looked_at(ground, memory, addresses)
    accounts = [one.account for one in places]
    slot, there = read_at(ground, line, accounts, AMOUNT_AT, AMOUNT_SIZE)
    changed = _changed(memory, places, there)
    memory.doubt({one.account: units for one, units in changed.items()})
    asked, passed = _asked(memory, changed), set(memory.passed)
    read = _explained(ground, line, memory, asked) if asked else []
    late = [one for one in read if not all_of_them or _is_new(ground, one, after, passed)]
    seen = {one.owner for one in asked}
    emptied, newest = paid_out(ground, line, memory.ours, after.height, addresses, seen)
    if emptied:
        known = {one.place for one in late}
        more = read_all(ground, line, sorted(emptied))
        late += [one for one in more if one.place not in known]
        read = [*read, *more]
    # What is not explained yet, or was read as of before the head, lies above the cursor.
    open_ = any(tried < _TRIES for tried, _ in memory.tries.values())
    complete = not open_ and (slot >= head.height or not places)
    if complete:
        memory.ours.newest = newest
        memory.passed |= memory.tries.keys()
    if len(memory.held) > 2 * len(places) + ground.traits.look:
        memory.forget()
    return Scan(late, cursor if complete else after, None), read


def _changed(
    memory: Memory, places: Sequence[Place], there: Sequence[Account | None]
) -> dict[Place, int]:
    """What lies now where that is not what was explained."""
    now = [units_in(a, is_native(p.token)) for p, a in zip(places, there, strict=True)]
    held = memory.held
    return {p: n for p, n in zip(places, now, strict=True) if n != held.get(p.account, 0)}


def _is_new(ground: Ground, one: Incoming, after: Cursor, passed: Collection[str]) -> bool:
    """Whether it came in after a cursor, or where that went on without an explanation."""
    return one.block_height > after.height or ground.mints.account_of(one.to, one.token) in passed


def _asked(memory: Memory, changed: Mapping[Place, int]) -> dict[Place, int]:
    """The changes to explain now: what was asked for too often already, only seldom."""
    every = memory.turn % _SELDOM == 0
    return {p: n for p, n in changed.items() if every or not memory.is_doubtful(p.account)}


def looked_at(ground: Ground, memory: Memory, addresses: Sequence[str]) -> tuple[list[Place], bool]:
    """The accounts that this look is for, and whether it is all: some by turns where there are too
    many."""
    if len(memory.places) > 2 * len(addresses) + _OWNERS_AT_ONCE:
        memory.places = {}
    usual: list[Place] = []
    others: list[Place] = []
    for owner in addresses:
        if owner not in memory.places:
            memory.places[owner] = _places(ground, owner)
        often, seldom = memory.places[owner]
        usual += often
        others += seldom
    room, memory.turn = ground.traits.look, memory.turn + 1
    if len(usual) + len(others) <= room:
        return usual + others, True
    most = room * 3 // 4
    first = usual if len(usual) <= most else _turn(usual, memory.turn, most)
    return first + _turn(others, memory.turn, room - len(first)), False


def _places(ground: Ground, owner: str) -> tuple[list[Place], list[Place]]:
    symbols = {t.address: t.symbol for t in ground.catalogue.by_chain[ground.chain.id]}
    usual = [Place(owner, ground.native, owner)] if ground.native else []
    others: list[Place] = []
    for token in ground.tokens:
        place = Place(owner, token, ground.mints.account_of(owner, token))
        (usual if symbols.get(token) in ground.traits.usual else others).append(place)
    return usual, others


def _turn(places: Sequence[Place], turn: int, count: int) -> list[Place]:
    if count >= len(places):
        return list(places)
    start = turn * count % len(places)
    return [*places[start : start + count], *places[: max(0, start + count - len(places))]]


def _explained(
    ground: Ground, line: Line, memory: Memory, changed: Mapping[Place, int]
) -> list[Incoming]:
    """What came in where balances changed. What does not add up yet is looked at again."""
    accounts = [one.account for one in changed]
    listed = signatures(line, accounts, memory.newest)
    names = {e.name for entries in listed.values() for e in entries if e.worked}
    read = transactions(line, sorted(names))
    incoming = incoming_of(ground, line, read.values(), {one.owner for one in changed})
    for one, units in changed.items():
        entries = listed[one.account]
        mine = [read[e.name] for e in entries if e.name in read]
        gained = sum(_gained(each, one) for each in mine)
        if memory.held.get(one.account, 0) + gained != units:
            memory.tries[one.account] = memory.tries.get(one.account, (0, 0))[0] + 1, units
            continue
        memory.tries.pop(one.account, None)
        memory.passed.discard(one.account)
        memory.held[one.account] = units
        if entries:
            memory.newest[one.account] = entries[0].name
    return incoming


def _gained(one: Transaction, place: Place) -> int:
    if place.account not in one.keys:
        return 0
    return one.gained(one.keys.index(place.account), is_native(place.token))


def _stands(line: Line, after: Cursor, final: int) -> bool:
    """Whether the cursor's block is still there. Of one so old that nodes have let go of it, nobody
    can say so; it was final long ago."""
    answer = line.tell([ask_block(after.height)])[0]
    if not isinstance(answer, Objection):
        return answer is not None and block(answer, after.height).hash == after.block_hash
    if answer.code in _LET_GO and after.height + _LONG_AGO_SLOTS < final:
        return True
    refuse_unsure(answer, after.height)
    return False


def _again(
    ground: Ground,
    line: Line,
    memory: Memory,
    head: Heads,
    after: Cursor,
    addresses: Sequence[str],
) -> Scan:
    """The cursor's block was replaced: find the last one that stands, and read all above it."""
    root = _root(ground, line, head, after)
    for slot in [one for one in ground.seen if root < one <= after.height]:
        if (slot, ground.seen[slot]) != (head.height, head.block_hash):
            del ground.seen[slot]
    memory.forget()
    found = [one for one in read_all(ground, line, addresses) if one.block_height > root]
    return Scan(found, Cursor(head.height, head.block_hash), root + 1)


def _root(ground: Ground, line: Line, head: Heads, after: Cursor) -> int:
    known = sorted((h for h in ground.seen if head.finalized < h < after.height), reverse=True)
    for start in range(0, len(known), _ROOTS_AT_ONCE):
        part = known[start : start + _ROOTS_AT_ONCE]
        now = blocks_at(line, part)
        for slot in part:
            if slot in now and now[slot].hash == ground.seen[slot]:
                return slot
    return min(head.finalized, after.height - 1)


def incoming_to(ground: Ground, addresses: Collection[str]) -> Sequence[Incoming]:
    """Every transfer to these addresses, as far as the node still has it."""
    if not addresses:
        return []
    wanted = sorted(addresses)
    return ground.nodes.one(lambda line: read_all(ground, line, wanted))


def read_all(ground: Ground, line: Line, addresses: Sequence[str]) -> list[Incoming]:
    """Every transfer to these addresses: the transactions of each address, which made or emptied
    its token accounts, and those of its token accounts themselves."""
    found: list[Incoming] = []
    for start in range(0, len(addresses), _OWNERS_AT_ONCE):
        found += _read_some(ground, line, addresses[start : start + _OWNERS_AT_ONCE])
    return sorted(found, key=in_order)


def _read_some(ground: Ground, line: Line, owners: Sequence[str]) -> list[Incoming]:
    split = [_places(ground, owner) for owner in owners]
    places = [p for both in split for part in both for p in part if p.account != p.owner]
    there = read_accounts(ground, line, [one.account for one in places])
    asked = [*owners, *(p.account for p, a in zip(places, there, strict=True) if a is not None)]
    read: dict[str, Transaction] = {}
    known: set[str] = set()
    mine, of_accounts = set(owners), {one.account for one in places}
    while asked:
        known |= set(asked)
        listed = signatures(line, asked, {})
        names = {e.name for entries in listed.values() for e in entries if e.worked}
        read |= transactions(line, sorted(names - read.keys()))
        # Accounts that were closed since are known by the transactions that closed them.
        touched = {key for one in read.values() for key in one.keys if key in of_accounts}
        asked = sorted(touched - known)
    return incoming_of(ground, line, read.values(), mine)

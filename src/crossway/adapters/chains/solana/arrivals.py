"""What single transactions brought to deposit addresses, and whether that still stands."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from crossway.adapters.chains.live import agreement
from crossway.adapters.chains.live.nodes import Line
from crossway.adapters.chains.solana.ground import Ground, blocks_at
from crossway.adapters.chains.solana.places import SYSTEM, is_native
from crossway.adapters.chains.solana.reading import Told, Transaction, transactions
from crossway.adapters.chains.solana.wire import Malformed
from crossway.domain.deposits import Incoming


def incoming_of(
    ground: Ground, line: Line, read: Iterable[Transaction], owners: Collection[str]
) -> list[Incoming]:
    """Transfers as the port tells them, with the blocks that they stand in, in their order."""
    worked = [one for one in read if one.error is None]
    found = [each for one in worked for each in _found(ground, one, set(owners))]
    in_blocks = blocks_at(line, {one.slot for one, _ in found})
    incoming = []
    for one, came in found:
        its = in_blocks.get(one.slot)
        if its is None:
            raise Malformed(f"the node tells of a block {one.slot} that it does not have")
        incoming.append(
            Incoming(
                chain=ground.chain.id,
                tx_hash=one.name,
                index=came.index,
                block_height=one.slot,
                block_hash=its.hash,
                token=came.token,
                sender=came.sender,
                to=came.to,
                units=came.units,
                at=its.at,
            )
        )
    return sorted(incoming, key=in_order)


def in_order(one: Incoming) -> tuple[int, str, int]:
    """Oldest first; nodes do not tell the order within a block."""
    return one.block_height, one.tx_hash, one.index


@dataclass(frozen=True, slots=True)
class _Came:
    index: int
    token: str
    sender: str
    to: str
    units: int


def _found(ground: Ground, one: Transaction, owners: set[str]) -> list[tuple[Transaction, _Came]]:
    """What a transaction brought to these addresses. What the program took out again within the
    same transaction came in, too."""
    told = one.told(ground.program.id)
    found = []
    for place, (owner, token) in _touched(ground, one, owners).items():
        native = is_native(token)
        mint = SYSTEM if native else token
        gone = sum(t.units for t in told if (t.source, t.token) == (owner, mint))
        units = one.gained(place, native) + gone - (_set_aside(ground, one, told) if native else 0)
        if units > 0:
            sender = _sender(one, place, None if native else token)
            found.append((one, _Came(place, token, sender, owner, units)))
    return found


def _set_aside(ground: Ground, one: Transaction, told: Sequence[Told]) -> int:
    """Coins that a refund took from the state and told as the deposit address's."""
    states = {ground.program.state(each.key) for each in told}
    falls = (one.gained(place, True) for place, key in enumerate(one.keys) if key in states)
    return sum(-gained for gained in falls if gained < 0)


def _touched(ground: Ground, one: Transaction, owners: set[str]) -> dict[int, tuple[str, str]]:
    """The places of accounts in which deposits lie, with whose and what they are."""
    found = {}
    if ground.native:
        for place, key in enumerate(one.keys):
            if key in owners:
                found[place] = (key, ground.native)
    for place, holding in {**one.before, **one.after}.items():
        known = holding.owner in owners and holding.mint in ground.tokens
        if known and ground.mints.account_of(holding.owner, holding.mint) == one.keys[place]:
            found[place] = (holding.owner, holding.mint)
    # One that was made and closed again within the transaction has no balance before and after.
    for told in one.told(ground.program.id):
        if told.source in owners and told.token in ground.tokens:
            account = ground.mints.account_of(told.source, told.token)
            if account in one.keys:
                found[one.keys.index(account)] = (told.source, told.token)
    return found


def _sender(one: Transaction, receiver: int, mint: str | None) -> str:
    """Who paid: whoever has most less than before; of several in one transaction the largest."""
    if mint is None:
        falls = {n: one.gained(n, True) for n in range(len(one.keys)) if n != receiver}
        return one.keys[min(falls, key=lambda n: falls[n])] if falls else one.keys[0]
    of_mint = {n: h for n, h in {**one.after, **one.before}.items() if h.mint == mint}
    less = {n: one.gained(n, False) for n in of_mint if n != receiver}
    place = min(less, key=lambda n: less[n]) if less else None
    if place is None or less[place] >= 0:
        return one.keys[0]
    return of_mint[place].owner


def still_there(ground: Ground, incoming: Sequence[Incoming]) -> Sequence[bool]:
    """Whether each transfer stands in its block, as every node says that must agree."""
    look = partial(_standing_of, ground, incoming=incoming)
    return agreement.still_there(ground.nodes, incoming, look)


def _standing_of(ground: Ground, line: Line, incoming: Sequence[Incoming]) -> list[bool]:
    read = transactions(line, sorted({one.tx_hash for one in incoming}))
    in_blocks = blocks_at(line, {one.block_height for one in incoming})

    def stands(one: Incoming) -> bool:
        its, at = read.get(one.tx_hash), in_blocks.get(one.block_height)
        if its is None or at is None or its.error is not None:
            return False
        if its.slot != one.block_height or at.hash != one.block_hash:
            return False
        return any(
            (came.index, came.token, came.to, came.units)
            == (one.index, one.token, one.to, one.units)
            for _, came in _found(ground, its, {one.to})
        )

    return [stands(one) for one in incoming]

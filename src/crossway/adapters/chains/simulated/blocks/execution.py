"""What a transaction does to balances, nonces and markers, and how it is undone; in memory."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from crossway.adapters.chains.simulated.blocks.transactions import (
    CALL,
    OWN,
    OutputRow,
    Transaction,
)
from crossway.ports.chain import ALREADY_DONE, NOTHING_LEFT

MoveRow = tuple[str, str, str, int]  # source, receiver, token, units
NOWHERE = ""


@dataclass(slots=True)
class Outcome:
    """What a mined transaction came to: reverted when there is a reason."""

    moved: list[MoveRow]
    reason: str = ""
    permanent: bool = False


class Reverted(Exception):
    """One required output cannot be made, so nothing of the transaction is."""

    def __init__(self, reason: str, permanent: bool = False) -> None:
        super().__init__(reason)
        self.permanent = permanent


@dataclass(slots=True)
class World:
    """The part of a chain that a block touches; `rows` are where balances are stored, and
    `refusing` addresses take no transfer."""

    native: str
    balances: dict[tuple[str, str], int]
    rows: dict[tuple[str, str], int]
    nonces: dict[str, int]
    markers: set[int]
    refusing: frozenset[str] = frozenset()
    changed: set[tuple[str, str]] = field(default_factory=set)
    first_nonces: dict[str, int] = field(init=False)
    first_markers: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.first_nonces, self.first_markers = dict(self.nonces), frozenset(self.markers)

    def units(self, address: str, token: str) -> int:
        """What an address holds of a token."""
        return self.balances.get((address, token), 0)

    def add(self, address: str, token: str, units: int) -> None:
        """Change a balance; what comes from or goes to nowhere is not kept."""
        if address and units:
            key = (address, token)
            self.balances[key] = self.balances.get(key, 0) + units
            self.changed.add(key)

    def execute(self, tx: Transaction, revert: bool) -> Outcome:
        """Run a transaction that is due; a revert still uses its nonce and pays its fee."""
        if tx.kind == OWN:
            return Outcome(self._set(tx.outputs))
        if not tx.by_hand:
            self.nonces[tx.account] = tx.nonce + 1
            self.add(tx.account, self.native, -tx.fee_units)
        if revert and tx.kind == CALL:
            return Outcome([], "the network made this transaction revert")
        if tx.mark is not None and tx.mark in self.markers:
            return Outcome([], ALREADY_DONE, permanent=True)
        moved: list[MoveRow] = []
        try:
            for output in tx.outputs:
                self._pay(output, moved, minted=tx.by_hand)
        except Reverted as reverted:
            self._take_back(moved, minted=tx.by_hand)
            return Outcome([], str(reverted), reverted.permanent)
        if tx.mark is not None:
            self.markers.add(tx.mark)
        return Outcome(moved)

    def undo(self, tx: Transaction, outcome: Outcome) -> None:
        """Take a transaction back; only right for the newest one that still stands."""
        self._take_back(outcome.moved, minted=tx.by_hand)
        if not tx.by_hand:
            self.nonces[tx.account] = tx.nonce
            self.add(tx.account, self.native, tx.fee_units)
        if tx.mark is not None and not outcome.reason:
            self.markers.discard(tx.mark)

    def can_pay_fee(self, tx: Transaction, least_fee: int) -> bool:
        """Whether the fee is enough for the chain and there for the account."""
        return tx.by_hand or least_fee <= tx.fee_units <= self.units(tx.account, self.native)

    def _pay(self, output: OutputRow, moved: list[MoveRow], minted: bool) -> None:
        source, to, token, units, required = output
        held = self.units(source, token)
        wanted = held if units is None else units
        if to in self.refusing:
            trouble = Reverted(f"{to} refuses this transfer", permanent=True)
        elif units is None and not held:
            trouble = Reverted(NOTHING_LEFT)
        elif wanted > held and not minted:
            trouble = Reverted(f"{source} holds {held} of the {wanted} units of {token} to move")
        else:
            if not minted:
                self.add(source, token, -wanted)
            self.add(to, token, wanted)
            moved.append((source, to, token, wanted))
            return
        if required:
            raise trouble

    def _take_back(self, moved: list[MoveRow], minted: bool) -> None:
        for source, to, token, units in reversed(moved):
            self.add(to, token, -units)
            if not minted or to == NOWHERE:
                self.add(source, token, units)

    def _set(self, wanted: Iterable[OutputRow]) -> list[MoveRow]:
        """Mint or burn until each receiver holds what is wanted."""
        moved: list[MoveRow] = []
        for _, address, token, units, _ in wanted:
            more = (units or 0) - self.units(address, token)
            self.add(address, token, more)
            if more:
                at = (NOWHERE, address) if more > 0 else (address, NOWHERE)
                moved.append((*at, token, abs(more)))
        return moved


@dataclass(slots=True)
class Block:
    """What became of the waiting transactions when a block was made of them.

    `dropped` are forgotten by the network, `dead` can never land any more, `waiting` stay.
    """

    mined: list[tuple[Transaction, Outcome]] = field(default_factory=list)
    dropped: list[Transaction] = field(default_factory=list)
    dead: list[Transaction] = field(default_factory=list)
    waiting: list[Transaction] = field(default_factory=list)


@dataclass(slots=True)
class Rules:
    """What a block asks of transactions, and how many it drops or reverts by request."""

    at: float
    least_fee: int
    drop_next: int = 0
    revert_next: int = 0


def fill_block(world: World, rules: Rules, candidates: Iterable[Transaction]) -> Block:
    """Run all that is due, each account's transactions in the order of their nonces."""
    block = Block()
    early: dict[str, dict[int, Transaction]] = defaultdict(dict)
    for candidate in candidates:
        queue: Transaction | None = candidate
        while queue is not None:
            tx, queue = queue, None
            if not tx.by_hand and tx.nonce > world.nonces.get(tx.account, 0):
                if (rival := early[tx.account].get(tx.nonce)) is not None:
                    block.waiting.append(rival)
                early[tx.account][tx.nonce] = tx
            elif _attempt(world, rules, tx, block):
                queue = early[tx.account].pop(tx.nonce + 1, None) if tx.account else None
    _settle_early(world, rules, early, block)
    return block


def _attempt(world: World, rules: Rules, tx: Transaction, block: Block) -> bool:
    """Whether the next nonce of the account is due now."""
    if _used(world, tx) or _late(rules, tx):
        block.dead.append(tx)
    elif not world.can_pay_fee(tx, rules.least_fee):
        block.waiting.append(tx)
    elif tx.kind == CALL and rules.drop_next > 0:
        rules.drop_next -= 1
        block.dropped.append(tx)
    else:
        revert = tx.kind == CALL and rules.revert_next > 0
        rules.revert_next -= revert
        block.mined.append((tx, world.execute(tx, revert)))
        return True
    return False


def _settle_early(
    world: World, rules: Rules, early: dict[str, dict[int, Transaction]], block: Block
) -> None:
    for by_nonce in early.values():
        for tx in by_nonce.values():
            gone = _used(world, tx) or _late(rules, tx)
            (block.dead if gone else block.waiting).append(tx)


def _used(world: World, tx: Transaction) -> bool:
    return not tx.by_hand and tx.nonce < world.nonces.get(tx.account, 0)


def _late(rules: Rules, tx: Transaction) -> bool:
    return tx.not_after is not None and tx.not_after < rules.at

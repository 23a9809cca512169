"""Execution of transactions in memory: balances, nonces and markers, and how they are undone."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from crossway.adapters.chains.simulated.blocks.derivation import lookup_tag
from crossway.adapters.chains.simulated.blocks.transactions import (
    CALL,
    SET_BALANCE,
    OutputRow,
    Transaction,
)
from crossway.adapters.chains.simulated.contracts.block_contracts import BlockContracts
from crossway.adapters.chains.simulated.contracts.call_frame import ContractReverted
from crossway.adapters.chains.simulated.contracts.contract_call import ContractCall
from crossway.adapters.chains.simulated.contracts.events import BridgeEvent
from crossway.adapters.chains.simulated.contracts.reach import (
    EXCHANGE_NAME,
    EXCHANGES,
    TOO_DEAR,
)
from crossway.ports.chain import ALREADY_DONE, NOTHING_TO_MOVE

TransferRow = tuple[str, str, str, int]  # source, receiver, token, units
NOWHERE = ""
_EXCHANGES = frozenset(EXCHANGES.values())
REFUSED = "the receiver refuses this transfer"
EXPIRED = "the time in which it could be started is over"


@dataclass(slots=True)
class ExecutionResult:
    """The result of an included transaction; it reverted if there is a reason. `sentence` is that
    of a bridge's own contract, which a receipt does not have; `events` are those of ours."""

    transfers: list[TransferRow]
    reason: str = ""
    permanent: bool = False
    sentence: str = ""
    events: list[BridgeEvent] = field(default_factory=list)


class Reverted(Exception):
    """A required output failed, so the whole transaction reverts."""

    def __init__(self, reason: str, permanent: bool = False) -> None:
        super().__init__(reason)
        self.permanent = permanent


@dataclass(slots=True)
class ExecutionState:
    """The part of a chain's state that a block touches. `rows` are the row ids of balances;
    `refusing` addresses accept no transfer; `contracts` are those of bridges."""

    native: str
    balances: dict[tuple[str, str], int]
    rows: dict[tuple[str, str], int]
    nonces: dict[str, int]
    markers: set[int]
    refusing: frozenset[str] = frozenset()
    contracts: BlockContracts = field(default_factory=lambda: BlockContracts(""))
    changed: set[tuple[str, str]] = field(default_factory=set)
    first_nonces: dict[str, int] = field(init=False)
    first_markers: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.first_nonces, self.first_markers = dict(self.nonces), frozenset(self.markers)

    def units(self, address: str, token: str) -> int:
        """The balance of a token at an address."""
        return self.balances.get((address, token), 0)

    def add(self, address: str, token: str, units: int) -> None:
        """Change a balance. The empty address mints and burns and has no balance."""
        if address and units:
            key = (address, token)
            self.balances[key] = self.balances.get(key, 0) + units
            self.changed.add(key)

    def execute(self, tx: Transaction, revert: bool, at: float) -> ExecutionResult:
        """Execute a transaction in a block of this time; a revert still uses its nonce and pays its
        fee."""
        if tx.kind == SET_BALANCE:
            return ExecutionResult(self._set_balances(tx.outputs))
        if not tx.is_simulator_tx:
            self.nonces[tx.account] = max(tx.nonce + 1, self.nonces.get(tx.account, 0))
            self.add(tx.account, self.native, -tx.fee_units)
        if revert and tx.kind == CALL:
            return ExecutionResult([], "the network made this transaction revert")
        if tx.contract is not None:
            return self._call(tx.contract, tx.account, at)
        if tx.marker_tag is not None and tx.marker_tag in self.markers:
            return ExecutionResult([], ALREADY_DONE, permanent=True)
        if tx.not_after is not None and tx.not_after < at:
            return ExecutionResult([], EXPIRED, permanent=True)
        transfers: list[TransferRow] = []
        try:
            for output in tx.outputs:
                self._pay(output, transfers, minted=tx.mints)
        except Reverted as reverted:
            self._revert(transfers, minted=tx.mints)
            return ExecutionResult([], str(reverted), reverted.permanent)
        if tx.marker_tag is not None:
            self.markers.add(tx.marker_tag)
        return ExecutionResult(transfers)

    def undo(self, tx: Transaction, outcome: ExecutionResult) -> None:
        """Undo a transaction; only valid for the newest one."""
        self._revert(outcome.transfers, minted=tx.mints or tx.kind == SET_BALANCE)
        if not tx.is_simulator_tx:
            self.nonces[tx.account] = min(tx.nonce, self.nonces.get(tx.account, 0))
            self.add(tx.account, self.native, tx.fee_units)
        if tx.contract is not None:
            self.markers -= self._tags(self.contracts.forget(outcome.events))
        elif tx.marker_tag is not None and not outcome.reason:
            self.markers.discard(tx.marker_tag)

    def _call(self, call: ContractCall, caller: str, at: float) -> ExecutionResult:
        try:
            frame = self.contracts.execute(self, call, caller, at)
        except ContractReverted as reverted:
            reason = reverted.reason
            return ExecutionResult([], reason.message, reason.permanent, str(reverted))
        self.markers |= self._tags({event.marker for event in frame.events})
        return ExecutionResult(frame.transfers, events=frame.events)

    def _tags(self, markers: Iterable[str]) -> set[int]:
        return {lookup_tag(self.contracts.chain, marker) for marker in markers}

    def can_pay_fee(self, tx: Transaction, least_fee: int) -> bool:
        """Whether the fee reaches the minimum and the account can pay it."""
        return tx.is_simulator_tx or least_fee <= tx.fee_units <= self.units(
            tx.account, self.native
        )

    def _pay(self, output: OutputRow, transfers: list[TransferRow], minted: bool) -> None:
        source, to, token, units, required = output
        balance = self.units(source, token)
        amount = balance if units is None else units
        is_sold = source in _EXCHANGES
        if to in self.refusing:
            failure = Reverted(REFUSED, permanent=True)
        elif is_sold and EXCHANGE_NAME in self.contracts.paused:
            failure = Reverted(TOO_DEAR)
        elif units is None and not balance:
            failure = Reverted(NOTHING_TO_MOVE)
        elif amount > balance and not (minted or is_sold) and source != NOWHERE:
            failure = Reverted(f"{source} holds {balance} of the {amount} units of {token} to move")
        else:
            if not minted:
                self.add(source, token, -amount)
            self.add(to, token, amount)
            transfers.append((source, to, token, amount))
            return
        if required:
            raise failure

    def _revert(self, transfers: list[TransferRow], minted: bool) -> None:
        for source, to, token, units in reversed(transfers):
            self.add(to, token, -units)
            if not minted or to == NOWHERE:
                self.add(source, token, units)

    def _set_balances(self, outputs: Iterable[OutputRow]) -> list[TransferRow]:
        """Mint or burn until each receiver has the given balance."""
        transfers: list[TransferRow] = []
        for _, address, token, units, _ in outputs:
            difference = (units or 0) - self.units(address, token)
            self.add(address, token, difference)
            if difference:
                direction = (NOWHERE, address) if difference > 0 else (address, NOWHERE)
                transfers.append((*direction, token, abs(difference)))
        return transfers


@dataclass(slots=True)
class BlockResult:
    """What happened to the pending transactions when a block was made.

    `dropped` left the mempool, `dead` can never land, `waiting` stay in the mempool.
    """

    mined: list[tuple[Transaction, ExecutionResult]] = field(default_factory=list)
    dropped: list[Transaction] = field(default_factory=list)
    dead: list[Transaction] = field(default_factory=list)
    waiting: list[Transaction] = field(default_factory=list)


@dataclass(slots=True)
class BlockRules:
    """The rules of a block, and how many transactions it drops or reverts by request.

    `has_nonces`: it takes an account's transactions in the order of their nonces, without gaps;
    otherwise in any order and none after its time.
    """

    at: float
    least_fee: int
    has_nonces: bool = True
    drop_next: int = 0
    revert_next: int = 0


def fill_block(
    world: ExecutionState, rules: BlockRules, candidates: Iterable[Transaction]
) -> BlockResult:
    """Execute all candidates; where they have nonces, each account's in their order."""
    block = BlockResult()
    early: dict[str, dict[int, Transaction]] = defaultdict(dict)
    for candidate in candidates:
        queue: Transaction | None = candidate
        while queue is not None:
            tx, queue = queue, None
            is_early = tx.nonce > world.nonces.get(tx.account, 0)
            if rules.has_nonces and not tx.is_simulator_tx and is_early:
                if (rival := early[tx.account].get(tx.nonce)) is not None:
                    block.waiting.append(rival)
                early[tx.account][tx.nonce] = tx
            elif _try_execute(world, rules, tx, block):
                queue = early[tx.account].pop(tx.nonce + 1, None) if tx.account else None
    _sort_premature(world, rules, early, block)
    return block


def _try_execute(
    world: ExecutionState, rules: BlockRules, tx: Transaction, block: BlockResult
) -> bool:
    """Execute or discard one transaction; returns whether its nonce was used."""
    if _is_dead(world, rules, tx):
        block.dead.append(tx)
    elif not world.can_pay_fee(tx, rules.least_fee):
        block.waiting.append(tx)
    elif tx.kind == CALL and rules.drop_next > 0:
        rules.drop_next -= 1
        block.dropped.append(tx)
    else:
        revert = tx.kind == CALL and rules.revert_next > 0
        rules.revert_next -= revert
        block.mined.append((tx, world.execute(tx, revert, rules.at)))
        return True
    return False


def _sort_premature(
    world: ExecutionState,
    rules: BlockRules,
    early: dict[str, dict[int, Transaction]],
    block: BlockResult,
) -> None:
    for by_nonce in early.values():
        for tx in by_nonce.values():
            (block.dead if _is_dead(world, rules, tx) else block.waiting).append(tx)


def _is_dead(world: ExecutionState, rules: BlockRules, tx: Transaction) -> bool:
    """Whether no block can take a transaction any more: its nonce was used or its time is over."""
    if rules.has_nonces:
        return not tx.is_simulator_tx and tx.nonce < world.nonces.get(tx.account, 0)
    return tx.not_after is not None and tx.not_after < rules.at

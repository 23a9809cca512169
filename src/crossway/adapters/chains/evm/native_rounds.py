"""Which native deposits a scan looks for: all of few addresses; of many what transactions pay
directly, and what internal transfers pay to a part of them, another one each time."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from crossway.adapters.chains.evm import native_deposits
from crossway.adapters.chains.evm.chain_context import ChainContext, full_block_request
from crossway.adapters.chains.evm.native_deposits import MAX_ADDRESSES
from crossway.adapters.chains.evm.native_payments import BLOCKS_PER_BATCH, payments_in
from crossway.adapters.chains.evm.rpc_schemas import Block
from crossway.adapters.chains.rpc.block_scan import blocks_in
from crossway.adapters.chains.rpc.client import NodeUnavailable, RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.second_reading import merge_reports
from crossway.domain.deposits import IncomingTransfer
from crossway.ports.address_filter import AddressFilter
from crossway.ports.chain import Cursor

# The first time that a part is read, its balances are compared with those of so long ago: longer
# than a round through a million addresses takes, which another process may not have completed.
_LOOK_BACK_SECONDS: Final = 3_600.0


@dataclass
class _Reading:
    """The balances of a part at a height; of several parts only those that are not 0."""

    height: int
    amounts: dict[str, int]


@dataclass(frozen=True)
class _Turn:
    """What one scan reads: the part of this number, since a height, and some full blocks."""

    part: int
    parts: int
    watched: Sequence[str]
    low: int
    full_blocks: range


@dataclass
class NativeRounds:
    """The parts in turn. Nothing of it is stored: what it forgets is found again by the same
    names, and at the latest before a payment expires."""

    _part: int = -1
    _readings: dict[int, _Reading] = field(default_factory=dict)
    # Direct payments that were returned since an address was read: height and amount.
    _direct: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    _reached: Cursor | None = None
    _turn: _Turn | None = None

    def begin(
        self, context: ChainContext, watch: AddressFilter, after: Cursor, last: int
    ) -> list[RpcRequest]:
        """The requests of a scan after a cursor up to a height."""
        if self._reached != after:
            # The result of the last scan was not stored, its blocks were replaced, or another
            # process scanned.
            self._readings.clear()
            self._direct.clear()
        self._turn = turn = self._next_turn(context, watch, after, last)
        if turn is None:
            return []
        state = native_deposits.state_requests(context, turn.watched, turn.low, last)
        return [*state, *map(full_block_request, turn.full_blocks)]

    def finish(
        self,
        context: ChainContext,
        session: RpcSession,
        watch: AddressFilter,
        before: Block,
        end: Block,
        results: Sequence[Any],
    ) -> list[IncomingTransfer]:
        """The deposits in the results of these requests."""
        turn, incoming = self._turn, list[IncomingTransfer]()
        if turn is not None:
            count = len(results) - len(turn.full_blocks)
            blocks = zip(turn.full_blocks, results[count:], strict=True)
            direct = [t for h, b in blocks for t in _payments(context, session, watch, h, b)]
            risen, reading = self._find_risen(context, session, turn, results[:count], direct, end)
            incoming = merge_reports([direct, risen])
            # Only now: where something failed, another node is asked the same.
            self._keep(turn, reading, direct)
        self._reached = Cursor(end.height, end.hash)
        return incoming

    def _next_turn(
        self, context: ChainContext, watch: AddressFilter, after: Cursor, last: int
    ) -> _Turn | None:
        count = watch.count() if context.native_token and last > after.height else 0
        if not count:
            return None
        parts = -(-count // MAX_ADDRESSES)
        part = (self._part + 1) % parts
        watched = watch.list_part(part * MAX_ADDRESSES, MAX_ADDRESSES)
        if parts == 1:
            return _Turn(part, parts, watched, after.height, range(0))
        low = max(after.height - blocks_in(_LOOK_BACK_SECONDS, context.chain.block_time_seconds), 0)
        if (reading := self._readings.get(part)) is not None:
            low = reading.height
        newest = range(max(after.height, last - BLOCKS_PER_BATCH) + 1, last + 1)
        return _Turn(part, parts, watched, low, newest)

    def _find_risen(
        self,
        context: ChainContext,
        session: RpcSession,
        turn: _Turn,
        results: Sequence[Any],
        direct: Sequence[IncomingTransfer],
        end: Block,
    ) -> tuple[list[IncomingTransfer], _Reading]:
        """What the part received since it was read before, unless direct payments explain it; and
        its balances now."""
        state = native_deposits.read_state(
            context, session, turn.watched, results, turn.low, end.height
        )
        booked: Counter[str] = Counter()
        for address in turn.watched:
            booked[address] = sum(n for at, n in self._direct.get(address, ()) if at > turn.low)
        for transfer in direct:
            booked[transfer.to.lower()] += transfer.amount
        reading = self._readings.get(turn.part)
        known = None if reading is None else reading.amounts
        risen = native_deposits.explain(context, session, state, known, booked)
        kept = {a: n for a, n in state.balances.items() if n or turn.parts == 1}
        return risen, _Reading(end.height, kept)

    def _keep(self, turn: _Turn, reading: _Reading, direct: Sequence[IncomingTransfer]) -> None:
        self._part, self._readings[turn.part] = turn.part, reading
        for transfer in direct:
            payments = self._direct.setdefault(transfer.to.lower(), [])
            payments.append((transfer.block_height, transfer.amount))
        for address in turn.watched:
            self._direct.pop(address, None)


def _payments(
    context: ChainContext, session: RpcSession, watch: AddressFilter, height: int, block: Any
) -> list[IncomingTransfer]:
    if isinstance(block, RpcError):
        raise NodeUnavailable(f"{session.name} returned an error: {block.message}")
    return payments_in(context, session, height, block, watch.find_watched)

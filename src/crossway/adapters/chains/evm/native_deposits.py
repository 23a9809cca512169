"""Deposits of the native coin, which emit no log: found by bisecting balances.

What an address has ever received is its balance plus what our contracts took out of it, without
what the escrow returned to it. Where that sum rises from one block to the next, a deposit came in:
by a transaction to the address, which the block contains, or by an internal transfer, which is
reported under the block's own hash.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from crossway.adapters.chains.evm.abi import TOKENS_MOVED
from crossway.adapters.chains.evm.balances import (
    lens_requests,
    native_balance_request,
    parse_lens_results,
    read_balances,
)
from crossway.adapters.chains.evm.calldata import ZERO
from crossway.adapters.chains.evm.chain_context import (
    ChainContext,
    full_block_request,
    transaction_request,
)
from crossway.adapters.chains.evm.give_backs import is_give_back
from crossway.adapters.chains.evm.logs import events_request, fetch_events
from crossway.adapters.chains.evm.native_payments import (
    NativePayment,
    filter_successful,
    parse_payments,
    read_payments,
    to_transfer,
)
from crossway.adapters.chains.evm.rpc_schemas import (
    Block,
    Log,
    Receipt,
    parse_address,
    parse_block,
    parse_log,
    parse_quantity,
)
from crossway.adapters.chains.rpc.client import NodeUnavailable, RpcError, RpcRequest
from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse, as_list, as_object
from crossway.adapters.chains.words import WORD
from crossway.domain.deposits import IncomingTransfer, address_key

# The index of an internal transfer, above that of any direct payment.
_INTERNAL_INDEX = 1 << 30
MAX_ADDRESSES = 5_000
_NOTHING: Mapping[str, int] = MappingProxyType({})
# How nodes say that they do not keep the balances of an old block.
_NO_ARCHIVE = re.compile(
    r"missing trie node|prun|archive|histor|state\b.*\b(not|un)\s?available|old data|no state",
    re.IGNORECASE,
)


def is_internal(transfer: IncomingTransfer) -> bool:
    """Whether it is an internal transfer, reported under the hash of its block."""
    return transfer.index >= _INTERNAL_INDEX


def is_native(context: ChainContext, transfer: IncomingTransfer) -> bool:
    """Whether the native coin was transferred."""
    return transfer.token == context.native_token


def find(
    context: ChainContext, session: RpcSession, addresses: Sequence[str], before: Block, end: Block
) -> list[IncomingTransfer]:
    """The native deposits after the block `before` up to the block `end`."""
    if not context.native_token or not addresses or end.height <= before.height:
        return []
    watched = [address.lower() for address in addresses[-MAX_ADDRESSES:]]
    requests = state_requests(context, watched, before.height, end.height)
    results = session.batch(requests)
    state = read_state(context, session, watched, results, before.height, end.height)
    return explain(context, session, state, None)


@dataclass(frozen=True)
class NativeState:
    """Balances at the height `high`, and what our contracts took out of each address since `low`
    by height and amount; negative amounts are what they returned. Addresses in lower case."""

    low: int
    high: int
    balances: Mapping[str, int]
    withdrawals: Mapping[str, list[tuple[int, int]]]

    def received_by(self, address: str) -> int:
        """What an address has, and what was taken out of it since `low`."""
        taken = self.withdrawals.get(address, ())
        return self.balances[address] + sum(amount for _, amount in taken)


def state_requests(
    context: ChainContext, watched: Sequence[str], low: int, high: int
) -> list[RpcRequest]:
    """What `read_state` reads the results of."""
    requests = lens_requests(context, watched, context.native_token, hex(high))
    return [*requests, events_request(_moved_filter(context), low + 1, high)]


def read_state(
    context: ChainContext,
    session: RpcSession,
    watched: Sequence[str],
    results: Sequence[Any],
    low: int,
    high: int,
) -> NativeState:
    """The state that a node reports. Raises `Unreachable`."""
    *of_balances, events = results
    if any(isinstance(result, RpcError) for result in of_balances):
        token, at = context.native_token, hex(high)
        balances = dict(read_balances(context, session, watched, token, at))
    else:
        balances = parse_lens_results(context, watched, of_balances)
    if isinstance(events, RpcError):
        log_filter = _moved_filter(context)
        logs = fetch_events(session, context.limits, log_filter, low + 1, high)
    else:
        logs = [parse_log(value) for value in as_list(events, "logs")]
    return NativeState(low, high, balances, _withdrawals(context, logs, watched))


def explain(
    context: ChainContext,
    session: RpcSession,
    state: NativeState,
    known: Mapping[str, int] | None,
    booked: Mapping[str, int] = _NOTHING,
) -> list[IncomingTransfer]:
    """The deposits by which balances rose. `known` are balances at `low`, None where nobody has
    read any then; `booked` is what was returned as deposits since."""
    received = {address: state.received_by(address) for address in state.balances}
    # Whatever was there before: what was returned explains the others.
    candidates = {a: n for a, n in received.items() if n > booked.get(a, 0)}
    earlier = _earlier_balances(context, session, list(candidates), state.low, known)
    unknown = [parse_address(address) for address in candidates if address not in earlier]
    incoming = read_payments(context, session, unknown, state.low, state.high)
    for address, balance in earlier.items():
        if candidates[address] - balance > booked.get(address, 0):
            taken = state.withdrawals.get(address, [])
            bisection = _BalanceBisection(context, session, parse_address(address), taken)
            incoming += bisection.between(state.low, balance, state.high, state.balances[address])
    return incoming


def _moved_filter(context: ChainContext) -> dict[str, Any]:
    at = context.deployment
    contracts = [at.factory, at.escrow2] if at.escrow2 else [at.factory]
    return {"address": contracts, "topics": [TOKENS_MOVED.topic]}


def _withdrawals(
    context: ChainContext, logs: Sequence[Log], addresses: Sequence[str]
) -> dict[str, list[tuple[int, int]]]:
    """Height and amount of what our contracts took out of each of these addresses in lower case;
    negative amounts are what they returned to it."""
    withdrawals: dict[str, list[tuple[int, int]]] = {}
    watched = set(addresses)
    for log in logs:
        # The first word is the token's: most logs need no decoding.
        if any(log.data[:WORD]):
            continue
        _, source, to, amount = parse_tokens_moved(log)
        if source.lower() in watched:
            withdrawals.setdefault(source.lower(), []).append((log.height, amount))
        elif to.lower() in watched and is_give_back(context, log):
            withdrawals.setdefault(to.lower(), []).append((log.height, -amount))
    return withdrawals


def parse_tokens_moved(log: Log) -> tuple[str, str, str, int]:
    """Token, source, recipient and amount of a `TokensMoved` event of our contracts."""
    token, source, to, amount = TOKENS_MOVED.decode(log.data)
    return parse_address(token), parse_address(source), parse_address(to), amount


def _earlier_balances(
    context: ChainContext,
    session: RpcSession,
    addresses: Sequence[str],
    height: int,
    known: Mapping[str, int] | None,
) -> Mapping[str, int]:
    """The balances at a height; without those that are unknown because the node keeps no old state:
    what these addresses hold may be in the books already."""
    read = {address: known[address] for address in addresses if known and address in known}
    missing = [address for address in addresses if address not in read]
    held = _balances_at(context, session, missing, height)
    if held is None and known is not None:
        held = dict.fromkeys(missing, 0)
    return {**read, **(held or {})}


def _balances_at(
    context: ChainContext, session: RpcSession, addresses: Sequence[str], height: int
) -> Mapping[str, int] | None:
    """The balances at an old block; None where the node does not keep them."""
    if not addresses:
        return {}
    if not context.params.archive:
        return None
    result = session.batch([native_balance_request(addresses[0], hex(height))])[0]
    if isinstance(result, RpcError):
        if _NO_ARCHIVE.search(result.message):
            return None
        raise NodeUnavailable(f"the node returned an error: {result.message}")
    return read_balances(context, session, addresses, context.native_token, hex(height))


@dataclass
class _BalanceBisection:
    """Searches for the blocks in which one address received something; `taken` has height and
    amount of what our contracts took out."""

    context: ChainContext
    session: RpcSession
    address: str
    taken: Sequence[tuple[int, int]]

    def between(
        self, low: int, low_balance: int, high: int, high_balance: int
    ) -> list[IncomingTransfer]:
        """The deposits above the height `low` up to `high`."""
        taken = sum(amount for height, amount in self.taken if low < height <= high)
        received = high_balance + taken - low_balance
        if received <= 0:
            return []
        if high - low == 1:
            return self._in_block(high, received)
        middle = (low + high) // 2
        balances = _balances_at(self.context, self.session, [self.address], middle)
        if balances is None:
            return self._without_archive(low, high, received)
        middle_balance = balances[self.address]
        lower = self.between(low, low_balance, middle, middle_balance)
        return lower + self.between(middle, middle_balance, high, high_balance)

    def _without_archive(self, low: int, high: int, received: int) -> list[IncomingTransfer]:
        """Reads every block; what no transaction explains is attributed to the last block."""
        payments = read_payments(self.context, self.session, [self.address], low, high - 1)
        rest = received - sum(transfer.amount for transfer in payments)
        return payments + (self._in_block(high, rest) if rest > 0 else [])

    def _in_block(self, height: int, received: int) -> list[IncomingTransfer]:
        result = self.session.call(full_block_request(height))[0]
        block = parse_block(result, height)
        payments = parse_payments(result, {address_key(self.address)}.intersection)
        own = [payment for payment in payments if payment.amount <= received]
        direct = filter_successful(self.context, self.session, block, own)
        rest = received - sum(transfer.amount for transfer in direct)
        if rest < 0:
            raise MalformedResponse(f"the node's block {height} pays more than balances rose")
        if rest == 0:
            return direct
        internal = NativePayment(block.hash, ZERO, self.address, rest)
        index = _INTERNAL_INDEX | int(self.address[-7:], 16)
        return [*direct, to_transfer(self.context, block, internal, index)]


def verify(
    context: ChainContext, session: RpcSession, transfer: IncomingTransfer, receipt: Receipt | None
) -> bool:
    """Whether a transfer in a block that is on the chain was really made."""
    if is_internal(transfer):
        return _balance_rose(context, session, transfer)
    if receipt is None or receipt.block_hash != transfer.block_hash or not receipt.succeeded:
        return False
    result = session.call(transaction_request(transfer.tx_hash))[0]
    if result is None:
        return False
    value = as_object(result, "a transaction").get("value")
    return receipt.to == transfer.to and parse_quantity(value, "a value") == transfer.amount


def _balance_rose(context: ChainContext, session: RpcSession, transfer: IncomingTransfer) -> bool:
    height, to = transfer.block_height, transfer.to
    before = _balances_at(context, session, [to], height - 1)
    if before is None:
        # Without old balances, only the current one can be compared.
        return read_balances(context, session, [to], context.native_token)[to] >= transfer.amount
    after, events = session.call(
        native_balance_request(to, hex(height)),
        events_request(_moved_filter(context), height, height),
    )
    logs = [parse_log(value) for value in as_list(events, "logs")]
    moved = _withdrawals(context, logs, [to.lower()]).get(to.lower(), [])
    taken = sum(amount for _, amount in moved)
    return parse_quantity(after, "a balance") + taken - before[to] >= transfer.amount

"""Deposits of tokens that cannot be queried by recipient: found by bisecting balances.

What an address has ever received of a token is its balance plus what our factory took out of it.
Where that sum rises from one block to the next, a deposit came in, and the token's events of that
block are read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from crossway.adapters.chains.rpc.pool import RpcSession
from crossway.adapters.chains.starknet import balances
from crossway.adapters.chains.starknet.chain_context import ChainContext
from crossway.adapters.chains.starknet.events import EventQuery, fetch_events, query_by_token
from crossway.adapters.chains.starknet.rpc_schemas import LocatedEvent
from crossway.adapters.chains.starknet.tx_results import TOKENS_MOVED, parse_tokens_moved

Withdrawals = Mapping[tuple[str, str], Sequence[tuple[int, int]]]
"""Height and amount of what our factory took out, by token and address."""


def find_events(
    context: ChainContext,
    session: RpcSession,
    addresses: Sequence[str],
    tokens: Sequence[str],
    low: int,
    high: int,
) -> list[LocatedEvent]:
    """All events of a token in the blocks above `low` up to `high` in which an address received
    something of it."""
    if not tokens or not addresses or high <= low:
        return []
    withdrawals = _read_withdrawals(context, session, low + 1, high)
    blocks: set[tuple[str, int]] = set()
    for token in tokens:
        before = balances.read_balances(context, session, addresses, token, low)
        after = balances.read_balances(context, session, addresses, token, high)
        for address in addresses:
            taken = withdrawals.get((token, address), ())
            bisection = _BalanceBisection(context, session, token, address, taken)
            heights = bisection.between(low, before[address], high, after[address])
            blocks |= {(token, height) for height in heights}
    queries = [query_by_token(height, height, token) for token, height in sorted(blocks)]
    return fetch_events(session, context.limits, queries)


def _read_withdrawals(
    context: ChainContext, session: RpcSession, first: int, last: int
) -> Withdrawals:
    withdrawals: dict[tuple[str, str], list[tuple[int, int]]] = {}
    step, factory = context.params.event_blocks, context.deployment.factory
    queries = [
        EventQuery(start, min(start + step - 1, last), ((TOKENS_MOVED,),), factory)
        for start in range(first, last + 1, step)
    ]
    for located in fetch_events(session, context.limits, queries):
        moved = parse_tokens_moved(located.event)
        key = (moved.token, moved.source)
        withdrawals.setdefault(key, []).append((located.height, moved.amount))
    return withdrawals


@dataclass
class _BalanceBisection:
    """Searches for the blocks in which one address received a token; `taken` has height and amount
    of what our factory took out."""

    context: ChainContext
    session: RpcSession
    token: str
    address: str
    taken: Sequence[tuple[int, int]]

    def between(self, low: int, low_balance: int, high: int, high_balance: int) -> list[int]:
        """The heights above `low` up to `high`."""
        taken = sum(amount for height, amount in self.taken if low < height <= high)
        if high_balance + taken <= low_balance:
            return []
        if high - low == 1:
            return [high]
        middle = (low + high) // 2
        read = balances.read_balances(
            self.context, self.session, [self.address], self.token, middle
        )
        middle_balance = read[self.address]
        lower = self.between(low, low_balance, middle, middle_balance)
        return lower + self.between(middle, middle_balance, high, high_balance)

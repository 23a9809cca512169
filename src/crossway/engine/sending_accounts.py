"""Which of our accounts sends a transaction and pays its gas.

A payout spends the relayer's inventory, and what the coordinator's agents do the contracts take
from it alone. Calls that anyone may make are left to accounts that hold gas and nothing else, where
there are any: each has nonces of its own, so that none waits for the others.
"""

from collections.abc import Mapping, Sequence

from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, is_open_to_anyone
from crossway.engine.chain_snapshot import ChainSnapshot
from crossway.ports.chain_addresses import ChainAddresses
from crossway.ports.shards import Shards


class SendingAccounts:
    """The gas that is left, and the accounts that transactions with these calls are given."""

    def __init__(
        self,
        accounts: ChainAddresses,
        snapshot: ChainSnapshot,
        shards: Shards,
        calls: Mapping[int, OutboundCall],
    ) -> None:
        self._relayer, self._fee, self._calls = accounts.relayer, snapshot.fee_per_tx, calls
        self._in_turn = _own_share(accounts.gas_accounts, shards)
        # Passes with few transactions do not begin with the same account each time.
        self._turn = min(calls, default=0) % max(len(self._in_turn), 1)
        # What planning takes, and what is left to give.
        self._planned, self._left = dict(snapshot.gas), dict(snapshot.gas)

    def take(self, tx: OutboundTx) -> bool:
        """Set the gas of a transaction aside; False where no account that may send it has it."""
        only = self._find_only(tx)
        candidates = [*self._in_turn, self._relayer] if only is None else [only]
        account = next((a for a in candidates if self._planned[a] >= self._fee), None)
        if account is not None:
            self._planned[account] -= self._fee
        return account is not None

    def choose(self, groups: Sequence[Sequence[OutboundTx]]) -> list[str]:
        """The account for each of these transactions, several of which may share one."""
        return [self._find_only(group[0]) or self._next_for(group) for group in groups]

    def _next_for(self, group: Sequence[OutboundTx]) -> str:
        """The account whose turn it is, of those that have the gas; the relayer without any."""
        cost, first = self._fee * len(group), self._turn
        candidates = self._in_turn[first:] + self._in_turn[:first]
        account = next((a for a in candidates if self._left[a] >= cost), self._relayer)
        self._left[account] -= cost
        self._turn = (first + 1) % max(len(self._in_turn), 1)
        return account

    def _find_only(self, tx: OutboundTx) -> str | None:
        """The one account that may send a transaction; None where any of them may."""
        if tx.kind is OutboundTxKind.SKIP_NONCE:
            return tx.to_address
        call = self._calls.get(tx.id)
        return None if call is not None and is_open_to_anyone(call) else self._relayer


def _own_share(accounts: Sequence[str], shards: Shards) -> list[str]:
    """The accounts that an engine with these shards uses, none that others use where there are
    enough for all: reserving a nonce locks its account."""
    own = {shard % len(accounts) for shard in shards.held if accounts}
    own |= {n for n in range(len(accounts)) if n % shards.count in shards.held}
    return [accounts[n] for n in sorted(own)]

"""What the pools gave back of our deposits, by our own nodes: each final block is read once."""

from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

from crossway.adapters.bridges.across.pool_contract import FILLED
from crossway.adapters.bridges.across.pool_end import PoolEnd
from crossway.adapters.bridges.across.refunds import Refund, assign_refunds
from crossway.adapters.bridges.across.relays import Relay

BEFORE: Final = timedelta(hours=12)
"""So much older deposits may share a refund with one, or be refunded after it."""

BLOCKS: Final = 10_000
"""Read at a time."""


class RefundBook:
    """The deposits and refunds of one account at one pool; `ends` by the ids of their chains, where
    the deposits may have been filled. Safe to share between threads."""

    def __init__(self, end: PoolEnd, ends: Mapping[int, PoolEnd]) -> None:
        self._end, self._ends, self._lock = end, ends, Lock()
        self._since: datetime | None = None
        self._next = 0
        self._deposits: list[Relay] = []
        self._refunds: list[Refund] = []

    def find(self, relay: Relay, token: str, since: datetime) -> Refund | None:
        """The refund of a deposit of a token, which was made after `since` and which nobody filled
        in time; None where there is none that is final. Raises `Unreachable`."""
        with self._lock:
            self._read(since - BEFORE)
            own = [one for one in self._deposits if one.input_token == relay.input_token]
            refunds = [one for one in self._refunds if one.token == token]
            # Most looks end here: it takes hours.
            if not any(one.at > relay.deadline for one in refunds):
                return None
        return assign_refunds(self._unfilled(own), refunds).get(relay.deposit_id)

    def _read(self, since: datetime) -> None:
        if self._since is None or since < self._since:
            self._since, self._next = since, self._end.height_since(since)
            self._deposits, self._refunds = [], []
        last = self._end.heads().finalized
        # In parts, so that nodes which stop to answer in between are asked for the rest alone.
        while self._next <= last:
            until = min(self._next + BLOCKS - 1, last)
            deposits = self._end.own_deposits(self._next, until)
            refunds = self._end.refunds(self._next, until)
            self._deposits += deposits
            self._refunds += refunds
            self._next = until + 1

    def _unfilled(self, deposits: list[Relay]) -> list[Relay]:
        """Those that can never be filled any more. What went to chains that are not ours was
        deposited by a stranger."""
        by_chain: dict[int, list[Relay]] = defaultdict(list)
        for deposit in deposits:
            if deposit.destination in self._ends:
                by_chain[deposit.destination].append(deposit)
        unfilled = []
        for chain, relays in by_chain.items():
            states = self._ends[chain].fill_states(relays)
            unfilled += [
                relay
                for relay, status in zip(relays, states.statuses, strict=True)
                if status != FILLED and relay.deadline < states.final_time
            ]
        return unfilled

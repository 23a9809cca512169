"""The shards of chains that this engine may work on: takes, renews and gives up its leases."""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Final

from crossway.engine.lease_names import (
    PREFIX,
    Role,
    Shard,
    agree_on_counts,
    leases_to_take,
    parse_lease,
)
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.ports.store import Store, UnitOfWork

# Renewed after a third. Nobody waits for the leases of a sole engine: the next one ends them.
LEASE_SECONDS: Final = 15
SOLE_LEASE_SECONDS: Final = 45
# Soon again, where other engines were deciding how to divide a chain.
_UNDECIDED_SECONDS: Final = 1.0


class ChainLeases:
    """The leases of one engine, or indexer: an equal share of the chains among all of the role, and
    of the shards of chains that are divided.

    `epochs` tells from which change of owner on each lease is held. Renewals are timed by a clock
    that is never set, the leases themselves by that of the database.
    """

    def __init__(
        self,
        store: Store,
        owner: str,
        sole: bool,
        monotonic_seconds: Callable[[], float] = time.monotonic,
        role: Role = "engine",
    ) -> None:
        """`sole` ends all other leases at first; set it where no other engine runs."""
        self._store, self.owner, self._monotonic = store, owner, monotonic_seconds
        self._role, self._prefix = role, PREFIX[role]
        self._seconds = SOLE_LEASE_SECONDS if sole else LEASE_SECONDS
        self._takes_over = sole
        self._renew_at: float | None = None
        self.epochs: Mapping[str, int] = {}
        self.shards: Mapping[str, Shards] = {}
        """Of each chain, those that are leased."""
        self.indexed: set[str] = set()
        """The chains that an indexer looks at, as of the last time that leases were renewed."""

    @property
    def chains(self) -> set[str]:
        """The chains of which anything is leased."""
        return set(self.shards)

    @property
    def led(self) -> set[str]:
        """The chains whose first shard is leased: what concerns a chain as a whole comes with
        it."""
        return {chain for chain, shards in self.shards.items() if 0 in shards.held}

    def must_renew(self) -> bool:
        """Whether a third of the lease has passed, or it was lost."""
        return self._renew_at is None or self._monotonic() >= self._renew_at

    def renew(self, counts: Mapping[str, int]) -> set[str]:
        """Renew or take the leases of a share of these chains, each divided into so many shards;
        returns those whose leases are the same as before, and that nobody else has had since."""
        asked_at, seconds = self._monotonic(), self._seconds

        def work(unit: UnitOfWork) -> tuple[dict[str, int], dict[str, bool], bool]:
            if self._takes_over:
                unit.leases.take_over(self.owner)
            others = unit.leases.register_engine(self.owner, seconds, self._role)
            # Threads of this engine may be writing.
            unit.leases.lock_own(self.owner, self._prefix)
            taken = unit.leases.list_taken()
            agreed = agree_on_counts(unit, self._prefix, counts, taken)
            held: dict[str, int] = {}
            for names in leases_to_take(self._prefix, agreed):
                share = -(-len(names) // (others + 1))
                held |= unit.leases.acquire(names, self.owner, seconds, share) if names else {}
            return held, taken, len(agreed) == len(counts)

        epochs, taken, is_decided = self._store.write(work)
        prefix = PREFIX["indexer"]
        self.indexed = {parse_lease(n).chain for n in taken if taken[n] and n.startswith(prefix)}
        changed = {parse_lease(name).chain for name, _ in epochs.items() ^ self.epochs.items()}
        self.epochs, self._takes_over = epochs, False
        self.shards = _group(map(parse_lease, epochs))
        self._renew_at = asked_at + (seconds / 3 if is_decided else _UNDECIDED_SECONDS)
        return self.chains - changed

    def split(self, chains: Collection[str]) -> dict[Shards, list[str]]:
        """These chains by the shards of them that are leased."""
        by_shards: dict[Shards, list[str]] = defaultdict(list)
        for chain in chains:
            by_shards[self.shards[chain]].append(chain)
        return by_shards

    def lost(self) -> None:
        """Another engine has taken one over: the next pass begins with renewing."""
        self._renew_at = None

    def release(self) -> None:
        """Give all leases up."""
        self._store.write(lambda unit: unit.leases.release(self.owner))


def _group(leased: Iterable[Shard]) -> dict[str, Shards]:
    by_chain: dict[tuple[str, int], set[int]] = defaultdict(set)
    for shard in leased:
        by_chain[shard.chain, shard.count].add(shard.number)
    shards = {chain: Shards(count, frozenset(held)) for (chain, count), held in by_chain.items()}
    return {chain: ALL_SHARDS if of.are_all else of for chain, of in shards.items()}

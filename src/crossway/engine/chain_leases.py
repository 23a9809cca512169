"""The chains that this engine may work on: takes, renews and gives up its leases."""

import time
from collections.abc import Callable, Collection, Mapping
from typing import Final, Literal

from crossway.ports.store import Store, UnitOfWork

# Renewed after a third. Nobody waits for the leases of a sole engine: the next one ends them.
LEASE_SECONDS: Final = 15
SOLE_LEASE_SECONDS: Final = 45


Role = Literal["engine", "indexer"]
# How the names of each role's leases begin.
_PREFIX: Final[Mapping[Role, str]] = {"engine": "chain:", "indexer": "index:"}


class ChainLeases:
    """The leases of one engine, or indexer: an equal share of the chains among all of the role.

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
        self._role, self._prefix = role, _PREFIX[role]
        self._seconds = SOLE_LEASE_SECONDS if sole else LEASE_SECONDS
        self._takes_over = sole
        self._renew_at: float | None = None
        self.epochs: Mapping[str, int] = {}
        self.indexed: set[str] = set()
        """The chains that an indexer looks at, as of the last time that leases were renewed."""

    @property
    def chains(self) -> set[str]:
        """The chains that are leased."""
        return {_chain_of(name) for name in self.epochs}

    def must_renew(self) -> bool:
        """Whether a third of the lease has passed, or it was lost."""
        return self._renew_at is None or self._monotonic() >= self._renew_at

    def renew(self, chains: Collection[str]) -> set[str]:
        """Renew or take the leases of a share of these chains; returns those that nobody else has
        had since the last time."""
        asked_at, seconds = self._monotonic(), self._seconds
        names = sorted(self._prefix + chain for chain in chains)

        def work(unit: UnitOfWork) -> tuple[dict[str, int], set[str]]:
            if self._takes_over:
                unit.leases.take_over(self.owner)
            others = unit.leases.register_engine(self.owner, seconds, self._role)
            share = -(-len(names) // (others + 1))
            held = unit.leases.acquire(names, self.owner, seconds, share)
            return held, unit.leases.list_held(_PREFIX["indexer"])

        epochs, indexed = self._store.write(work)
        self.indexed = set(map(_chain_of, indexed))
        kept = {_chain_of(name) for name, _ in epochs.items() & self.epochs.items()}
        self.epochs, self._takes_over = epochs, False
        self._renew_at = asked_at + seconds / 3
        return kept

    def lost(self) -> None:
        """Another engine has taken one over: the next pass begins with renewing."""
        self._renew_at = None

    def release(self) -> None:
        """Give all leases up."""
        self._store.write(lambda unit: unit.leases.release(self.owner))


def _chain_of(lease: str) -> str:
    return lease.partition(":")[2]

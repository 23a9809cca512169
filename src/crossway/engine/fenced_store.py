"""The engine's view of the database: what it writes counts only while it holds its leases."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import TypeVar

from crossway.engine.chain_leases import ChainLeases
from crossway.ports.store import Store, UnitOfWork
from crossway.ports.topics import Topic

T = TypeVar("T")


class LeaseLost(Exception):
    """Another engine has taken over a chain: what this one read of it may no longer be so."""


class FencedStore:
    """`ports.store.Store`; a write raises `LeaseLost` once another engine has taken over a chain.

    An engine that slept past its leases (a paused machine, a slow node) would otherwise act on
    what it read before.
    """

    def __init__(self, store: Store, leases: ChainLeases) -> None:
        self._store, self._leases = store, leases

    @property
    def has_one_writer(self) -> bool:
        return self._store.has_one_writer

    def read(self) -> AbstractContextManager[UnitOfWork]:
        return self._store.read()

    def write(self, work: Callable[[UnitOfWork], T]) -> T:
        owner, epochs = self._leases.owner, self._leases.epochs

        def fenced(unit: UnitOfWork) -> T:
            if epochs and not unit.leases.holds(owner, epochs):
                raise LeaseLost
            return work(unit)

        return self._store.write(fenced)

    def version(self) -> object:
        return self._store.version()

    def stamp(self) -> Mapping[Topic, object]:
        return self._store.stamp()

    def ping(self) -> Iterable[str]:
        return self._store.ping()

"""The watched deposit addresses of all chains, in memory."""

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import timedelta
from typing import Final

from crossway.domain.deposits import address_key
from crossway.ports.intent_repository import AddressRow
from crossway.ports.services import Services

# Payments that ended long ago stay in memory until everything is read again.
_READ_AGAIN_SECONDS: Final = 86_400.0
# An id that was given to a payment is looked for as long as its transaction can possibly last.
_MISSING_SECONDS: Final = 600.0
_MOST_MISSING: Final = 10_000
# A block that replaces another one may carry an earlier timestamp.
_RECENT: Final = timedelta(hours=1)
_HEXADECIMAL: Final = frozenset({"evm", "starknet"})


class WatchedAddresses:
    """The addresses of payments that are open or ended lately, by chain; for one thread.

    PostgreSQL gives ids out before their transactions are committed. An id below the newest one
    that was not there is therefore looked for again, so that no address is left out.
    """

    def __init__(
        self, services: Services, monotonic_seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._services, self._monotonic = services, monotonic_seconds
        self._read_at: float | None = None
        self._kinds = {chain.id: chain.kind for chain in services.catalogue.chains.values()}
        # By family, because the address of a payment may be paid on another chain of it. Of bytes:
        # unlike through sets, the garbage collector does not walk through such dictionaries.
        self._keys: dict[str, dict[bytes, None]] = defaultdict(dict)
        self._of_chain: dict[str, list[bytes]] = defaultdict(list)
        self._newest_id = 0
        # When each id that is not stored yet was noticed.
        self._missing: dict[int, float] = {}

    def refresh(self) -> None:
        """Add what was committed since the last time; everything, the first time and each day."""
        now = self._monotonic()
        if self._read_at is None or now - self._read_at >= _READ_AGAIN_SECONDS:
            self._read_all(now)
            return
        with self._services.store.read() as unit:
            rows = unit.intents.list_added_addresses(self._newest_id, self._missing)
        self._add(rows)
        self._note_missing([intent_id for intent_id, _, _ in rows], now)

    def find_watched(self, chain: str, keys: Collection[bytes]) -> set[bytes]:
        """Those of these addresses, as `address_key` has them, that are watched on any chain of the
        family: who pays on the wrong one is found, too."""
        return self._keys[self._kinds[chain]].keys() & keys

    def count(self, chain: str) -> int:
        """How many payments of a chain are watched."""
        return len(self._of_chain[chain])

    def list_part(self, chain: str, first: int, count: int) -> Sequence[str]:
        """So many of a chain from a number on, oldest first; hexadecimal ones in lower case."""
        prefix = "0x" if self._kinds[chain] in _HEXADECIMAL else ""
        return [prefix + key.decode() for key in self._of_chain[chain][first : first + count]]

    def _read_all(self, now: float) -> None:
        since = self._services.clock.now() - timedelta(
            seconds=self._services.policy.late_watch_seconds
        )
        self._keys.clear()
        self._of_chain.clear()
        with self._services.store.read() as unit:
            # Before the addresses: what is committed in between is read again.
            newest = unit.intents.get_newest_id()
            first = max(newest - _MOST_MISSING, 0)
            recent = unit.intents.list_added_addresses(first, ())
            self._add(unit.intents.list_addresses(since))
        self._missing, self._newest_id = {}, first
        self._note_missing([intent_id for intent_id, _, _ in recent], now)
        self._read_at = now

    def _add(self, rows: Iterable[AddressRow]) -> None:
        kinds, keys, of_chain = self._kinds, self._keys, self._of_chain
        for _, chain, address in rows:
            key, watched = address_key(address), keys[kinds[chain]]
            if key not in watched:
                watched[key] = None
                of_chain[chain].append(key)

    def _note_missing(self, ids: Collection[int], now: float) -> None:
        """Remember the ids below the newest of these that were not there."""
        for intent_id in ids:
            self._missing.pop(intent_id, None)
        newest, before = max(ids, default=0), self._newest_id
        if newest > before:
            lowest = max(before + 1, newest - _MOST_MISSING)
            absent = set(range(lowest, newest)).difference(ids)
            self._missing |= dict.fromkeys(sorted(absent), now)
            self._newest_id = newest
        self._missing = {
            intent_id: noticed
            for intent_id, noticed in self._missing.items()
            if now - noticed < _MISSING_SECONDS
        }


class StoredAddressFilter:
    """`ports.address_filter.AddressFilter` over the stored intents of one chain, for one scan: what
    is watched is brought up to date when it is first asked for."""

    def __init__(self, services: Services, chain: str, watched: WatchedAddresses) -> None:
        self._services, self._chain, self._watched = services, chain, watched
        self._is_fresh = False

    def filter_known(self, addresses: Collection[str]) -> set[str]:
        with self._services.store.read() as unit:
            known = set(unit.intents.find_ids_by_address(addresses))
            return known | unit.payment_archive.find_known(addresses)

    def find_watched(self, keys: Collection[bytes]) -> set[bytes]:
        return self._up_to_date().find_watched(self._chain, keys)

    def count(self) -> int:
        return self._up_to_date().count(self._chain)

    def list_part(self, first: int, count: int) -> Sequence[str]:
        return self._up_to_date().list_part(self._chain, first, count)

    def list_all(self) -> Sequence[str]:
        return self._ended_within(timedelta(seconds=self._services.policy.late_watch_seconds))

    def list_recent(self) -> Sequence[str]:
        return self._ended_within(_RECENT)

    def _up_to_date(self) -> WatchedAddresses:
        if not self._is_fresh:
            self._watched.refresh()
            self._is_fresh = True
        return self._watched

    def _ended_within(self, span: timedelta) -> Sequence[str]:
        since = self._services.clock.now() - span
        with self._services.store.read() as unit:
            return unit.intents.list_watched_addresses(self._chain, since)

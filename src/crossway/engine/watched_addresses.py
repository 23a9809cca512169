"""The watched deposit addresses and standing addresses of all chains, in memory."""

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Final

from crossway.domain.deposits import address_key
from crossway.engine.added_rows import MOST_MISSING, AddedRows
from crossway.ports.intent_repository import AddressRow
from crossway.ports.services import Services

# Payments that ended long ago stay in memory until everything is read again.
_READ_AGAIN_SECONDS: Final = 86_400.0
# A block that replaces another one may carry an earlier timestamp.
_RECENT: Final = timedelta(hours=1)
_HEXADECIMAL: Final = frozenset({"evm", "starknet"})


class WatchedAddresses:
    """The addresses of payments that are open or ended lately, and all standing addresses, by
    chain; for one thread."""

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
        self._standing_of_chain: Counter[str] = Counter()
        self._intents, self._standing = AddedRows(), AddedRows()

    def refresh(self) -> None:
        """Add what was committed since the last time; everything, the first time and each day."""
        now = self._monotonic()
        if self._read_at is None or now - self._read_at >= _READ_AGAIN_SECONDS:
            self._read_all(now)
            return
        with self._services.store.read() as unit:
            intents = unit.intents.list_added_addresses(
                self._intents.newest_id, self._intents.missing
            )
            standing = unit.standing.list_added_addresses(
                self._standing.newest_id, self._standing.missing
            )
        self._add(intents)
        self._intents.note([intent_id for intent_id, _, _ in intents], now)
        self._add(self._counted(standing))
        self._standing.note([number for number, _, _ in standing], now)

    def find_watched(self, chain: str, keys: Collection[bytes]) -> set[bytes]:
        """Those of these addresses, as `address_key` has them, that are watched on any chain of the
        family: who pays on the wrong one is found, too."""
        return self._keys[self._kinds[chain]].keys() & keys

    def count(self, chain: str) -> int:
        """How many payments of a chain are watched."""
        return len(self._of_chain[chain])

    def has_standing(self, chain: str) -> bool:
        """Whether a chain has standing addresses."""
        return self._standing_of_chain[chain] > 0

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
        self._standing_of_chain.clear()
        with self._services.store.read() as unit:
            # Before the addresses: what is committed in between is read again.
            newest = unit.intents.get_newest_id()
            first = max(newest - MOST_MISSING, 0)
            recent = unit.intents.list_added_addresses(first, ())
            self._add(unit.intents.list_addresses(since))
            self._intents = AddedRows(first)
            self._intents.note([intent_id for intent_id, _, _ in recent], now)
            newest = unit.standing.get_newest_number()
            first = max(newest - MOST_MISSING, 0)
            added = unit.standing.list_added_addresses(first, ())
            self._add(self._counted(unit.standing.list_addresses()))
            self._standing = AddedRows(first)
            self._standing.note([number for number, _, _ in added], now)
        self._read_at = now

    def _counted(self, rows: Iterable[AddressRow]) -> Iterator[AddressRow]:
        for row in rows:
            self._standing_of_chain[row[1]] += 1
            yield row

    def _add(self, rows: Iterable[AddressRow]) -> None:
        kinds, keys, of_chain = self._kinds, self._keys, self._of_chain
        for _, chain, address in rows:
            key, watched = address_key(address), keys[kinds[chain]]
            if key not in watched:
                watched[key] = None
                of_chain[chain].append(key)


class StoredAddressFilter:
    """`ports.address_filter.AddressFilter` over the stored intents of one chain, for one scan: what
    is watched is brought up to date when it is first asked for."""

    def __init__(self, services: Services, chain: str, watched: WatchedAddresses) -> None:
        self._services, self._chain, self._watched = services, chain, watched
        self._is_fresh = False

    def filter_known(self, addresses: Collection[str]) -> set[str]:
        with self._services.store.read() as unit:
            known = set(unit.intents.find_ids_by_address(addresses))
            known |= unit.standing.find_by_addresses(addresses).keys()
            return known | unit.payment_archive.find_known(addresses)

    def find_watched(self, keys: Collection[bytes]) -> set[bytes]:
        return self._up_to_date().find_watched(self._chain, keys)

    def count(self) -> int:
        return self._up_to_date().count(self._chain)

    def list_part(self, first: int, count: int) -> Sequence[str]:
        return self._up_to_date().list_part(self._chain, first, count)

    def list_all(self) -> Sequence[str]:
        span = timedelta(seconds=self._services.policy.late_watch_seconds)
        return [*self._ended_within(span), *self._list_standing()]

    def list_recent(self) -> Sequence[str]:
        return self._ended_within(_RECENT)

    def _list_standing(self) -> list[str]:
        # Chains that are queried by address in every scan have none, and read none.
        if not self._up_to_date().has_standing(self._chain):
            return []
        with self._services.store.read() as unit:
            rows = unit.standing.list_addresses()
            return [address for _, chain, address in rows if chain == self._chain]

    def _up_to_date(self) -> WatchedAddresses:
        if not self._is_fresh:
            self._watched.refresh()
            self._is_fresh = True
        return self._watched

    def _ended_within(self, span: timedelta) -> Sequence[str]:
        since = self._services.clock.now() - span
        with self._services.store.read() as unit:
            return unit.intents.list_watched_addresses(self._chain, since)

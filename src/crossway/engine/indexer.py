"""Looks for deposits on chains, up to their heads."""

from collections.abc import Callable, Collection, Mapping
from functools import partial

from crossway.engine.deposit_watcher import scan_chain
from crossway.engine.watched_addresses import WatchedAddresses
from crossway.ports.chain import ChainHead, Cursor
from crossway.ports.services import Services

Guard = Callable[[str, Callable[[], int]], int]
"""Runs a named sweep and returns the amount of work done, also where it fails."""


class Indexer:
    """The deposits of one process's chains. It stores what pays a watched address, together with
    the position that it has reached; crediting is the engine's."""

    def __init__(self, services: Services, guard: Guard) -> None:
        self._services, self._guard = services, guard
        self._watched = WatchedAddresses(services)
        # By chain, the hash of the head up to which everything was scanned.
        self._scanned_block_hash: dict[str, str] = {}
        self._scanned_to: dict[str, Cursor] = {}

    def scan(self, heads: Mapping[str, ChainHead]) -> int:
        """Scan the next blocks of chains whose heads are new; returns the number of deposits."""
        services, done = self._services, 0
        with services.store.read() as unit:
            cursors = unit.cursors.get_all()
        for chain_id, head in heads.items():
            unchanged = self._scanned_block_hash.get(chain_id) == head.block_hash
            if unchanged or services.catalogue.chains[chain_id].testnet:
                continue
            scan = partial(self._scan_chain, chain_id, head, cursors.get(chain_id))
            done += self._guard(f"scan:{chain_id}", scan)
        return done

    def is_behind(self, chain_id: str, head: ChainHead) -> bool:
        """Whether scans, each of a limited number of blocks, have not reached a head yet."""
        scanned_to = self._scanned_to.get(chain_id)
        return scanned_to is not None and scanned_to.height < head.height

    def forget(self, kept: Collection[str]) -> None:
        """Forget the positions of all but these chains, which another process scans."""
        for by_chain in (self._scanned_to, self._scanned_block_hash):
            for chain in by_chain.keys() - set(kept):
                del by_chain[chain]

    def _scan_chain(self, chain_id: str, head: ChainHead, cursor: Cursor | None) -> int:
        scanned_to = self._scanned_to.pop(chain_id, None)
        deposit_count, new_position = scan_chain(
            self._services, chain_id, self._watched, cursor, scanned_to
        )
        if new_position is not None:
            self._scanned_to[chain_id] = new_position
        # Again up to the same head after deposits, because one scan may not return all of them,
        # and until it is reached.
        is_done = not deposit_count and not self.is_behind(chain_id, head)
        self._scanned_block_hash[chain_id] = head.block_hash if is_done else ""
        return deposit_count

"""The loop of an indexer in a process of its own: looks for deposits on the chains that it has
leased, and does nothing else."""

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from crossway.engine.chain_leases import ChainLeases
from crossway.engine.fenced_store import FencedStore
from crossway.engine.head_reader import HeadReader
from crossway.engine.indexer import Indexer
from crossway.engine.loop import BUSY_SECONDS
from crossway.engine.pace import BEAT_SECONDS, Pace
from crossway.engine.sleeper import Sleeper
from crossway.engine.sweep_guard import SweepGuard
from crossway.ports.services import Services


class IndexerLoop:
    """One indexer. Several may share a database: each chain is leased by one at a time, and engines
    leave it to that one."""

    def __init__(
        self,
        services: Services,
        owner: str,
        monotonic_seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._leases = ChainLeases(services.store, owner, False, monotonic_seconds, role="indexer")
        self._services = services = replace(
            services, store=FencedStore(services.store, self._leases)
        )
        self._guard = SweepGuard(services, self._leases)
        self._indexer = Indexer(services, self._guard.run)
        self._head_reader, self._pace = HeadReader(services), Pace(services)
        self._sleeper = Sleeper(services, BEAT_SECONDS)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Run in a thread until `stop` is called."""
        self._services.process.engine.start()
        self._thread = threading.Thread(target=self._run, name="indexer", daemon=True)
        self._thread.start()

    def stop(self, timeout_seconds: float = 10) -> None:
        """Finish the current pass, release the leases and end."""
        self._stopping.set()
        self._sleeper.wake()
        if self._thread is not None:
            self._thread.join(timeout_seconds)
        self._services.process.engine.running = False
        self._leases.release()

    def wake(self) -> None:
        """Start the next pass at once."""
        self._sleeper.wake()

    def tick(self, only_due: bool = False) -> int:
        """Scan the leased chains once, or those that are due; returns the number of deposits."""
        only_due = only_due and not self._leases.must_renew()
        leased = self._lease_chains()
        if not only_due:
            self._sleeper.begin()
        chains = self._pace.due_chains(leased) if only_due else leased
        heads = self._head_reader.read(chains)
        self._guard.run("outages", partial(self._head_reader.report, heads, heads))
        done = self._indexer.scan(heads)
        self._services.process.engine.record_pass(heads)
        if not done:
            behind = {chain for chain in heads if self._indexer.is_behind(chain, heads[chain])}
            self._pace.plan(chains, heads, behind)
        return done

    def _lease_chains(self) -> set[str]:
        if self._leases.must_renew():
            before = self._leases.chains
            kept = self._leases.renew(dict.fromkeys(self._services.chains, 1))
            if not self._leases.chains == kept == before:
                self._guard.load_failures()
                for part in (self._indexer, self._head_reader, self._pace):
                    part.forget(kept)
        return self._leases.chains

    def _run(self) -> None:
        only_due = False
        while not self._stopping.is_set():
            done = self._guard.run("indexer", partial(self.tick, only_due))
            seconds = BUSY_SECONDS if done else max(self._pace.seconds_to_next(), BEAT_SECONDS)
            only_due = not self._sleeper.sleep(seconds) and not done

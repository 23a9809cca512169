"""When the engine looks at which chain again: the due times of its sweeps."""

import math
import time
from collections.abc import Callable, Collection
from datetime import datetime
from typing import Final

from crossway.engine.sleeper import REST_SECONDS
from crossway.ports.due_times import ChainWork
from crossway.ports.services import Services
from crossway.ports.shards import ALL_SHARDS, Shards

BEAT_SECONDS: Final = 0.25
SIMULATED_REST_SECONDS: Final = 15.0
"""How long a simulated chain is left alone where nothing is due: all that happens there is a commit
of this database, and a commit makes every chain due."""


class Pace:
    """The next look at each chain; a chain that is not known yet is due at once."""

    def __init__(
        self, services: Services, monotonic_seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._services, self._monotonic = services, monotonic_seconds
        self._look_at: dict[str, float] = {}

    def due_chains(self, chains: Collection[str]) -> set[str]:
        """Those of the chains that are to be looked at now."""
        now = self._monotonic()
        return {chain for chain in chains if self._look_at.get(chain, now) <= now}

    def seconds_to_next(self) -> float:
        """How long nothing is due."""
        next_look = min(self._look_at.values(), default=self._monotonic() + REST_SECONDS)
        return min(max(next_look - self._monotonic(), 0.0), REST_SECONDS)

    def plan(
        self,
        chains: Collection[str],
        reached: Collection[str],
        behind: Collection[str],
        indexed: Collection[str] = (),
        shards: Shards = ALL_SHARDS,
    ) -> None:
        """Decide when to look at these shards again, after a pass that found nothing to do there.

        `reached`: those that responded. `behind`: those whose newest blocks are not all scanned
        yet. `indexed`: those that another process scans."""
        with self._services.store.read() as unit:
            work_by_chain = unit.due_times.of_chains(chains, shards)
        now, monotonic = self._services.clock.now(), self._monotonic()
        for chain, work in work_by_chain.items():
            # A payment expires by the time of its chain's head, which follows the clock.
            scans = chain not in indexed and (chain in behind or work.next_expiry_at is not None)
            seconds = max(self._seconds_to(work, now, scans), BEAT_SECONDS)
            is_simulated = self._services.environment != "live"
            rest = SIMULATED_REST_SECONDS if is_simulated and chain in reached else REST_SECONDS
            self._look_at[chain] = monotonic + min(seconds, rest)

    def forget(self, kept: Collection[str]) -> None:
        """Forget all but these chains."""
        self._look_at = {chain: at for chain, at in self._look_at.items() if chain in kept}

    def _seconds_to(self, work: ChainWork, now: datetime, scans: bool) -> float:
        """The due time of each sweep:

        * credit_confirmed, track_signed, finalize_confirmed: the next block, while one of their
          deposits or transactions is in progress;
        * submit_due: the `next_at` of the first transaction that waits;
        * expire_intents: the first expiry of a payment that is not started;
        * scan_chain: on a real chain the next block, while a payment is open or blocks are left;
          late deposits can wait for the longest sleep. On the simulated network every deposit is
          a commit of this database.
        """
        if work.in_progress or (scans and self._services.environment == "live"):
            return 0.0
        times = [at for at in (work.next_tx_at, work.next_expiry_at) if at is not None]
        return min(((at - now).total_seconds() for at in times), default=math.inf)

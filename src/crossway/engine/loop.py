"""The engine loop: runs every sweep over the chains that this engine has leased."""

import logging
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

from crossway.engine.agent_monitor import AgentMonitor
from crossway.engine.billing import Billing
from crossway.engine.bridge_watcher import BridgeWatcher
from crossway.engine.chain_leases import ChainLeases
from crossway.engine.claim_watcher import ClaimWatcher
from crossway.engine.export_writer import ExportWriter
from crossway.engine.fenced_store import FencedStore
from crossway.engine.head_reader import HeadReader
from crossway.engine.housekeeping import (
    INTERVAL_SECONDS,
    check_foreign_nonces,
    reset_backoff,
    update_alerts,
)
from crossway.engine.indexer import Indexer
from crossway.engine.inventory_funding import InventoryFunding
from crossway.engine.nonce_monitor import NonceMonitor
from crossway.engine.now_and_then import NowAndThen
from crossway.engine.outgoing_monitor import check_controls
from crossway.engine.pace import BEAT_SECONDS, Pace
from crossway.engine.profit_keeper import ProfitKeeper
from crossway.engine.ramp_worker import RampWorker
from crossway.engine.rebalancer import Rebalancer
from crossway.engine.reorg_monitor import recheck_after_reorg
from crossway.engine.sleeper import Sleeper
from crossway.engine.spare_time import SpareTime
from crossway.engine.standing_watcher import StandingWatcher
from crossway.engine.sweep_guard import SweepGuard
from crossway.engine.sweeps import run_sweeps
from crossway.engine.withdrawal_watcher import WithdrawalWatcher
from crossway.ports.chain import ChainHead
from crossway.ports.services import Services
from crossway.ports.shards import Shards
from crossway.usecases.money import reconciliation_runs
from crossway.usecases.operating import retention
from crossway.usecases.operating.payment_figures import count_changes

log = logging.getLogger("crossway.engine")

BUSY_SECONDS, GATHERING_SECONDS = 0.02, 0.1


class Engine:
    """One engine. Several may share a database: each chain, or each shard of one, is leased by one
    engine at a time.

    A lease that expires early causes duplicate work but never a duplicate payment.
    """

    def __init__(
        self,
        services: Services,
        owner: str,
        sole: bool = False,
        monotonic_seconds: Callable[[], float] = time.monotonic,
        housekeeping_seconds: float = INTERVAL_SECONDS,
    ) -> None:
        """`sole` takes over all leases at the start; set it where no other engine runs. So many
        `housekeeping_seconds` pass, by either clock, between what is done beside the chains."""
        self._leases = ChainLeases(services.store, owner, sole, monotonic_seconds)
        fenced = FencedStore(services.store, self._leases)
        self._export_writer = ExportWriter(services)
        self._billing = Billing(services)
        self._services = services = replace(services, store=fenced)
        self._guard = SweepGuard(services, self._leases)
        self._guarded = self._guard.run
        self._started_chains: set[str] = set()
        self._indexer = Indexer(services, self._guarded)
        self._housekeeping_at: tuple[datetime, datetime] | None = None  # what `_times` said
        self._housekeeping_interval = timedelta(seconds=housekeeping_seconds)
        self._sleeper = Sleeper(services, BEAT_SECONDS)
        self._pace = Pace(services)
        self._head_reader = HeadReader(services)
        self._nonce_monitor = NonceMonitor(services)
        self._claim_watcher = ClaimWatcher(services)
        self._standing_watcher = StandingWatcher(services)
        self._agent_monitor = AgentMonitor(services)
        self._withdrawal_watcher = WithdrawalWatcher(services)
        self._partitions = NowAndThen(services.clock, partial(retention.renew_partitions, services))
        unpaid = partial(retention.archive_unpaid, services)
        self._archive = NowAndThen(services.clock, unpaid, until_done=True)
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._ramp_worker = RampWorker(services)
        self._bridge_watcher = BridgeWatcher(services)
        self._inventory_funding = InventoryFunding(services)
        self._rebalancer = Rebalancer(services, owner)
        self._figures = SpareTime(services.clock, partial(count_changes, services.store))
        self._profit_keeper = ProfitKeeper(services)

    def start(self) -> None:
        """Run in a thread until `stop` is called."""
        self._services.process.engine.start()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()
        self._ramp_worker.start()

    def stop(self, timeout_seconds: float = 10) -> None:
        """Finish the current pass, release the leases and end."""
        self._stopping.set()
        self._sleeper.wake()
        self._ramp_worker.stop(timeout_seconds)
        self._bridge_watcher.stop()
        self._inventory_funding.stop()
        self._rebalancer.stop()
        self._export_writer.stop(timeout_seconds)
        self._billing.stop(timeout_seconds)
        if self._thread is not None:
            self._thread.join(timeout_seconds)
        self._services.process.engine.running = False
        self._leases.release()

    def wake(self) -> None:
        """Start the next pass at once."""
        self._sleeper.wake()
        self._ramp_worker.wake()

    def tick(self) -> int:
        """Run one pass over chains and ramp orders in this thread; returns the amount of work done.

        Failures of outside services are not raised. A started engine calls ramp providers in
        separate threads.
        """
        return self._run_pass() + self._guarded("ramps", self._ramp_worker.tick)

    def _run_pass(self, only_due: bool = False) -> int:
        """Run every sweep once over the leased chains, or over those that are due."""
        began = self._services.clock.machine()
        only_due = only_due and not self._leases.must_renew()
        leased = self._lease_chains()
        if not only_due:
            # After our own commit. A pass over what is due leaves any commit to a later, full one.
            self._sleeper.begin()
        chains = self._pace.due_chains(leased) if only_due else leased
        keeps_house, led = self._is_housekeeping_due(), self._leases.led
        # Alerts are about every chain, due or not.
        all_heads = self._head_reader.read(leased if keeps_house else chains)
        self._guarded("outages", partial(self._head_reader.report, all_heads, led))
        heads = {chain: head for chain, head in all_heads.items() if chain in chains}
        led_heads = {chain: head for chain, head in all_heads.items() if chain in led}
        self._guarded("new chains", partial(self._check_new_chains, chains, heads, led))
        scanned = led_heads.keys() & heads.keys() - self._leases.indexed
        done = self._indexer.scan({chain: heads[chain] for chain in scanned})
        for shards, of_shards in self._leases.split(heads).items():
            done += self._work({chain: heads[chain] for chain in of_shards}, shards)
        if keeps_house:
            done += self._run_housekeeping(led_heads)
        done += self._guarded("figures", partial(self._figures.use, began))
        done += self._guarded("profit", partial(self._profit_keeper.count, began))
        self._services.process.engine.record_pass(all_heads)
        if not done:
            self._plan(chains, heads)
        return done

    def _work(self, heads: Mapping[str, ChainHead], shards: Shards) -> int:
        """Run every sweep once over these shards of some chains."""
        progress = (heads, self._thread is not None, shards)
        done = self._guarded("bridges", partial(self._bridge_watcher.follow, *progress))
        done += self._guarded("inventory", partial(self._inventory_funding.follow, *progress))
        return done + run_sweeps(self._services, heads, self._guarded, shards)

    def _plan(self, chains: set[str], heads: Mapping[str, ChainHead]) -> None:
        """Decide when to look at these chains again."""
        behind = {chain for chain in heads if self._indexer.is_behind(chain, heads[chain])}
        scanned_elsewhere = self._leases.indexed | (chains - self._leases.led)
        for shards, of_shards in self._leases.split(chains).items():
            self._pace.plan(of_shards, heads, behind, scanned_elsewhere, shards)

    def _is_housekeeping_due(self) -> bool:
        """Every few seconds of either clock: the simulator advances the service's."""
        if self._housekeeping_at is None:
            return True
        pairs = zip(self._times(), self._housekeeping_at, strict=True)
        return max(abs(now - last) for now, last in pairs) >= self._housekeeping_interval

    def _times(self) -> tuple[datetime, datetime]:
        return self._services.clock.machine(), self._services.clock.now()

    def _run_housekeeping(self, heads: Mapping[str, ChainHead]) -> int:
        before, self._housekeeping_at = self._housekeeping_at, self._times()
        if before is None or self._housekeeping_at[0] < before[0]:
            self._guarded("backoff reset", partial(reset_backoff, self._services))
        self._guarded("retention", partial(retention.delete_expired, self._services))
        self._guarded("partitions", self._partitions.check)
        self._guarded("archive", self._archive.check)
        self._guarded("reconciliation", partial(reconciliation_runs.start_daily, self._services))
        checks = {
            "nonces": partial(self._nonce_monitor.check, heads),
            "claims": partial(self._claim_watcher.check, heads),
            "standing": partial(self._standing_watcher.check, heads),
            "agents": partial(self._agent_monitor.check, heads),
            "controls": partial(check_controls, self._services),
            "withdrawals": partial(self._withdrawal_watcher.check, heads),
            "rebalancing": partial(self._rebalancer.check, self._thread is not None),
            "exports": partial(self._export_writer.check, self._thread is not None),
            "billing": partial(self._billing.check, self._thread is not None),
        }
        done = sum(self._guarded(name, check) for name, check in checks.items())
        return done + self._guarded("housekeeping", partial(update_alerts, self._services, heads))

    def _check_new_chains(
        self, asked: set[str], heads: Mapping[str, ChainHead], led: set[str]
    ) -> int:
        """Check chains that this engine has just taken over for what happened meanwhile, all of
        their shards where it leads."""
        if new_chains := [c for c in heads if c in led and c not in self._started_chains]:
            check_foreign_nonces(self._services, new_chains)
            for chain in new_chains:
                recheck_after_reorg(self._services, chain, 0)
        self._started_chains = (self._started_chains - asked) | set(heads)
        return 0

    def _run(self) -> None:
        """Run a pass over everything after each commit, and over what is due when it is due."""
        only_due = False
        while not self._stopping.is_set():
            began = time.monotonic()
            done = self._guarded("tick", partial(self._run_pass, only_due))
            took = time.monotonic() - began
            if done and only_due:
                # It may go on at once, on a chain that this pass did not look at.
                only_due = False
                continue
            if done:
                # After a pass with much to do, let more come together: then a payment costs less.
                seconds = min(max(took, BUSY_SECONDS), GATHERING_SECONDS)
            else:
                seconds = max(self._pace.seconds_to_next(), BEAT_SECONDS)
            only_due = not self._sleeper.sleep(seconds) and not done

    def _lease_chains(self) -> set[str]:
        """The chains of this engine, whose leases are renewed when that is due."""
        if self._leases.must_renew():
            before = self._leases.chains
            wanted = self._services.policy.shards
            kept = self._leases.renew({c: wanted.get(c, 1) for c in self._services.chains})
            self._indexer.forget(kept & self._leases.led - self._leases.indexed)
            if not self._leases.chains == kept == before:
                self._guard.load_failures()
                self._keep_state_of(kept)
        return self._leases.chains

    def _keep_state_of(self, leased: set[str]) -> None:
        """Forget chains that another engine has or had, to check them anew."""
        self._started_chains &= leased
        self._head_reader.forget(leased)
        self._pace.forget(leased)

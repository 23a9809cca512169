"""The loop that runs the sweeps: one pass over the chains this engine holds, again and again."""

import logging
import threading
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import partial

from crossway.domain.errors import Unreachable
from crossway.engine.alarms import alarm
from crossway.engine.confirming import check_signed
from crossway.engine.detection import credit_ready, scan_chain
from crossway.engine.expiry import expire
from crossway.engine.finality import finalize, reorganised
from crossway.engine.naming import chain_name
from crossway.engine.ramps import Ramps
from crossway.engine.signing import send_due
from crossway.engine.upkeep import EVERY_SECONDS, hurry, look_after, look_for_outsiders
from crossway.ports.chain import Cursor, Heads
from crossway.ports.services import Services
from crossway.ports.store import Unit
from crossway.usecases.money import reconciling
from crossway.usecases.operating import retention

log = logging.getLogger("crossway.engine")

LEASE_SECONDS = 15
BUSY_SECONDS, IDLE_SECONDS = 0.02, 0.25
# Another engine, for which this sweep works, may have cleared the alarm.
RETELL_SECONDS = 60


class Engine:
    """One engine. Several may run on one database: each chain is worked by one at a time, and
    a lease that ends early costs work done twice, never money moved twice."""

    def __init__(self, services: Services, owner: str, sole: bool = False) -> None:
        """`sole` takes leases over when it begins: right where no other engine should run."""
        self._services, self._owner, self._sole = services, owner, sole
        self._held: set[str] = set()
        self._renew_at: datetime | None = None
        # What was last told of each chain, empty when it answers; of each sweep that is broken.
        self._silent: dict[str, str] = {}
        self._broken: dict[str, str] = {}
        self._told_at: dict[str, datetime] = {}
        self._scanned: dict[str, str] = {}
        self._begun: set[str] = set()
        self._newest: dict[str, Cursor] = {}
        self._upkeep_at: datetime | None = None
        self._awake = threading.Event()
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._ramps = Ramps(services)

    def start(self) -> None:
        """Run in a thread of its own until `stop`."""
        self._services.pulse.begin()
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()
        self._ramps.start()

    def stop(self, timeout_seconds: float = 10) -> None:
        """Finish the pass under way, give the leases back, and end."""
        self._stopping.set()
        self._awake.set()
        self._ramps.stop(timeout_seconds)
        if self._thread is not None:
            self._thread.join(timeout_seconds)
        self._services.pulse.runs = False
        self._services.store.write(lambda unit: unit.network.release(self._owner))

    def wake(self) -> None:
        """Something is due now: do not wait for the next pass."""
        self._awake.set()
        self._ramps.wake()

    def tick(self) -> int:
        """One pass over chains and ramp orders in this thread; answers how much was done. Never
        raises for an outsider's fault. A started engine asks ramp providers in threads of theirs.
        """
        return self._pass() + self._guarded("ramps", self._ramps.tick)

    def _pass(self) -> int:
        """One pass of every sweep over the chains."""
        heads = self._heads(self._lease())
        self._guarded("begin", partial(self._begin, heads))
        done = self._scan(heads)
        for sweep in _SWEEPS:
            done += self._guarded(sweep.__name__, partial(sweep, self._services, heads))
        done += self._keep_up(heads)
        self._services.pulse.beat(heads)
        return done

    def _keep_up(self, heads: Mapping[str, Heads]) -> int:
        now, last = self._services.clock.machine(), self._upkeep_at
        if last is not None and abs(now - last) < timedelta(seconds=EVERY_SECONDS):
            return 0
        self._upkeep_at = now
        if last is None or now < last:
            self._guarded("hurry", partial(hurry, self._services))
        self._guarded("retention", partial(retention.sweep, self._services))
        self._guarded("comparison", partial(reconciling.daily, self._services))
        return self._guarded("upkeep", partial(look_after, self._services, heads))

    def _begin(self, heads: Mapping[str, Heads]) -> int:
        """On chains that this engine has just taken over: what happened while nobody looked?"""
        fresh = [chain for chain in heads if chain not in self._begun]
        if fresh:
            look_for_outsiders(self._services, fresh)
            for chain in fresh:
                reorganised(self._services, chain, 0)
        self._begun = set(heads)
        return 0

    def _run(self) -> None:
        while not self._stopping.is_set():
            done = self._guarded("tick", self._pass)
            self._awake.wait(BUSY_SECONDS if done else IDLE_SECONDS)
            self._awake.clear()

    def _lease(self) -> set[str]:
        """The chains this engine works; an equal share of them when there are others."""
        now = self._services.clock.machine()
        if self._renew_at is not None and now < self._renew_at:
            return self._held
        chains = sorted(self._services.chains)
        until = now + timedelta(seconds=LEASE_SECONDS)

        def work(unit: Unit) -> set[str]:
            if self._sole and self._renew_at is None:
                unit.network.take_over(self._owner)
            others = unit.network.present(self._owner, now, until)
            most = -(-len(chains) // (others + 1))
            names = [f"chain:{chain}" for chain in chains]
            return unit.network.lease(names, self._owner, now, until, most)

        held = {name.partition(":")[2] for name in self._services.store.write(work)}
        if held != self._held:
            self._recall()
        self._held = held
        self._renew_at = now + timedelta(seconds=LEASE_SECONDS / 3)
        return self._held

    def _recall(self) -> None:
        """What was broken for whoever worked these chains before ends with the first success."""
        with self._services.store.read() as unit:
            told = unit.network.alarms()
        for one in told:
            if one.kind == "engine":
                self._broken.setdefault(one.subject, one.message)

    def _heads(self, chains: set[str]) -> dict[str, Heads]:
        heads: dict[str, Heads] = {}
        silent: dict[str, str] = {}
        for chain_id in sorted(chains):
            try:
                heads[chain_id] = self._services.chains[chain_id].heads()
            except Unreachable as error:
                silent[chain_id] = str(error)
        self._report({**dict.fromkeys(heads, ""), **silent})
        return heads

    def _report(self, found: Mapping[str, str]) -> None:
        """Raise and clear the alarms of the chains held now; those of others are theirs."""
        news = {c: message for c, message in found.items() if self._silent.get(c) != message}
        back = [f"unreachable:{c}" for c, message in news.items() if not message]

        def work(unit: Unit) -> None:
            for chain_id, message in news.items():
                if message:
                    key, text = f"unreachable:{chain_id}", self._silence(chain_id, message)
                    alarm(unit, self._services, key, "chain", chain_id, text)
            unit.network.clear_alarms(back, self._services.clock.now())

        if news:
            self._services.store.write(work)
        self._silent = dict(found)

    def _silence(self, chain_id: str, message: str) -> str:
        name = chain_name(self._services, chain_id)
        why = message.replace(chain_id, name)
        return why if why.startswith(name) else f"{name} does not answer: {why}"

    def _scan(self, heads: Mapping[str, Heads]) -> int:
        services = self._services
        with services.store.read() as unit:
            cursors = unit.network.cursors()
        done = 0
        for chain_id, head in heads.items():
            still = self._scanned.get(chain_id) == head.block_hash
            if still or services.catalogue.chains[chain_id].testnet:
                continue
            done += self._guarded(
                f"scan:{chain_id}", partial(self._scan_to, chain_id, head, cursors.get(chain_id))
            )
        return done

    def _scan_to(self, chain_id: str, head: Heads, cursor: Cursor | None) -> int:
        newest = self._newest.pop(chain_id, None)
        found, reached = scan_chain(self._services, chain_id, cursor, newest)
        if reached is not None:
            self._newest[chain_id] = reached
        # Where something was found there may be more than one scan gives back.
        self._scanned[chain_id] = "" if found else head.block_hash
        return found

    def _guarded(self, name: str, sweep: Callable[[], int]) -> int:
        """A defect in one sweep is logged once and raised as an alarm; the others go on."""
        try:
            done = sweep()
        except Unreachable:
            return 0
        except Exception as error:
            self._tell_broken(name, error)
            return 0
        if name in self._broken:
            now = self._services.clock.now()
            self._services.store.write(
                lambda unit: unit.network.clear_alarms([f"sweep:{name}"], now)
            )
            del self._broken[name]
        return done

    def _tell_broken(self, name: str, error: Exception) -> None:
        now, news = self._services.clock.machine(), self._broken.get(name) != repr(error)
        if not news and now - self._told_at.get(name, now) < timedelta(seconds=RETELL_SECONDS):
            return
        self._broken[name], self._told_at[name] = repr(error), now
        if news:
            log.error("sweep failed: %s", name, exc_info=error)
        message = f"The {name} sweep failed: {type(error).__name__}. The log has the details."
        try:
            self._services.store.write(
                lambda unit: alarm(unit, self._services, f"sweep:{name}", "engine", name, message)
            )
        except Exception:
            log.exception("the alarm could not be stored either")


_SWEEPS = (credit_ready, check_signed, send_due, finalize, expire)

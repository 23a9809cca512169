"""The processes of a run: started, killed, frozen, and started again."""

import random
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.campaign.market import chain_facts
from benchmarks.campaign.tally import Tally
from tests.databases import new_postgres
from tests.ports import free_port
from tests.postgres import running_postgres
from tests.processes import Installation, new_installation, wait_until

API = "api"
# A lease lasts 15 seconds, that of an engine alone on SQLite 45: a freeze outlasts it.
FREEZE_SECONDS, FREEZE_ALONE_SECONDS = (16.5, 19.0), (46.0, 48.0)


class Processes:
    """The API and its engines on one database; safe to share between threads."""

    def __init__(
        self,
        installation: Installation,
        engines: int,
        tally: Tally,
        life_seconds: int,
        inventory: bool,
    ) -> None:
        self._installation, self._tally = installation, tally
        self._settings = {
            "LOOPBACK_WEBHOOKS": "true",
            "INTENT_LIFE_SECONDS": str(life_seconds),
            "PAYOUT_GRACE_SECONDS": str(life_seconds),
            # Its payers are hostile: refunds would wait for days.
            "RETURN_ALLOWANCE_USD": "1000000",
            "INVENTORY": str(inventory),
            # What anyone may send has other nonces than what only the relayer may.
            "SIMULATED_GAS_ACCOUNTS": "2",
        }
        if engines > 1:
            # Every second chain is shared by its payments, the others as a whole.
            divided = sorted(chain_facts())[::2]
            self._settings["SHARDS"] = ",".join(f"{chain}={2 * engines}" for chain in divided)
        self._port = free_port()
        self.base = f"http://127.0.0.1:{self._port}"
        self.engines = [f"engine {number + 1}" for number in range(engines)]
        self._lock = threading.RLock()
        self._frozen: set[str] = set()
        self._started_at: dict[str, float] = {}

    def start_all(self) -> None:
        """Start what does not run."""
        for name in (API, *self.engines):
            self.start(name)
        wait_until("the API answers", self._is_ready)

    def start(self, name: str) -> None:
        """Start a process unless it runs."""
        with self._lock:
            if name in self._installation.running:
                return
            arguments = (API, "--port", str(self._port)) if name == API else ("engine",)
            self._installation.start(name, "crossway", *arguments, **self._settings)
            self._started_at[name] = time.monotonic()

    def command(self, *arguments: str) -> str:
        """The output of a `crossway` command."""
        return self._installation.run(*arguments)

    def age(self, name: str) -> float:
        """Seconds since its start; 0 while it is frozen."""
        with self._lock:
            return 0.0 if name in self._frozen else time.monotonic() - self._started_at[name]

    @property
    def frozen(self) -> frozenset[str]:
        """The processes that are frozen."""
        with self._lock:
            return frozenset(self._frozen)

    def kill(self, name: str) -> bool:
        """Kill a process and start it again; False if it is not there or frozen."""
        with self._lock:
            if name not in self._installation.running or name in self._frozen:
                return False
            self._installation.kill(name)
            self._tally.happened(f"kill {name}")
        self.start(name)
        return True

    def freeze(self, name: str, rng: random.Random, over: threading.Event) -> None:
        """Stop a process for longer than its lease, then let it go on, or kill it in its sleep."""
        alone = name != API and len(self.engines) == 1
        seconds = rng.uniform(*(FREEZE_ALONE_SECONDS if alone else FREEZE_SECONDS))
        with self._lock:
            if name not in self._installation.running:
                return
            self._frozen.add(name)
            self._installation.running[name].send_signal(signal.SIGSTOP)
        finished = not over.wait(seconds)
        with self._lock:
            self._frozen.discard(name)
            if rng.random() < 0.1:
                self._installation.kill(name)
                self._tally.happened(f"kill {name}")
            else:
                self._installation.running[name].send_signal(signal.SIGCONT)
        if finished:
            self._tally.happened(f"freeze {name}")
        self.start(name)

    def supervise(self) -> None:
        """Start again what ended, as a service manager does. None should end: a start waits where a
        frozen process keeps the SQLite file locked."""
        with self._lock:
            for name, run in list(self._installation.running.items()):
                if run.poll() is None:
                    continue
                del self._installation.running[name]
                last = self._installation.read_log(name).rstrip().rpartition("\n")[2]
                self._tally.problem(f"{name} ended by itself with code {run.returncode}: {last}")
                self._tally.happened(f"restart {name}")
                self.start(name)

    def logs(self) -> dict[str, str]:
        """The log of each process, of all its lives."""
        return {name: self._installation.read_log(name) for name in (API, *self.engines)}

    def _is_ready(self) -> bool:
        self.supervise()
        return self._installation.responds(API, f"{self.base}/api/readyz")


@contextmanager
def running_processes(
    database: str, folder: Path, tally: Tally, life_seconds: int, inventory: bool
) -> Iterator[tuple[Processes, str]]:
    """Processes and the URL of their database: one engine on SQLite; two on PostgreSQL, which share
    every second chain by its shards. Payments live this long, and their payouts are tried for as
    long again. `inventory`: also payments that no bridge carries are offered."""
    if database == "sqlite":
        url = f"sqlite:///{folder / 'crossway.db'}"
        with new_installation(url, folder) as installation:
            yield Processes(installation, 1, tally, life_seconds, inventory), url
    else:
        with (
            running_postgres() as server,
            new_postgres(server, empty=True) as url,
            new_installation(url, folder) as installation,
        ):
            yield Processes(installation, 2, tally, life_seconds, inventory), url

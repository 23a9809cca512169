"""The faults of a run: bad chains, bridges, ramps and receivers, clock jumps, kills, freezes."""

import heapq
import random
import threading
import time
from itertools import count
from typing import Any

from benchmarks.campaign.client import Client
from benchmarks.campaign.installation import API, Processes
from benchmarks.campaign.market import Market, chain_facts
from benchmarks.campaign.orders import PROVIDERS
from benchmarks.campaign.receiver import Receiver
from benchmarks.campaign.tally import Tally

CALM = {
    "outageSeconds": 0,
    "dropNext": 0,
    "revertNext": 0,
    "slowBlocks": 0,
    "feeFactor": 1,
    "lie": "",
}
BRIDGES, CALM_BRIDGE = ("ACROSS", "CCTP"), {"paused": False, "silent": False, "lateSeconds": 0}
CALM_PROVIDER = {"downSeconds": 0, "slowSeconds": 0, "refuseNext": 0, "shortBps": 0}
FAULT_PAUSE_SECONDS, CLOCK_PAUSE_SECONDS = (0.1, 1.0), (3.0, 9.0)
CLOCK_JUMP_SECONDS = (5, 45)
MAX_REORG_BLOCKS = 6
# Not those that leave deposits out: what is sent late to an ended payment, and what no second
# reading sees because the engine is killed before it, stays where it is.
LIES = ("forged", "chain_id", "stale", "time_ahead", "height_ahead")
KILL_GAP_SECONDS, MIN_AGE_SECONDS = 1.2, (0.5, 4.0)
# Of kills those of engines: alone it takes over at once, else the others wait for its leases.
ENGINE_SHARE = {1: 0.8, 2: 0.6}


class Weather:
    """A thread that injects faults, ends them after a while, and moves the clock."""

    def __init__(
        self, client: Client, market: Market, receiver: Receiver, tally: Tally, seed: int
    ) -> None:
        self._client, self._receiver, self._tally = client, receiver, tally
        self._chains = sorted(market.tokens)
        self._rng, self._numbers = random.Random(f"{seed} weather"), count()
        self._due: list[tuple[float, int, str, dict[str, Any]]] = []
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.inventory: dict[tuple[str, str], str] = {}

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """No more faults; those that last stay."""
        self._over.set()
        self._thread.join()

    def calm(self) -> None:
        """End all faults."""
        self._receiver.calm()
        for chain in self._chains:
            self._insist(f"/sandbox/chains/{chain}/faults", CALM)
        for _, _, path, body in self._due:
            self._insist(path, body)
        for bridge in BRIDGES:
            self._insist(f"/sandbox/bridges/{bridge}/faults", CALM_BRIDGE)
        for provider in PROVIDERS:
            self._insist(f"/sandbox/ramp/providers/{provider}/faults", CALM_PROVIDER)

    def advance(self, seconds: float) -> None:
        """Move the clock."""
        self._insist("/sandbox/clock", {"advanceSeconds": seconds})

    def _insist(self, path: str, body: dict[str, Any]) -> None:
        for pause in self._client.insist("POST", path, body):
            time.sleep(pause)

    def _run(self) -> None:
        rng, clock_at = self._rng, time.monotonic()
        while not self._over.wait(rng.uniform(*FAULT_PAUSE_SECONDS)):
            now = time.monotonic()
            while self._due and self._due[0][0] <= now:
                _, _, path, body = heapq.heappop(self._due)
                self._end(path, body)
            if clock_at <= now:
                clock_at = now + rng.uniform(*CLOCK_PAUSE_SECONDS)
                seconds = rng.randint(*CLOCK_JUMP_SECONDS)
                self._client.once("POST", "/sandbox/clock", {"advanceSeconds": seconds})
            self._inject()

    def _end(self, path: str, body: dict[str, Any]) -> None:
        if path == "receiver":
            self._receiver.down = False
        elif self._client.once("POST", path, body) is None:
            self._later(3, path, body)

    def _later(self, seconds: float, path: str, body: dict[str, Any]) -> None:
        heapq.heappush(self._due, (time.monotonic() + seconds, next(self._numbers), path, body))

    def _inject(self) -> None:
        rng, chain = self._rng, self._rng.choice(self._chains)
        path = f"/sandbox/chains/{chain}/faults"
        [kind] = rng.choices(tuple(_KINDS), [4 if kind == "reorg" else 1 for kind in _KINDS])
        body, lasting, end = _KINDS[kind](self, chain)
        if kind == "provider":
            path = f"/sandbox/ramp/providers/{rng.choice(PROVIDERS)}/faults"
        if kind == "bridge":
            path = f"/sandbox/bridges/{rng.choice(BRIDGES)}/faults"
        if kind == "receiver":
            path, self._receiver.down = "receiver", True
        elif not body or self._client.once("POST", path, body) is None:
            return
        self._tally.happened(f"fault {kind}")
        if end is not None:
            self._later(lasting, path, end)

    def reorg(self, chain: str) -> "Fault":
        """Never as deep as finality; where a transaction is lost, not as deep as a credit."""
        facts = chain_facts()[chain]
        dropped = self._rng.randint(0, 2)
        limit = facts.fast if dropped else facts.finalized
        depth = min(self._rng.randint(1, MAX_REORG_BLOCKS), limit - 1)
        body = {"reorgDepth": depth, "dropNext": dropped} if depth > 0 else {}
        return body, 0.0, None

    def shortage(self, chain: str) -> "Fault":
        """The relayer has nothing of a token for a while."""
        symbols = sorted(symbol for c, symbol in self.inventory if c == chain)
        if not symbols:
            return {}, 0.0, None
        symbol = self._rng.choice(symbols)
        full = {"balances": {"relayer": {symbol: self.inventory[chain, symbol]}}}
        return {"balances": {"relayer": {symbol: "0"}}}, self._rng.uniform(2, 12), full

    def bridge(self, chain: str) -> "Fault":
        """A bridge takes and delivers nothing, does not answer, or is late, for a while."""
        faults = ({"paused": True}, {"silent": True}, {"lateSeconds": self._rng.randint(10, 60)})
        return self._rng.choice(faults), self._rng.uniform(3, 12), CALM_BRIDGE

    def number(self, low: int, high: int) -> int:
        """A random number."""
        return self._rng.randint(low, high)

    def lie(self) -> str:
        """What a node may get wrong."""
        return self._rng.choice(LIES)


Fault = tuple[dict[str, Any], float, dict[str, Any] | None]
# The body of the fault, for how many seconds it lasts, and the body that ends it.
_KINDS: dict[str, Any] = {
    "outage": lambda w, c: ({"outageSeconds": w.number(2, 40)}, 0, None),
    "reorg": Weather.reorg,
    "drop": lambda w, c: ({"dropNext": w.number(1, 2)}, 0, None),
    "revert": lambda w, c: ({"revertNext": w.number(1, 2)}, 0, None),
    "slow blocks": lambda w, c: (
        {"slowBlocks": w.number(2, 6)},
        w.number(4, 15),
        {"slowBlocks": 0},
    ),
    "high fees": lambda w, c: ({"feeFactor": w.number(2, 4)}, w.number(4, 15), {"feeFactor": 1}),
    "foreign nonce": lambda w, c: ({"takeNonce": True}, 0, None),
    "lying node": lambda w, c: ({"lie": w.lie()}, w.number(2, 8), {"lie": ""}),
    "shortage": Weather.shortage,
    "receiver": lambda w, c: ({}, w.number(2, 8), {}),
    "bridge": Weather.bridge,
    "provider": lambda w, c: ({"downSeconds": w.number(2, 20)}, 0, None),
}


class Murder:
    """Two threads: one kills processes, the other freezes them, in step with the operations."""

    def __init__(
        self,
        processes: Processes,
        tally: Tally,
        seed: int,
        operations: int,
        kills: int,
        freezes: int,
    ) -> None:
        self._processes, self._tally = processes, tally
        self._operations, self._kills, self._freezes = operations, kills, freezes
        self._over = threading.Event()
        self._threads = [
            threading.Thread(target=work, args=(random.Random(f"{seed} {name}"),), daemon=True)
            for name, work in (("kills", self._kill), ("freezes", self._freeze))
        ]

    def start(self) -> None:
        """Begin."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End; what is frozen goes on."""
        self._over.set()
        for thread in self._threads:
            thread.join()

    @property
    def done(self) -> bool:
        """Whether there were as many kills and freezes as asked for."""
        return self._tally.kills >= self._kills and self._tally.freezes >= self._freezes

    def _is_due(self, done: int, wanted: int) -> bool:
        """Whether as much is done of these as of the operations; the first comes early."""
        return done < wanted and self._tally.operations * wanted >= (done + 0.5) * self._operations

    def _kill(self, rng: random.Random) -> None:
        while not self._over.wait(KILL_GAP_SECONDS):
            self._processes.supervise()
            if self._is_due(self._tally.kills, self._kills):
                name = self._draw(rng, ENGINE_SHARE[len(self._processes.engines)])
                # Some are killed while they start.
                if self._processes.age(name) > rng.uniform(*MIN_AGE_SECONDS):
                    self._processes.kill(name)

    def _freeze(self, rng: random.Random) -> None:
        while not self._over.wait(KILL_GAP_SECONDS):
            if self._is_due(self._tally.freezes, self._freezes):
                self._processes.freeze(self._draw(rng, 0.75), rng, self._over)

    def _draw(self, rng: random.Random, engine_share: float) -> str:
        """A process; while an engine is frozen, mostly not the one that acts for it."""
        if self._processes.frozen & set(self._processes.engines):
            engine_share /= 4
        return rng.choice(self._processes.engines) if rng.random() < engine_share else API

"""Webhooks: deliveries per second, and what a dead endpoint costs the others.

The dispatcher works as in production, on SQLite, over real sockets; the receivers are a process
beside it on the same processors. 10 000 events of ten clients, each with one endpoint, all due at
once, and by turns the same with one endpoint that takes requests and never answers: p95 over the
nine others, from the moment the dispatcher begins. Last, one client's events to ten endpoints.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from statistics import median

from benchmarks.receivers import PORTS, Receivers
from benchmarks.worlds import alike, caller, payment, service, store_pending
from crossway.bootstrap import Service
from crossway.domain.clients import Principal
from crossway.usecases.developers import webhooks
from crossway.usecases.developers.webhooks import WebhookUpdate

EVENTS, EACH, ROUNDS = 10_000, 2_000, 3
GOAL_SECONDS, GOAL_RATIO, GOAL_RATE = 120.0, 1.2, 300.0
WAIT_SECONDS = 300.0
Row = tuple[str, str, str, bool]


def run() -> list[Row]:
    """(name, figure, goal, met)."""
    with Receivers() as receivers:
        alone, beside, took = [], [], []
        for _ in range(ROUNDS):
            p95, seconds = _spread(receivers, dead=False)
            alone.append(p95)
            took.append(seconds)
            beside.append(_spread(receivers, dead=True)[0])
        rate = _one_to_ten(receivers)
    seconds = median(took)
    ratio = median(b / a for a, b in zip(alone, beside, strict=True))
    return [
        (
            f"{EVENTS} events of ten clients, all due at once, delivered",
            f"{seconds:.1f} s ({EVENTS / seconds:.0f} a second)",
            f"<= {GOAL_SECONDS:g} s",
            seconds <= GOAL_SECONDS,
        ),
        (
            "p95 of nine endpoints beside a dead one against without",
            f"{ratio:.2f} ({median(beside):.1f} s to {median(alone):.1f} s)",
            f"<= {GOAL_RATIO:g}",
            ratio <= GOAL_RATIO,
        ),
        (
            f"one client's {EACH} events to ten endpoints",
            f"{rate:.0f} deliveries a second",
            f">= {GOAL_RATE:g}",
            rate >= GOAL_RATE,
        ),
    ]


def _spread(receivers: Receivers, dead: bool) -> tuple[float, float]:
    """p95 of nine endpoints, and seconds until the last of all arrived."""
    receivers.came("again")
    if dead:
        receivers.came(str(receivers.ports[0]))
    each = EVENTS // PORTS
    with service() as built:
        for port in receivers.ports:
            who = caller(built)
            _hook(built, who, port)
            _happen(built, who, each)
        with _delivering(built) as began:
            _wait(receivers, receivers.ports[1:] if dead else receivers.ports, each)
        came = receivers.came()
    watched = sorted(at - began for port in receivers.ports[1:] for at in came[port])
    return watched[int(len(watched) * 0.95)], watched[-1]


def _one_to_ten(receivers: Receivers) -> float:
    """Deliveries per second."""
    receivers.came("again")
    with service() as built:
        who = caller(built)
        for port in receivers.ports:
            _hook(built, who, port)
        _happen(built, who, EACH)
        with _delivering(built) as began:
            _wait(receivers, receivers.ports, EACH)
        came = receivers.came()
    return EACH * PORTS / (max(at for times in came.values() for at in times) - began)


@contextmanager
def _delivering(built: Service) -> Iterator[float]:
    began = time.time()
    built.dispatcher.start()
    yield began
    built.dispatcher.stop()


def _hook(built: Service, who: Principal, port: int) -> None:
    webhooks.create_webhook(built.services, who, WebhookUpdate(url=f"http://127.0.0.1:{port}/hook"))


def _happen(built: Service, who: Principal, count: int) -> None:
    """Create events by creating as many payments."""
    model = payment(built, who)
    created = alike(built, model, secrets.randbits(100), count - 1)
    now = built.services.clock.now()
    store_pending(built, [replace(item, created_at=now, updated_at=now) for item in created])


def _wait(receivers: Receivers, ports: list[int], each: int) -> None:
    end = time.monotonic() + WAIT_SECONDS
    while any(len(times) < each for port, times in receivers.came().items() if port in ports):
        if time.monotonic() > end:
            raise RuntimeError("not everything was delivered in time")
        time.sleep(0.25)


if __name__ == "__main__":
    for name, figure, goal, met in run():
        print(f"{name}: {figure} (goal {goal}) {'met' if met else 'MISSED'}")

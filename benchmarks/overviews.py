"""The overview's cost with a growing number of stored payments.

A tenth of the last day's completions of each size fall into the 48 hours that are shown, a hundred
payments are under way, and some things need a person.
"""

import time
from dataclasses import replace
from statistics import median, quantiles

from sqlalchemy import insert

from benchmarks.worlds import alike, caller, payment, service, store_ended, store_pending
from crossway.bootstrap import Service
from crossway.domain.clients import Mode
from crossway.domain.corridor_stats import SECONDS, CorridorVolume, Outcome, Period
from crossway.domain.intent import Intent
from crossway.domain.roles import Role
from crossway.ports.records import Alert
from crossway.storage.tables import transitions
from crossway.usecases.operating import overview

STORED = (1_000, 100_000, 1_000_000)
ROUNDS, WARM_UP = 60, 5
UNDER_WAY, ALARMS, BUCKETS = 100, 20, 12
GOAL_MS, GOAL_GROWTH = 200.0, 1.3
Row = tuple[str, str, str, bool]


def run(stored: tuple[int, ...] = STORED) -> list[Row]:
    """(name, figure, goal, met)."""
    figures: list[tuple[float, float]] = []
    with service() as built:
        who = replace(caller(built), role=Role.ADMIN)
        model = payment(built, who)
        built.engine.tick()
        _under_way(built, model)
        kept = 0
        for wanted in stored:
            store_ended(built, model, 1 + kept, wanted - kept)
            _ended(built, model, kept, wanted - kept)
            kept = wanted
            times = []
            for number in range(WARM_UP + ROUNDS):
                began = time.perf_counter()
                overview.get_overview(built.services, who)
                if number >= WARM_UP:
                    times.append((time.perf_counter() - began) * 1000)
            figures.append((median(times), quantiles(times, n=20)[18]))
    sizes = " / ".join(f"{n:,}".replace(",", " ") for n in stored)
    p95, growth = max(late for _, late in figures), figures[-1][0] / figures[0][0]
    shown = " / ".join(f"{middle:.1f} ({late:.1f})" for middle, late in figures)
    return [
        (f"ms the overview, median (p95), {sizes} stored", shown, f"p95 <= {GOAL_MS:g}",
         p95 <= GOAL_MS),
        ("growth of its median", f"x {growth:.2f}", f"<= x {GOAL_GROWTH}", growth <= GOAL_GROWTH),
    ]  # fmt: skip


def _under_way(built: Service, model: Intent) -> None:
    store_pending(built, alike(built, model, 50_000_000, UNDER_WAY))
    now = built.services.clock.now()
    for number in range(ALARMS):
        alarm = Alert(
            f"stuck:{number}", "stuck", str(number + 1), f"Payment {number}", now, now, None
        )
        built.store.write(lambda unit, one=alarm: unit.alerts.raise_alert(one))


def _ended(built: Service, model: Intent, first: int, count: int) -> None:
    """The history and hourly counts of completed payments over two days."""
    now, terms = built.services.clock.now(), model.terms
    hour, spread = SECONDS[Period.HOUR], 48
    for start in range(first, first + count, 10_000):
        rows = [
            {
                "event_id": f"evt_history_{n}",
                "intent_id": n + 1,
                "at": int((now.timestamp() - n % (spread * hour)) * 1_000_000),
                "event": "FILLED",
                "from_state": "INITIATED",
                "to_state": "COMPLETED",
                "event_type": "intent_completed",
                "note": "",
            }
            for n in range(start, min(start + 10_000, first + count))
        ]
        with built.store.writer.begin() as db:
            db.execute(insert(transitions), rows)
    each = max(1, count // (spread * BUCKETS))
    flows = [
        CorridorVolume(
            Mode.TEST,
            terms.source_chain,
            terms.destination_chain,
            terms.bridge,
            "USDC",
            Outcome.PAID,
            20 + bucket,
            each,
            each * 25_000_000,
            each * 1_000,
        )
        for bucket in range(BUCKETS)
    ]
    for back in range(spread):
        at = now.fromtimestamp(now.timestamp() - back * hour, tz=now.tzinfo)
        built.store.write(lambda unit, at=at: unit.corridor_stats.add(flows, at))


if __name__ == "__main__":
    for name, figure, goal, met in run():
        print(f"{name}: {figure} (goal {goal}) {'met' if met else 'MISSED'}")

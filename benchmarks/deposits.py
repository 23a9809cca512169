"""Many deposits of another token to one payment: cost of a deposit, longest pass, and its pages.

Cost is this process's processor time, with the simulated chain in it, from the transfers until the
payment has ended and the engine has nothing left to do. If it does not depend on what was there
before, a deposit costs the same whether a thousand or ten thousand arrive.
"""

import time

from benchmarks import worlds
from crossway.bootstrap import Service
from crossway.domain.clients import Principal, staff_principal
from crossway.usecases.payers.checkout import get_checkout
from crossway.usecases.payments.checkout_urls import create_token
from crossway.usecases.payments.timeline import get_timeline
from crossway.usecases.simulator import chain_controls

SIZES = (1_000, 10_000)
GOAL_RATIO, GOAL_PASS_SECONDS, GOAL_READ_SECONDS = 1.5, 2.0, 0.05
_EXPIRY_SECONDS, _STEP_SECONDS, _MOST_PASSES = 24 * 3600 + 60, 2.0, 400
Row = tuple[str, str, str, bool]


def run(sizes: tuple[int, int] = SIZES) -> list[Row]:
    """(name, figure, goal, met)."""
    costs, rows = [], []
    for size in sizes:
        with worlds.service() as built:
            cost, longest, read = _measure(built, worlds.caller(built), size)
        costs.append(cost)
        rows += [
            (f"longest pass with {size:,} deposits to one payment", f"{longest:.2f} s",
             f"<= {GOAL_PASS_SECONDS:g} s", longest <= GOAL_PASS_SECONDS),
            (f"its page and its payer's page, {size:,} deposits", f"{read * 1000:.0f} ms",
             f"<= {GOAL_READ_SECONDS * 1000:g} ms", read <= GOAL_READ_SECONDS),
        ]  # fmt: skip
    ratio = costs[1] / costs[0]
    figure = f"{costs[0] * 1e6:.0f} / {costs[1] * 1e6:.0f} µs, ratio {ratio:.2f}"
    name = f"a deposit, {sizes[0]:,} / {sizes[1]:,} to one payment"
    return [(name, figure, f"ratio <= {GOAL_RATIO:g}", ratio <= GOAL_RATIO), *rows]


def _measure(built: Service, who: Principal, size: int) -> tuple[float, float, float]:
    """Processor seconds of a deposit, of the longest pass and of reading the pages."""
    services, intent = built.services, worlds.payment(built, who)
    token = services.catalogue.tokens[worlds.SOURCE, "USDT"].address
    built.engine.tick()
    began, longest = time.process_time(), 0.0
    chain_controls.send_deposit(services, who, intent.address, "1", token, None, size)
    for seconds in (_STEP_SECONDS, _EXPIRY_SECONDS):
        chain_controls.set_clock(services, who, seconds)
        for _ in range(_MOST_PASSES):
            pass_began = time.process_time()
            done = built.engine.tick()
            longest = max(longest, time.process_time() - pass_began)
            chain_controls.set_clock(services, who, _STEP_SECONDS)
            if not done and not _is_waiting(built, intent.id):
                break
    cost = (time.process_time() - began) / size
    for _ in range(2):
        # Statements are compiled the first time.
        began = time.process_time()
        get_timeline(services, staff_principal("benchmark"), intent.id)
        get_checkout(services, create_token(services, intent.id))
    return cost, longest, time.process_time() - began


def _is_waiting(built: Service, intent_id: int) -> bool:
    """Whether the newest deposit is not credited yet."""
    with built.store.read() as unit:
        newest = unit.deposits.list_by_intents([intent_id], 1)
    return not newest or newest[0].credited_at is None

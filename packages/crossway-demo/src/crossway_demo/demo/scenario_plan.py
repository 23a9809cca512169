"""The plan of the demo dataset, drawn from its parameters: the same seed gives the same plan."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

SEED = 20_260_101
_HOUR_SECONDS, _DAY_SECONDS = 3_600, 86_400
_GOLDEN_STEP = 6_181  # of 10,000, without a common divisor
# The payments of one group are created within this time, and settled within the second one.
GROUP_SECONDS, GROUP_SETTLE_SECONDS = 2_700, 600
# The number of source chains of a group.
_SOURCES_PER_GROUP = 4
_NETWORKS = {False: "mainnet", True: "testnet"}


class PaymentVariant(StrEnum):
    """How a payment goes: normally, or one of the deviations."""

    NORMAL = "normal"
    OVERPAID = "overpaid"
    EXPIRED = "expired"
    UNDERPAID = "underpaid"
    LATE = "late"
    WRONG_TOKEN = "wrong_token"
    TOPPED_UP = "topped_up"
    PAYOUT_REFUSED = "payout_refused"
    REFUND_REFUSED = "refund_refused"


_RECENT_VARIANTS = (
    PaymentVariant.NORMAL,
    PaymentVariant.WRONG_TOKEN,
    PaymentVariant.NORMAL,
    PaymentVariant.UNDERPAID,
    PaymentVariant.NORMAL,
    PaymentVariant.OVERPAID,
    PaymentVariant.EXPIRED,
)


@dataclass(frozen=True, slots=True)
class Merchant:
    """A merchant: its share of all payments, typical amounts, and the (chain, symbol) pairs it is
    paid in."""

    name: str
    colour: str
    weight: int
    median_usd: float
    spread: float
    payout_tokens: Sequence[tuple[str, str]]
    webhook_url: str
    reference: str
    test: bool = False


@dataclass(frozen=True, slots=True)
class Payment:
    """One planned payment; `at` in epoch seconds, the amount in US cents."""

    at: float
    merchant: str
    source: tuple[str, str]
    destination: tuple[str, str]
    cents: int
    reference: str
    variant: PaymentVariant


@cache
def parameters() -> Mapping[str, Any]:
    """The parameters of the dataset, from `demo_dataset.toml`."""
    return tomllib.loads(Path(__file__).with_name("demo_dataset.toml").read_text("utf-8"))


@cache
def list_merchants() -> Sequence[Merchant]:
    """All merchants of the dataset."""
    return tuple(
        Merchant(**(row | {"payout_tokens": tuple(map(tuple, row["payout_tokens"]))}))
        for row in parameters()["merchants"]
    )


def plan_payments(
    end: float, payments: int, days: int = 30, seed: int = SEED
) -> list[list[Payment]]:
    """About `payments` payments of the `days` before `end`, ordered by time.

    They come in groups that are created within an hour and paid together: one per day (UTC), and
    several in the last 24 hours, which the dashboard charts by hour.
    """
    random = Random(seed)
    days_of_groups = [_past_day(random, end, day) for day in range(days - 1, 0, -1)]
    days_of_groups = [(starts, day) for starts, day in days_of_groups if starts]
    days_of_groups.append((_last_day(end), end))
    activity = [_activity(at, end) for _, at in days_of_groups]
    groups, number = [], 1_000
    for (day_starts, _), share in zip(days_of_groups, activity, strict=True):
        for start in day_starts:
            size = max(1, round(payments * share / sum(activity) / len(day_starts)))
            offsets = sorted(random.uniform(0, GROUP_SECONDS) for _ in range(size))
            routes = _draw_routes(random)
            groups.append(
                [_payment(random, start + o, number + n, routes) for n, o in enumerate(offsets, 1)]
            )
            number += size
    return groups


def _activity(at: float, end: float) -> float:
    """The relative number of payments of the day (UTC) at a time, of a month that ends at `end`."""
    rhythm = parameters()["rhythm"]
    weekday = datetime.fromtimestamp(at, UTC).weekday()
    growth = 100 + rhythm["growth_percent"] * max(0.0, 30 - (end - at) / _DAY_SECONDS) / 30
    # The last 24 hours have a plan of their own, which leaves a part of yesterday.
    part = min(1.0, (end - _DAY_SECONDS - at) / _DAY_SECONDS) if at < end else 1.0
    return float(rhythm["weekdays"][weekday] * growth * part)


def _past_day(random: Random, end: float, day: int) -> tuple[list[float], float]:
    """When the group of a day (UTC), counted back from today, begins, mostly in a busy hour, and
    that day's beginning. No group where the last 24 hours leave no room for one."""
    day_start = end - end % _DAY_SECONDS - day * _DAY_SECONDS
    latest = end - _DAY_SECONDS - GROUP_SECONDS - GROUP_SETTLE_SECONDS - _HOUR_SECONDS
    hours = [h for h in range(22) if day_start + h * _HOUR_SECONDS < latest]
    if not hours:
        return [], day_start
    hour = random.choices(hours, [parameters()["rhythm"]["hours"][h] for h in hours])[0]
    return [day_start + hour * _HOUR_SECONDS + random.uniform(0, 900)], day_start


def _last_day(end: float) -> list[float]:
    """When the groups of the last 24 hours begin: at even distances."""
    count = parameters()["rhythm"]["last_day_groups"]
    step = (_DAY_SECONDS - GROUP_SECONDS - GROUP_SETTLE_SECONDS) / count
    return [end - _DAY_SECONDS + (number + 0.5) * step for number in range(count)]


def plan_recent_payments(start: float, count: int, seed: int = SEED) -> list[Payment]:
    """Payments of the last minutes, 12 seconds apart, some of them not paid yet."""
    random = Random(seed + 1)
    return [
        replace(
            _payment(random, start + 12 * number, 9_000 + number, _draw_routes(random)),
            variant=_RECENT_VARIANTS[number % len(_RECENT_VARIANTS)],
        )
        for number in range(count)
    ]


@dataclass(frozen=True, slots=True)
class _Routes:
    """The sources of a group's payments by network kind, and the payout token per merchant."""

    sources: Mapping[bool, Sequence[tuple[str, str]]]
    destinations: Mapping[str, tuple[str, str]]


def _draw_routes(random: Random) -> _Routes:
    """Few routes per group: each chain costs as much time as all its payments."""
    return _Routes(
        {
            test: _draw_sources(random, parameters()["sources"][network])
            for test, network in _NETWORKS.items()
        },
        {merchant.name: _draw_destination(random, merchant) for merchant in list_merchants()},
    )


def _draw_sources(
    random: Random, listed: Sequence[tuple[str, str, int]]
) -> Sequence[tuple[str, str]]:
    weights = [weight for *_, weight in listed]
    sources = random.choices(listed, weights, k=_SOURCES_PER_GROUP)
    return [(chain, symbol) for chain, symbol, _ in sources]


def _draw_destination(random: Random, merchant: Merchant) -> tuple[str, str]:
    tokens = merchant.payout_tokens
    return random.choices(tokens, range(len(tokens) + 1, 1, -1))[0]


def _payment(random: Random, at: float, number: int, routes: _Routes) -> Payment:
    merchants = list_merchants()
    merchant = random.choices(merchants, [candidate.weight for candidate in merchants])[0]
    chain, symbol = random.choice(routes.sources[merchant.test])
    cents = _draw_cents(random, merchant)
    return Payment(
        at,
        merchant.name,
        (chain, symbol),
        routes.destinations[merchant.name],
        cents,
        f"{merchant.reference}-{number}",
        PaymentVariant.NORMAL if merchant.test else _pick_variant(number),
    )


def _draw_cents(random: Random, merchant: Merchant) -> int:
    dollars = max(3.0, merchant.median_usd * random.lognormvariate(0, merchant.spread))
    endings = (0, 0, 50, 90, 95, 99, random.randrange(100))
    return min(int(dollars), 9_000) * 100 + random.choice(endings)


def _pick_variant(number: int) -> PaymentVariant:
    """By steps of the golden ratio, which spread the deviations evenly: chance would leave a small
    month without a single refund."""
    roll = number * _GOLDEN_STEP % 10_000
    for name, share in parameters()["variants"].items():
        if roll < share:
            return PaymentVariant(name)
        roll -= share
    return PaymentVariant.NORMAL


def start_time(end: float, days: int = 30) -> float:
    """When the dataset begins, a little before its first payment."""
    return end - days * _DAY_SECONDS - _DAY_SECONDS / 2

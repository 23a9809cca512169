"""What shall happen in a made-up month, drawn from its figures: the same seed, the same month."""

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
_DAY = 86_400
# Payments of one group are asked for within so many seconds, and carried to their end in so many.
LASTS, AFTER = 2_700, 600
# From how many chains the payments of a group come, at most.
_SOURCES = 4
_NETS = {False: "mainnet", True: "testnet"}


class Way(StrEnum):
    """How a payment goes."""

    GOOD = "good"
    OVER = "over"
    EXPIRED = "expired"
    SHORT = "short"
    LATE = "late"
    FOREIGN = "foreign"
    TOPPED_UP = "topped_up"
    REFUSED = "refused"
    NO_WAY_BACK = "no_way_back"


@dataclass(frozen=True, slots=True)
class Merchant:
    """Who sells, and how; `to` are the (chain, symbol) on which it is paid."""

    name: str
    colour: str
    weight: int
    middle_usd: float
    spread: float
    to: Sequence[tuple[str, str]]
    hook: str
    reference: str
    test: bool = False


@dataclass(frozen=True, slots=True)
class Payment:
    """One payment as it shall go; `at` in epoch seconds, the amount in cents of a USD."""

    at: float
    merchant: str
    source: tuple[str, str]
    to: tuple[str, str]
    cents: int
    reference: str
    way: Way


@cache
def figures() -> Mapping[str, Any]:
    """The figures of the month, as its file has them."""
    return tomllib.loads(Path(__file__).with_name("month.toml").read_text("utf-8"))


@cache
def merchants() -> Sequence[Merchant]:
    """Who sells."""
    return tuple(
        Merchant(**(one | {"to": tuple((chain, symbol) for chain, symbol in one["to"])}))
        for one in figures()["merchants"]
    )


def planned(end: float, payments: int, days: int = 30, seed: int = SEED) -> list[list[Payment]]:
    """The payments of so many days before `end`, about as many as asked for, all in their order in
    time, in groups of those that are asked for within an hour and paid together: one a day, and
    several on the last day, whose hours people look at."""
    dice = Random(seed)
    rhythm = figures()["rhythm"]
    past = range(days - 1, -1, -1)
    when = [_moments(dice, end, day, 1 if day else rhythm["groups_of_last_day"]) for day in past]
    busy = [_busy(end, day) for day in past]
    groups, number = [], 1_000
    for moments, share in zip(when, busy, strict=True):
        for moment in moments:
            size = max(1, round(payments * share / sum(busy) / len(moments)))
            offsets = sorted(dice.uniform(0, LASTS) for _ in range(size))
            ways = _ways(dice)
            groups.append(
                [_payment(dice, moment + o, number + n, ways) for n, o in enumerate(offsets, 1)]
            )
            number += size
    return groups


def _busy(end: float, day: int) -> float:
    """How busy a day is, counted back from the last."""
    rhythm = figures()["rhythm"]
    weekday = datetime.fromtimestamp(end - day * _DAY, UTC).weekday()
    grown = 100 + rhythm["growth"] * max(0, 30 - day) / 30
    return float(rhythm["weekdays"][weekday] * grown)


def _moments(dice: Random, end: float, day: int, count: int) -> list[float]:
    """When the groups of a day begin, counted back from the last: in the hours that are busy."""
    begins = end - (day + 1) * _DAY
    if count > 1:
        step = (_DAY - LASTS - AFTER) / count
        return [begins + (number + 0.5) * step for number in range(count)]
    # Not the day's last hours: the next day's group follows it.
    hours = range(20)
    weights = figures()["rhythm"]["hours"]
    busy = [weights[datetime.fromtimestamp(begins + h * 3_600, UTC).hour] for h in hours]
    return [begins + dice.choices(hours, busy)[0] * 3_600 + dice.uniform(0, 900)]


def late_comers(begins: float, count: int, seed: int = SEED) -> list[Payment]:
    """Payments of the last minutes, a few seconds apart: some are paid, some not yet."""
    dice = Random(seed + 1)
    ways = (Way.GOOD, Way.GOOD, Way.EXPIRED, Way.SHORT, Way.GOOD, Way.OVER, Way.EXPIRED)
    return [
        replace(
            _payment(dice, begins + 12 * number, 9_000 + number, _ways(dice)),
            way=ways[number % len(ways)],
        )
        for number in range(count)
    ]


@dataclass(frozen=True, slots=True)
class _Ways:
    """From where and to where the payments of a group go."""

    sources: Mapping[bool, Sequence[tuple[str, str]]]
    to: Mapping[str, tuple[str, str]]


def _ways(dice: Random) -> _Ways:
    """Few of all: each chain that takes part in a group costs as much as its payments do."""
    return _Ways(
        {test: _drawn(dice, figures()["sources"][net]) for test, net in _NETS.items()},
        {one.name: _to(dice, one) for one in merchants()},
    )


def _drawn(dice: Random, listed: Sequence[tuple[str, str, int]]) -> Sequence[tuple[str, str]]:
    weights = [weight for *_, weight in listed]
    return [(chain, symbol) for chain, symbol, _ in dice.choices(listed, weights, k=_SOURCES)]


def _to(dice: Random, merchant: Merchant) -> tuple[str, str]:
    return dice.choices(merchant.to, range(len(merchant.to) + 1, 1, -1))[0]


def _payment(dice: Random, at: float, number: int, ways: _Ways) -> Payment:
    known = merchants()
    merchant = dice.choices(known, [one.weight for one in known])[0]
    chain, symbol = dice.choice(ways.sources[merchant.test])
    to = ways.to[merchant.name]
    return Payment(
        at, merchant.name, (chain, symbol), to, _cents(dice, merchant),
        f"{merchant.reference}-{number}", Way.GOOD if merchant.test else _way(dice),
    )  # fmt: skip


def _cents(dice: Random, merchant: Merchant) -> int:
    dollars = max(3.0, merchant.middle_usd * dice.lognormvariate(0, merchant.spread))
    endings = (0, 0, 50, 90, 95, 99, dice.randrange(100))
    return min(int(dollars), 9_000) * 100 + dice.choice(endings)


def _way(dice: Random) -> Way:
    drawn = dice.randrange(10_000)
    for name, share in figures()["shares"].items():
        if drawn < share:
            return Way(name)
        drawn -= share
    return Way.GOOD


def first_moment(end: float, days: int = 30) -> float:
    """When the month begins, a little before its first payment."""
    return end - days * _DAY - _DAY / 2

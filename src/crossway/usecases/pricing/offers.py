"""Asking bridges for their price of one or many legs, all bridges at once."""

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.errors import QuotesUnavailable, Unreachable
from crossway.domain.quotes import LeftOut, Leg, NoOffer, Offer
from crossway.ports.process import BridgeHealth
from crossway.ports.quoting import Bridge
from crossway.ports.services import Services
from crossway.usecases.network.switches import route_is_off
from crossway.usecases.pricing.asking import ask

Answer = Sequence[Offer | NoOffer]


@dataclass(frozen=True, slots=True)
class Offered:
    """By leg, in order: the offers and the refusals; `missing` are the bridges that failed."""

    offers: tuple[tuple[Offer, ...], ...]
    refusals: tuple[tuple[NoOffer, ...], ...]
    missing: tuple[LeftOut, ...]


def offers_for(
    services: Services, bridges: Sequence[Bridge], legs: Sequence[Leg], off: Collection[str]
) -> Offered:
    """What the bridges offer. Raises `QuotesUnavailable` when not one of them answered."""
    now = services.clock.now()
    health = services.bridge_health
    questions = {str(bridge.name): _question(bridge, legs, now, health) for bridge in bridges}
    at_once = [str(bridge.name) for bridge in bridges if bridge.at_once]
    answers = ask(services.asking, questions, services.policy.patience, at_once)
    if questions and not answers.given:
        silent = ", ".join(f"{left.subject} {left.reason}" for left in answers.missing)
        raise QuotesUnavailable(f"No bridge could answer: {silent}")
    offers: list[tuple[Offer, ...]] = []
    refusals: list[tuple[NoOffer, ...]] = []
    given = [answers.given[name] for name in questions if name in answers.given]
    for index in range(len(legs)):
        found = [_unless_off(answer[index], off) for answer in given]
        offers.append(tuple(answer for answer in found if isinstance(answer, Offer)))
        refusals.append(tuple(answer for answer in found if isinstance(answer, NoOffer)))
    return Offered(tuple(offers), tuple(refusals), answers.missing)


def _question(
    bridge: Bridge, legs: Sequence[Leg], now: datetime, health: BridgeHealth
) -> Callable[[], Answer]:
    def asked() -> Answer:
        answer = bridge.offers(legs, now)
        if len(answer) != len(legs):
            raise Unreachable(f"gave {len(answer)} answers to {len(legs)} questions")
        return answer

    def question() -> Answer:
        begun = time.perf_counter()
        try:
            answer = asked()
        except Exception as error:
            words = str(error) if isinstance(error, Unreachable) else type(error).__name__
            health.asked(bridge.name, time.perf_counter() - begun, words or "could not be reached")
            raise
        health.asked(bridge.name, time.perf_counter() - begun)
        return answer

    return question


def _unless_off(answer: Offer | NoOffer, off: Collection[str]) -> Offer | NoOffer:
    leg = answer.leg
    if off and route_is_off(off, answer.bridge, leg.source, leg.destination):
        reason = f"{answer.bridge} is switched off for {leg.source} -> {leg.destination}"
        return NoOffer(answer.bridge, leg, reason)
    return answer

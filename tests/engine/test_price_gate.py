"""A start waits while a price that it needs cannot be used; fixed terms hold whatever prices do."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from crossway.domain.errors import Unreachable
from crossway.domain.intent import State
from crossway.domain.money import Price
from crossway.domain.outbound import OutboundTxKind
from crossway.engine.loop import Engine
from crossway.usecases.operating.alerts import KINDS
from tests.harness import CATALOGUE, PRICES, Harness

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
USDT = CATALOGUE.tokens[BASE, "USDT"].address
ETH = CATALOGUE.tokens[BASE, "ETH"].address


@dataclass
class MovingPrices:
    """The reference prices, with changes; silent where the source does not answer."""

    world: Harness
    pico_usd: dict[str, int] = field(default_factory=dict)
    silent: bool = False

    def get_usd_prices(self, symbols: Collection[str]) -> Mapping[str, Price]:
        if self.silent:
            raise Unreachable("the feed is down")
        now, known = self.world.clock.now(), PRICES | self.pico_usd
        return {s: Price(s, known[s], now) for s in symbols if s in known}

    def max_age_seconds(self) -> float:
        return 60.0


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Harness]:
    built = Harness(f"sqlite:///{tmp_path / 'crossway.db'}", chains=[BASE, ARBITRUM])
    yield built
    built.store.close()


@pytest.fixture
def prices(world: Harness) -> MovingPrices:
    moving = MovingPrices(world)
    world.services = replace(world.services, prices=moving)
    world.engine = Engine(world.services, "test", sole=True)
    return moving


def price_alerts(world: Harness) -> list[str]:
    with world.store.read() as unit:
        return [a.message for a in unit.alerts.list_active(limit=100) if a.kind == "price"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"pico_usd": {"USDT": 970 * 10**9}}, "USDT is off its peg by more than 2%."),
        ({"silent": True}, "The price source does not answer."),
    ],
)
def test_a_start_waits_while_a_price_cannot_be_used_and_goes_on_after_it(
    world: Harness, prices: MovingPrices, change: Mapping[str, object], reason: str
) -> None:
    converted, same = world.create_intent(token_in=USDT), world.create_intent()
    for name, value in change.items():
        setattr(prices, name, value)
    world.deposit(converted)
    world.deposit(same)
    world.wait_for_state(same, State.COMPLETED)
    world.pass_time(20, 5)
    assert world.reload(converted).state is State.FUNDED
    with world.store.read() as unit:
        (start,) = unit.outbound_txs.list_by_intents([converted.id], OutboundTxKind.START)
    assert start.reason == reason
    assert price_alerts(world) == [reason]
    assert "price" in KINDS
    prices.silent = False
    prices.pico_usd.clear()
    world.wait_for_state(converted, State.COMPLETED)
    world.pass_time(20, 5)
    assert price_alerts(world) == []


def test_a_payment_whose_start_waits_to_the_end_is_refunded(
    world: Harness, prices: MovingPrices
) -> None:
    intent = world.create_intent(token_in=USDT)
    prices.pico_usd["USDT"] = 900 * 10**9
    world.deposit(intent)
    world.wait_for_state(intent, State.FUNDED)
    world.pass_time(3_600, 100)
    world.wait_for_state(intent, State.REFUNDED, within=300)
    assert price_alerts(world) == []


def test_a_volatile_price_may_move_by_half_and_the_terms_hold(
    world: Harness, prices: MovingPrices
) -> None:
    intent = world.create_intent(token_in=ETH)
    prices.pico_usd["ETH"] = PRICES["ETH"] // 2
    world.deposit(intent)
    paid = world.wait_for_state(intent, State.COMPLETED)
    assert paid.terms == intent.terms

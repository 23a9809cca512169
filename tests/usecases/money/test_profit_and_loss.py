"""Profit and loss is what the ledger says, at the prices of the hours of its postings."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from crossway.domain.errors import Forbidden, InvalidInput, Unreachable
from crossway.domain.intent import Intent, State
from crossway.domain.ledger import NO_INTENT, Account, Posting
from crossway.domain.money import Price
from crossway.domain.profit_and_loss import Origin, ProfitLine
from crossway.usecases.money import inventory_adjustments, profit_and_loss, profit_counting
from crossway.usecases.money.books import day_number
from crossway.usecases.money.profit_and_loss import LineAmount, Margin
from tests.databases import new_sqlite
from tests.harness import PRICES, START, Harness

TODAY = datetime.fromtimestamp(START, UTC).date()
BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
CENT = 10_000_000
"""Of a dollar, in nano-USD."""


@pytest.fixture
def world(tmp_path: Path) -> Harness:
    world = Harness(new_sqlite(tmp_path), chains=(BASE, ARBITRUM))
    inventory_adjustments.book_opening_balances(world.services, world.operator)
    return world


def pay(world: Harness) -> Intent:
    """A payment of 25 USDC from Base to Arbitrum: 0.01 service fee, 0.05325 spread, and three
    transactions: two on Base at 0.01 each, and one on Arbitrum at 0.02."""
    intent = world.create_intent()
    world.deposit(intent)
    world.wait_for_state(intent, State.COMPLETED)
    world.pass_time(600, step=10)
    return intent


class Source:
    """A price source that answers with these prices, or does not answer."""

    def __init__(self, prices: Mapping[str, Price] | None, max_age: float | None = None) -> None:
        self.prices, self.max_age = prices, max_age

    def get_usd_prices(self, symbols: Collection[str]) -> Mapping[str, Price]:
        if self.prices is None:
            raise Unreachable("no answer")
        return {symbol: self.prices[symbol] for symbol in symbols if symbol in self.prices}

    def max_age_seconds(self) -> float | None:
        return self.max_age


def test_a_payment_a_route_a_merchant_and_a_day_have_the_same_margin(world: Harness) -> None:
    intent = pay(world)
    report = profit_and_loss.get_report(world.services, world.operator, TODAY, TODAY)
    expected = Margin(63_250_000, 4 * CENT)
    assert report.is_complete
    assert report.total == expected
    assert report.by_route == {(BASE, intent.terms.bridge, ARBITRUM): expected}
    assert report.by_merchant == {intent.client_id: expected}
    assert report.by_day == {day_number(TODAY): expected}
    assert report.by_origin == {Origin.PAYMENT: expected}
    assert {chain: margin.revenue for chain, margin in report.by_chain.items()} == {
        BASE: 63_250_000,
        ARBITRUM: 0,
    }
    assert report.by_chain[ARBITRUM].costs == 2 * CENT
    assert report.unpriced == []
    margin = profit_and_loss.get_payment_margin(world.services, world.operator, intent.id)
    assert profit_and_loss.margin_of(margin) == expected
    assert {line.line for line in margin} == {
        ProfitLine.SERVICE_FEES,
        ProfitLine.SPREAD,
        ProfitLine.NETWORK_FEES,
    }


def test_test_networks_are_counted_apart(world: Harness) -> None:
    pay(world)
    report = profit_and_loss.get_report(world.services, world.operator, TODAY, TODAY, testnets=True)
    assert report.results == []


def test_a_later_price_does_not_change_what_was_counted(world: Harness) -> None:
    intent = pay(world)
    before = profit_and_loss.get_report(world.services, world.operator, TODAY, TODAY).total
    as_of = world.clock.now()
    doubled = {symbol: Price(symbol, 2 * price, as_of) for symbol, price in PRICES.items()}
    services = replace(world.services, prices=Source(doubled))
    assert profit_counting.record_prices(services)
    world.pass_time(7_200, step=600)
    after = profit_and_loss.get_report(services, world.operator, TODAY, TODAY).total
    assert after == before
    margin = profit_and_loss.get_payment_margin(services, world.operator, intent.id)
    assert profit_and_loss.margin_of(margin) == before


def test_postings_wait_for_the_prices_of_their_hour_and_have_none_once_it_has_ended(
    world: Harness,
) -> None:
    world.pass_time(30)
    world.machine.seconds += 3_600  # An hour that no engine has seen.
    now, eth = world.clock.now(), world.services.catalogue.native_token(BASE)
    legs = (Account.NETWORK_FEES, Account.INVENTORY, 5 * 10**12)
    world.store.write(
        lambda unit: unit.ledger.post([Posting(NO_INTENT, BASE, eth, *legs, "0xfee")], now)
    )
    silent = replace(world.services, prices=Source(None))
    assert not profit_counting.record_prices(silent)
    assert profit_counting.count_slice(silent) == 0
    waiting = profit_and_loss.get_report(world.services, world.operator, TODAY, TODAY)
    assert not waiting.is_complete
    world.machine.seconds += 3_600
    assert profit_counting.count_slice(silent) == 1
    report = profit_and_loss.get_report(world.services, world.operator, TODAY, TODAY)
    assert report.is_complete
    assert report.total == Margin()
    assert report.unpriced == [LineAmount(ProfitLine.NETWORK_FEES, BASE, eth, legs[2], 0, legs[2])]


def test_old_prices_are_not_recorded(world: Harness) -> None:
    world.machine.seconds += 3_600
    now = world.clock.now()
    prices = {
        "ETH": Price("ETH", 2_000 * 10**12, now - timedelta(seconds=61)),
        "USDC": Price("USDC", 10**12, now - timedelta(seconds=59)),
    }
    assert profit_counting.record_prices(replace(world.services, prices=Source(prices, 60)))
    hour = profit_counting.hour_number(now)
    with world.store.read() as unit:
        assert unit.profit.get_prices({hour}) == {(hour, "USDC"): 10**12}


def test_two_engines_count_each_posting_once(world: Harness) -> None:
    with world.store.read() as unit:
        counted = unit.profit.counted_to()
    assert world.store.write(lambda unit: unit.profit.add([], counted, counted + 1))
    assert not world.store.write(lambda unit: unit.profit.add([], counted, counted + 1))


def test_invalid_periods_and_callers_are_refused(world: Harness) -> None:
    services, caller, day = world.services, world.operator, timedelta(days=1)
    with pytest.raises(InvalidInput, match="last day"):
        profit_and_loss.get_report(services, caller, TODAY, TODAY - day)
    with pytest.raises(InvalidInput, match="at most"):
        profit_and_loss.get_report(services, caller, TODAY - 400 * day, TODAY)
    with pytest.raises(Forbidden):
        profit_and_loss.get_report(services, replace(caller, role=None), TODAY, TODAY)

"""Volatile pairs: the spread, and prices that are too old, too uncertain, or off their peg."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

import pytest

from crossway.domain.errors import QuotesUnavailable, Unreachable
from crossway.domain.money import Price
from crossway.domain.price_risk import PricePolicy, PriceRisk, spread_millionths
from crossway.domain.quotes import Comparison, Quote
from crossway.ports.policy import Policy
from crossway.ports.services import Services
from crossway.usecases.pricing.multi_source import quote_multi_source
from crossway.usecases.pricing.priced_request import QuoteRequest
from crossway.usecases.pricing.quotes import best_quote
from tests.services import NOW, PRICES, address, services

BASE, ARBITRUM = "BASE_MAINNET", "ARBITRUM_MAINNET"
ETH = PRICES.get_usd_prices(["ETH"])["ETH"].pico_usd
HOUR, DAY = 3_600, 86_400


@dataclass
class FeedPrices:
    """The reference prices as of now, with changes; they may be a minute old."""

    prices: dict[str, int] = field(default_factory=dict)
    confidence: dict[str, int] = field(default_factory=dict)
    at: Mapping[str, datetime] = field(default_factory=dict)
    silent: bool = False

    def get_usd_prices(self, symbols: Collection[str]) -> Mapping[str, Price]:
        if self.silent:
            raise Unreachable("the feed is down")
        known = PRICES.get_usd_prices(symbols)
        return {
            symbol: Price(
                symbol,
                self.prices.get(symbol, price.pico_usd),
                self.at.get(symbol, NOW),
                self.confidence.get(symbol, 0),
            )
            for symbol, price in known.items()
        }

    def max_age_seconds(self) -> float:
        return 60.0


def quote(given: Services, paid: str, received: str, symbol: str = "USDC") -> Quote:
    amount = {"USDC": "100000000", "ETH": str(10**18)}[symbol]
    tokens = address(BASE, paid), address(ARBITRUM, received)
    return best_quote(given, None, QuoteRequest(*tokens, BASE, ARBITRUM, amount, None, symbol))


def compare(given: Services, received: str) -> Comparison:
    return quote_multi_source(given, None, ARBITRUM, "1", address(ARBITRUM, received))


def symbols(comparison: Comparison) -> set[str]:
    return {option.symbol for source in comparison.options for option in source.options}


@pytest.mark.parametrize(
    ("daily_in", "daily_out", "seconds", "expected"),
    [
        (350, 0, DAY, 14_000),  # 3.5 % a day, of which 40 %.
        (350, 0, HOUR, 2_857),  # Over an hour a 24th of the variance.
        (300, 400, DAY, 20_000),  # The root of the sum of squares.
        (600, 0, 10 * DAY, 75_894),
        (0, 0, DAY, 0),
    ],
)
def test_the_spread_grows_with_volatility_and_with_the_life_of_the_terms(
    daily_in: int, daily_out: int, seconds: int, expected: int
) -> None:
    paid, received = PriceRisk("A", daily_in), PriceRisk("B", daily_out)
    assert spread_millionths(PricePolicy(), paid, received, seconds) == expected
    assert spread_millionths(PricePolicy(), paid, replace(received, asset="A"), seconds) == 0


def test_the_deposited_token_counts_for_less_than_its_price_between_different_assets() -> None:
    """2 857 millionths for an hour of ETH, whether it is paid in or paid out."""
    given = services()
    sold = quote(given, "ETH", "USDC")
    fees = sold.costs.service_micro_usd + sold.costs.bridge_micro_usd
    assert sold.deposit_amount == pytest.approx(
        (100_000_000 + fees) * 10**24 / (ETH * (1 - 0.002857)), rel=1e-9
    )
    paid_out = quote(given, "USDC", "ETH")
    assert paid_out.payout_amount == pytest.approx(99_714_300 * 10**24 / ETH, rel=1e-9)
    bought = quote(given, "USDC", "ETH", "ETH")
    assert bought.payout_amount == 10**18
    owed = 1_987_000_000 + bought.costs.service_micro_usd + bought.costs.bridge_micro_usd
    assert bought.deposit_amount == pytest.approx(owed / (1 - 0.002857), rel=1e-9)


@pytest.mark.parametrize(
    ("paid", "received", "deposit"), [("USDC", "USDC", 100_000_000), ("USDT", "USDC", 100_000_000)]
)
def test_stablecoins_of_one_currency_have_no_spread(paid: str, received: str, deposit: int) -> None:
    found = quote(services(), paid, received)
    assert found.deposit_amount == deposit + found.fee_units
    assert found.payout_amount == 100_000_000


def test_longer_lives_cost_more_and_no_spread_is_taken_where_it_is_switched_off() -> None:
    amounts = [
        quote(services(policy=policy), "ETH", "USDC").deposit_amount
        for policy in (
            Policy(prices=PricePolicy(option_percent=0)),
            Policy(intent_life_seconds=300),
            Policy(),
            Policy(intent_life_seconds=DAY),
        )
    ]
    assert sorted(set(amounts)) == amounts


@pytest.mark.parametrize(
    ("feed", "reason"),
    [
        (FeedPrices({"USDC": 979 * 10**9}), "USDC is off its peg by more than 2%"),
        (FeedPrices({"USDC": 1_021 * 10**9}), "USDC is off its peg by more than 2%"),
        (FeedPrices(confidence={"USDC": 11 * 10**9}), "price of USDC is less certain than 1%"),
        (FeedPrices(at={"USDC": NOW - timedelta(seconds=61)}), "USDC is older than 60 s"),
        (FeedPrices(silent=True), "No prices: the feed is down"),
    ],
)
def test_a_price_that_is_too_old_too_uncertain_or_off_its_peg_is_not_quoted(
    feed: FeedPrices, reason: str
) -> None:
    """Between one stablecoin and itself nothing is converted, so it is quoted all the same."""
    given = services(prices=feed)
    for paid, received in (("ETH", "USDC"), ("USDC", "ETH"), ("USDT", "USDC")):
        with pytest.raises(QuotesUnavailable, match=reason):
            quote(given, paid, received)
    assert quote(given, "USDC", "USDC").payout_amount == 100_000_000
    assert symbols(compare(given, "USDC")) == {"USDC"}
    with pytest.raises(QuotesUnavailable):
        compare(services(prices=FeedPrices(silent=True)), "ETH")


def test_within_its_band_a_stablecoin_counts_at_its_price() -> None:
    given = services(prices=FeedPrices({"USDC": 990 * 10**9}))
    assert quote(given, "USDC", "USDT").payout_amount == 99_000_000
    assert symbols(compare(given, "USDT")) >= {"USDC", "USDT", "ETH"}

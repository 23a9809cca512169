"""Fees cover what a payment costs in network fees: on every route, at every gas price."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import product
from threading import Event

import pytest

from crossway.adapters.network_costs import ChainNetworkCosts
from crossway.adapters.prices.fixed import FixedPrices
from crossway.catalogue import coin_prices, reference_prices
from crossway.domain.errors import QuotesUnavailable, Unreachable
from crossway.domain.network_costs import Arrival, ChainCosts, NetworkCostPolicy
from crossway.domain.quotes import Comparison, Quote
from crossway.ports.chain_calls import CallCosts
from crossway.ports.services import Services
from crossway.usecases.pricing.multi_source import quote_multi_source
from crossway.usecases.pricing.priced_request import QuoteRequest
from crossway.usecases.pricing.quotes import best_quote, list_quotes
from tests.processes import wait_until
from tests.services import CATALOGUE, NOW, POOL, FixedClock, services

BASE, ETHEREUM, ARBITRUM = "BASE_MAINNET", "ETHEREUM_MAINNET", "ARBITRUM_MAINNET"
MAINNETS = [c.id for c in CATALOGUE.chains.values() if not c.testnet]
REFERENCE = {**reference_prices(), **coin_prices()}
PRICES = FixedPrices({symbol: price.pico_usd for symbol, price in REFERENCE.items()}, NOW)


@dataclass
class PricedChain:
    """A chain that only tells what calls cost; it may be slow, or silent."""

    id: str
    costs: CallCosts
    answers: Event = field(default_factory=Event)
    silent: bool = False
    asked: int = 0

    def call_costs(self) -> CallCosts:
        self.asked += 1
        assert self.answers.wait(10)
        if self.silent:
            raise Unreachable(f"{self.id} does not answer")
        return self.costs


def native_units(chain: str, micro_usd: int) -> int:
    """So much of the native coin, at the reference price."""
    listed = CATALOGUE.chains[chain]
    return micro_usd * 10**6 * 10**listed.native_decimals // REFERENCE[listed.fee_symbol].pico_usd


def call_costs(chain: str, factor: int) -> CallCosts:
    """A different figure for each call, `factor` times what the catalogue says a call costs."""
    call = native_units(chain, factor * CATALOGUE.chains[chain].transfer_cost_micro_usd)
    return CallCosts(
        start=2 * call,
        fill=call,
        settle=call * 3 // 2,
        refund=2 * call,
        send=call * 7 // 2,
        deliver=call * 13 // 5,
    )


class Seconds:
    """Monotonic seconds that a test moves."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def timer() -> Seconds:
    return Seconds()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(4) as created:
        yield created


def priced_chains(factor: int = 1) -> dict[str, PricedChain]:
    chains = {chain: PricedChain(chain, call_costs(chain, factor)) for chain in MAINNETS}
    for chain in chains.values():
        chain.answers.set()
    return chains


def live(
    chains: dict[str, PricedChain],
    pool: ThreadPoolExecutor = POOL,
    timer: Callable[[], float] = lambda: 0.0,
    timeout: float = 10.0,
    prices: FixedPrices = PRICES,
) -> Services:
    policy = NetworkCostPolicy(timeout_seconds=timeout)
    given: dict[str, object] = dict(chains)
    costs = ChainNetworkCosts(
        given, CATALOGUE, prices, FixedClock(), pool, policy, timer  # type: ignore[arg-type]
    )  # fmt: skip
    return services(network_costs=costs, prices=prices)


def usdc(chain: str) -> str | None:
    token = CATALOGUE.tokens.get((chain, "USDC"))
    return token.address if token and token.enabled else None


def quote(given: Services, source: str, destination: str) -> Quote:
    tokens = usdc(source), usdc(destination)
    return best_quote(given, None, QuoteRequest(*tokens, source, destination, "25000000"))


def quotes_of_every_route(given: Services) -> Iterator[tuple[str, str, Quote]]:
    for source, destination in product(filter(usdc, MAINNETS), filter(usdc, MAINNETS)):
        request = QuoteRequest(usdc(source), usdc(destination), source, destination, "25000000")
        for found in list_quotes(given, None, request)[:1]:
            yield source, destination, found


def compare(given: Services, destination: str = ARBITRUM) -> Comparison:
    return quote_multi_source(given, None, destination, "25", usdc(destination))


@pytest.mark.parametrize("factor", [1, 7, 150])
def test_every_routes_fee_covers_its_cost_at_three_gas_prices(factor: int) -> None:
    """What the relayer pays: start and settlement on the source, the fill on the destination; the
    expectation is in the catalogue's own dollars, not in the service's figures."""
    given, routes = live(priced_chains(factor)), 0
    for source, destination, found in quotes_of_every_route(given):
        of_source, of_destination = (
            factor * CATALOGUE.chains[chain].transfer_cost_micro_usd
            for chain in (source, destination)
        )
        cost = 2 * of_source + 3 * of_source // 2 + of_destination
        charged = found.costs.service_micro_usd + found.costs.bridge_micro_usd
        assert charged >= cost * 125 // 100 - 1, (source, destination)
        routes += 1
    assert routes > 100


def test_the_simulated_networks_fees_cover_its_constants() -> None:
    given, raised = services(), []
    for source, destination, found in quotes_of_every_route(given):
        of_source, of_destination = (
            CATALOGUE.chains[chain].transfer_cost_micro_usd for chain in (source, destination)
        )
        charged = found.costs.service_micro_usd + found.costs.bridge_micro_usd
        assert charged >= 2 * of_source + of_destination, (source, destination)
        if source == ETHEREUM:
            raised.append(destination)
    assert len(raised) > 5


def test_a_comparison_charges_the_same_as_a_quote() -> None:
    given = live(priced_chains(3))
    for option in compare(given).options:
        (paid,) = [o for o in option.options if o.symbol == "USDC"] or [None]
        if paid is not None:
            found = quote(given, option.source, ARBITRUM)
            assert paid.deposit_amount == found.deposit_amount


def test_a_chain_that_does_not_answer_is_not_quoted_and_named() -> None:
    chains = priced_chains()
    chains[BASE].silent = True
    given = live(chains)
    reason = f"network costs on {BASE} are unknown: {BASE} does not answer"
    for pair in ((BASE, ARBITRUM), (ARBITRUM, BASE), (BASE, BASE)):
        with pytest.raises(QuotesUnavailable, match=reason):
            quote(given, *pair)
    compared = compare(given)
    assert BASE not in {option.source for option in compared.options}
    assert [e.reason for e in compared.excluded if e.subject == BASE] == [f"The {reason}"]
    with pytest.raises(QuotesUnavailable, match=reason):
        compare(given, BASE)


def test_a_slow_chain_is_waited_for_a_short_time_only(
    pool: ThreadPoolExecutor, timer: Seconds
) -> None:
    chains = priced_chains()
    chains[BASE].answers.clear()
    given = live(chains, pool, timer, timeout=0.05)
    with pytest.raises(QuotesUnavailable, match=f"{BASE} are unknown: the chain does not answer"):
        quote(given, BASE, ARBITRUM)
    assert quote(given, ETHEREUM, ARBITRUM)
    chains[BASE].answers.set()


def test_figures_are_kept_refreshed_behind_a_quote_and_never_used_when_old(
    pool: ThreadPoolExecutor, timer: Seconds
) -> None:
    chains = priced_chains()
    given = live(chains, pool, timer)
    first = quote(given, BASE, ARBITRUM).costs.bridge_micro_usd
    for _ in range(20):
        compare(given)
    assert {chain.asked for chain in chains.values()} == {1}
    chains[BASE].costs, timer.now = call_costs(BASE, 100), 11.0
    chains[BASE].answers.clear()
    assert quote(given, BASE, ARBITRUM).costs.bridge_micro_usd == first
    chains[BASE].answers.set()
    refreshed = "the figure that was read behind the quote is used"
    wait_until(refreshed, lambda: quote(given, BASE, ARBITRUM).costs.bridge_micro_usd > 10 * first)
    timer.now = 80.0
    assert quote(given, BASE, ARBITRUM).costs.bridge_micro_usd > 10 * first
    chains[BASE].silent, timer.now = True, 150.0
    with pytest.raises(QuotesUnavailable, match="does not answer"):
        quote(given, BASE, ARBITRUM)


def test_without_a_price_of_the_coin_a_chain_is_not_quoted() -> None:
    known = {s: p.pico_usd for s, p in REFERENCE.items() if s != "AVAX"}
    given = live(priced_chains(), prices=FixedPrices(known, NOW))
    with pytest.raises(QuotesUnavailable, match="there is no current price of AVAX"):
        quote(given, "AVALANCHE_MAINNET", BASE)
    assert quote(given, BASE, ARBITRUM)


def test_what_the_arrival_of_a_deposit_costs_us_is_added_to_its_collection() -> None:
    costs = ChainCosts(1, 2, 3, 4, delivery=5, send=6, swap=7, pay_in=100, forward=200)
    assert costs.with_arrival(Arrival.SENT) == costs
    for arrival, more in ((Arrival.SIGNED, 100), (Arrival.FORWARDED, 200)):
        found = costs.with_arrival(arrival)
        assert (found.start, found.send, found.swap) == (1 + more, 6 + more, 7 + more)
        assert (found.fill, found.settle, found.refund, found.delivery) == (2, 3, 4, 5)

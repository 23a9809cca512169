"""What the start of a payment swaps its deposit for, by a bridge's quote that asks for it."""

from dataclasses import replace

from crossway.domain.price_risk import risk_of, spread_millionths
from crossway.domain.pricing import calculate_costs
from crossway.domain.quotes import BridgeQuote
from crossway.domain.swaps import ALLOWANCE_BPS, Swap, expected_input, percent_of_bps
from crossway.ports.services import Services
from crossway.usecases.pricing.priced_request import PricedRequest

_MILLIONTHS_PER_BP = 100


def slippage_bps(
    services: Services, symbol_in: str, symbol_out: str, life_seconds: int | None = None
) -> int:
    """By how many basis points a swap may cost more than expected while terms hold this long (by
    default the life of an intent): the spread that the deposit is charged for the time, and the
    allowance. What the swap does not need of them goes back to the payer."""
    risks, policy = services.catalogue.risks, services.policy
    life = policy.intent_life_seconds if life_seconds is None else life_seconds
    deposited, paid_out = risk_of(risks, symbol_in), risk_of(risks, symbol_out)
    spread = spread_millionths(policy.prices, deposited, paid_out, life)
    return spread // _MILLIONTHS_PER_BP + ALLOWANCE_BPS


def slippage_percent(services: Services, symbol_in: str, symbol_out: str) -> str:
    """The same, as a percentage for the usual life of an intent."""
    return percent_of_bps(slippage_bps(services, symbol_in, symbol_out))


def draw_up_swap(
    services: Services, priced: PricedRequest, quote: BridgeQuote, deposit_amount: int
) -> Swap | None:
    """The swap of a payment with this quote, which buys the amount and all fees but its own; None
    where the bridge carries the deposited token."""
    if quote.swap is None:
        return None
    route = priced.route
    token = services.catalogue.tokens[route.source.id, route.token_out.symbol]
    costs, output = calculate_costs(
        priced.amount,
        priced.amount_token,
        replace(priced.priced_out, decimals=token.decimals),
        priced.service_fee_micro_usd,
        quote.fee_micro_usd - quote.swap_micro_usd,
        priced.app_fee_micro_usd,
        priced.network_fee(quote).total,
    )
    symbols = route.token_in.symbol, route.token_out.symbol
    return Swap(
        exchange=quote.swap.exchange,
        symbol=token.symbol,
        token=token.address,
        decimals=token.decimals,
        output=output,
        expected_input=expected_input(
            deposit_amount, slippage_bps(services, *symbols, route.life_seconds)
        ),
        impact_bps=quote.swap.impact_bps,
        cost_micro_usd=quote.swap_micro_usd,
        route=quote.swap.route,
        fees_units=costs.fees_units,
        app_fee_units=costs.app_fee_units,
        network_fee_units=costs.network_fee_units,
    )

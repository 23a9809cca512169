"""Dust: amounts that cost more to return than they are worth, which wait at their address."""

from crossway.domain.intent import Intent
from crossway.domain.money import micro_usd_down
from crossway.ports.services import Services

DUST_NOTE = (
    "Kept at its address as dust: returning it costs more than it is worth. It remains the "
    "payer's: later deposits that make a return worthwhile take it along, and anyone may return it "
    "on chain."
)


def value_in_micro_usd(
    services: Services, intent: Intent, token: str, chain: str, amount: int
) -> int | None:
    """The value of an amount: at the intent's agreed price for its own token, else at the current
    price; None where the token or its price is unknown."""
    terms = intent.terms
    if (chain, token) == (terms.source_chain, terms.token_in):
        return amount * intent.costs.total_micro_usd // terms.deposit_amount
    return value_now(services, token, chain, amount)


def value_now(services: Services, token: str, chain: str, amount: int) -> int | None:
    """The value of an amount at the current price, in micro-USD; None where it is unknown."""
    known_token = services.catalogue.by_address.get((chain, token))
    price = (
        services.prices.get_usd_prices([known_token.symbol]).get(known_token.symbol)
        if known_token
        else None
    )
    return (
        None
        if known_token is None or price is None
        else micro_usd_down(amount, known_token.decimals, price.pico_usd)
    )


def is_dust(services: Services, intent: Intent, token: str, chain: str, amount: int) -> bool:
    """Whether returning this amount costs more than its value; an unknown value is never dust."""
    return _costs_more(services, chain, value_in_micro_usd(services, intent, token, chain, amount))


def is_dust_now(services: Services, token: str, chain: str, amount: int) -> bool:
    """As `is_dust`, at the current price."""
    return _costs_more(services, chain, value_now(services, token, chain, amount))


def _costs_more(services: Services, chain: str, value: int | None) -> bool:
    cost = services.catalogue.chains[chain].transfer_cost_micro_usd * services.policy.dust_factor
    return value is not None and value < cost

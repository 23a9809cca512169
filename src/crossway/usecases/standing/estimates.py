"""What a deposit at a standing address would give its recipient now."""

from dataclasses import dataclass

from crossway.domain.clients import Client, Principal, Scope
from crossway.domain.errors import DomainError, InvalidInput
from crossway.domain.money import parse_units
from crossway.domain.pricing import amount_for_usd
from crossway.domain.quotes import Quote
from crossway.domain.standing import StandingAddress, judge_amount
from crossway.ports.services import Services
from crossway.usecases.money.emergency_stop import require_not_stopped
from crossway.usecases.payments.standing_payouts import (
    TermsUnavailable,
    WholeDeposit,
    quote_deposits,
)
from crossway.usecases.pricing.network_fees import read_network_costs
from crossway.usecases.pricing.price_snapshot import take_price_snapshot
from crossway.usecases.standing.addresses import require_owned


@dataclass(frozen=True, slots=True)
class DepositEstimate:
    """What becomes of `amount` units of `token` at current fees: its payment's `quote`, of whose
    network costs `forwarding_units` are for forwarding it; or without one `reason`, why it would go
    back or wait. Less than `least_payout`, in units of the payout token, is never paid out: the
    deposit goes back then."""

    token: str
    amount: int
    quote: Quote | None
    reason: str
    least_payout: int
    forwarding_units: int


def estimate_deposit(
    services: Services, caller: Principal, address_id: str, amount: object, token: object = None
) -> DepositEstimate:
    """What a deposit of an accepted token, by default the first, would give now. Raises
    `InvalidInput` and `NotFound`."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        address = require_owned(caller, unit.standing.find(address_id))
        client = unit.api_keys.get_client(address.client_id)
    assert client is not None
    units = parse_units("amount", amount)
    terms = address.terms
    rule = terms.tokens[0] if token is None else terms.rule_of(_spelled(services, address, token))
    if rule is None:
        names = ", ".join(one.token for one in terms.tokens)
        raise InvalidInput(f"token must be one that the address accepts: {names}")
    reason = judge_amount(address, address.rules(services.clock.now()), rule.token, units)
    quote = None if reason else _quote(services, address, client, rule.token, units)
    if isinstance(quote, TermsUnavailable):
        quote, reason = None, str(quote)
    least = 0 if quote is None else rule.least_payout(units, terms.max_fee_bps)
    forwarding = 0 if quote is None else _price_forwarding(services, address, rule.token)
    return DepositEstimate(rule.token, units, quote, reason, least, forwarding)


def _spelled(services: Services, address: StandingAddress, token: object) -> str:
    try:
        return services.chains[address.source_chain].canonical_address(str(token))
    except ValueError:
        return ""


def _quote(
    services: Services, address: StandingAddress, client: Client, token: str, units: int
) -> Quote | TermsUnavailable:
    try:
        require_not_stopped(services)
    except DomainError as error:
        return TermsUnavailable(str(error))
    return quote_deposits(services, [WholeDeposit(address, client, token, units)])[0]


def _price_forwarding(services: Services, address: StandingAddress, token: str) -> int:
    """What forwarding costs, in units of a token; 0 where it is not known at this moment."""
    chain, known = address.source_chain, services.catalogue.by_address[address.source_chain, token]
    costs = read_network_costs(services, {chain}).costs.get(chain)
    if costs is None:
        return 0
    prices = take_price_snapshot(services, {known.symbol})
    priced = prices.priced_token(known.symbol, known.decimals, "token")
    return amount_for_usd(costs.forward, priced)

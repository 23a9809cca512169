"""Create, change and list standing addresses, and list their deposits."""

import secrets
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from crossway.domain.clients import Client, OwnerFilter, Principal, Scope
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.money import format_units, rescale_up
from crossway.domain.network_costs import Arrival
from crossway.domain.pricing import amount_for_usd
from crossway.domain.standing import (
    BASIS_POINTS,
    FLAT_DIVISOR,
    RATE_UNIT,
    StandingAddress,
    StandingRules,
    StandingTerms,
    TokenRule,
    committed_values,
    rules_values,
)
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.developers.clients import diff_fields
from crossway.usecases.pricing.intent_quotes import quote_intent
from crossway.usecases.pricing.price_snapshot import take_price_snapshot
from crossway.usecases.pricing.priced_request import RequestedRoute
from crossway.usecases.standing.request import (
    StandingRequest,
    StandingRoute,
    parse_metadata,
    parse_reference,
    parse_route,
    parse_rules,
    rate_of,
)
from crossway.usecases.validation_errors import ValidationErrors

MAX_PAGE_SIZE: Final = 100
MARGIN_BPS: Final = 100
"""What the highest fee leaves for bridges, in basis points beside the service and app fees."""
_SAMPLE_MICRO_USD: Final = 100_000_000
_NONCE_BITS: Final = 53


def _do_nothing(unit: UnitOfWork, address: StandingAddress) -> None:
    """The default of `in_transaction`."""


def create(
    services: Services,
    caller: Principal,
    request: StandingRequest,
    in_transaction: Callable[[UnitOfWork, StandingAddress], None] = _do_nothing,
    client_id: str | None = None,
) -> StandingAddress:
    """Create a standing address for the caller's client; operators may name another client.

    `in_transaction` runs in the same database transaction. Raises `InvalidInput`, and
    `QuotesUnavailable` where it cannot be told now what a payment costs.
    """
    caller.require_scope(Scope.WRITE)
    owner = caller
    if client_id is not None and caller.is_staff:
        owner = replace(caller, client=_require_client(services, client_id))
    address = _parse(services, owner, request)

    def work(unit: UnitOfWork) -> StandingAddress:
        stored = unit.standing.add(address)
        at = stored.created_at
        _audit(unit, caller, "standing address created", stored, at, None, _shown(stored))
        in_transaction(unit, stored)
        return stored

    return services.store.write(work)


def _parse(services: Services, caller: Principal, request: StandingRequest) -> StandingAddress:
    """The standing address that a request asks for, not stored yet."""
    errors = ValidationErrors(request.field_errors)
    route = parse_route(services, caller, request, errors)
    least = _least_minimum(services, caller, route) if route is not None else 1
    tokens = tuple(token.address for token in route.tokens) if route is not None else ()
    now = services.clock.now()
    default = StandingRules(now, 2 * least, None, tokens, True)
    rules = parse_rules(request, default, errors)
    reference, metadata = parse_reference(request, "", errors), parse_metadata(request, {}, errors)
    if route is not None and rules.minimum < least:
        errors.add(_too_low(route, least))
    errors.raise_if_any()
    assert route is not None
    terms = _draw_up(services, caller, route, rules.minimum)
    return _build(services, caller, terms, rules, reference, metadata)


def update(
    services: Services, caller: Principal, address_id: str, request: StandingRequest
) -> StandingAddress:
    """Change the rules of a standing address for deposits of blocks from now on; what its address
    follows from stays. Raises `InvalidInput`."""
    caller.require_scope(Scope.WRITE)
    now = services.clock.now()

    def work(unit: UnitOfWork) -> StandingAddress:
        before = require_owned(caller, unit.standing.lock(address_id))
        errors = ValidationErrors(request.field_errors)
        rules = parse_rules(request, before.latest_rules, errors)
        terms = before.terms
        least = min(rule.to_payout_units(rule.minimum) for rule in terms.tokens)
        if rules.minimum < least:
            errors.add(f"minimum must be at least {least}, which the address was made with")
        reference = parse_reference(request, before.reference, errors)
        metadata = parse_metadata(request, before.metadata, errors)
        errors.raise_if_any()
        after = replace(before, reference=reference, metadata=metadata, updated_at=now)
        if rules != before.latest_rules:
            versions = [*before.history["versions"], rules_values(replace(rules, since=now))]
            after = replace(after, history={"versions": versions})
        old_values, new_values = diff_fields(_shown(before), _shown(after))
        if new_values:
            unit.standing.update_rules(after)
            _audit(unit, caller, "standing address changed", after, now, old_values, new_values)
        return after

    return services.store.write(work)


def get(services: Services, caller: Principal, address_id: str) -> StandingAddress:
    """One of the caller's standing addresses; operators read every one."""
    caller.require_scope(Scope.READ)
    with services.store.read() as unit:
        return require_owned(caller, unit.standing.find(address_id))


def list_page(
    services: Services,
    caller: Principal,
    limit: int,
    after: str | None = None,
    client_id: str | None = None,
) -> list[StandingAddress]:
    """One page of the caller's standing addresses, newest first, after the one with this id; for
    staff those of one client, if given."""
    caller.require_scope(Scope.READ)
    _require_page_size(limit)
    with services.store.read() as unit:
        before = None if after is None else unit.standing.find(after)
        if after is not None and (before is None or not caller.can_access(before)):
            raise InvalidInput("cursor must be the next cursor of another page")
        owners = caller.narrow(OwnerFilter(client_id))
        return unit.standing.list_page(owners, limit, before.number if before else None)


def require_owned(caller: Principal, address: StandingAddress | None) -> StandingAddress:
    """The standing address, if the caller may access it; else raises `NotFound`."""
    if address is None or not caller.can_access(address):
        raise NotFound("Standing address not found", ErrorCode.STANDING_ADDRESS_NOT_FOUND)
    return address


def _require_client(services: Services, client_id: str) -> Client:
    with services.store.read() as unit:
        client = unit.api_keys.get_client(client_id)
    if client is None:
        raise NotFound("Client not found")
    return client


def _require_page_size(limit: int) -> None:
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")


def _least_minimum(services: Services, caller: Principal, route: StandingRoute) -> int:
    """The lowest minimum, in units of the payout token: that of which the fees are a tenth now, as
    the contract lets no payment of the minimum cost more. Raises `InvalidInput` where the route is
    not served."""
    most = 0
    for token in route.tokens:
        asked = RequestedRoute(
            route.source,
            route.destination,
            token,
            route.token_out,
            route.recipient,
            arrival=Arrival.FORWARDED,
        )
        prices = take_price_snapshot(services, {token.symbol})
        priced = prices.priced_token(token.symbol, token.decimals, "tokens")
        sample = amount_for_usd(_SAMPLE_MICRO_USD, priced)
        quote = quote_intent(services, caller, asked, sample, token.symbol)
        fees = (quote.deposit_amount - sample) * rate_of(token, route.token_out)
        most = max(most, fees)
    least = -(-most * FLAT_DIVISOR // RATE_UNIT)
    step = rescale_up(1, 2, route.token_out.decimals)
    return max(-(-least // step) * step, step)


def _too_low(route: StandingRoute, least: int) -> str:
    token = route.token_out
    shown = format_units(least, token.decimals, 2)
    return f"minimum must be at least {least} ({shown} {token.symbol}): fees are a tenth of it now"


def _draw_up(
    services: Services, caller: Principal, route: StandingRoute, minimum: int
) -> StandingTerms:
    accounts = services.chains[route.source.id].accounts
    rules = []
    for token in route.tokens:
        rate = rate_of(token, route.token_out)
        units = -(-minimum * RATE_UNIT // rate)
        rules.append(TokenRule(token.address, units, rate))
    fees = services.policy.service_fee.basis_points + caller.client.app_fee_bps + MARGIN_BPS
    return StandingTerms(
        nonce=secrets.randbits(_NONCE_BITS),
        source_chain=route.source.id,
        destination_chain=route.destination.id,
        token_out=route.token_out.address,
        recipient=route.recipient,
        recovery=route.recovery,
        coordinator=accounts.coordinator,
        max_fee_bps=min(fees, BASIS_POINTS),
        tokens=tuple(rules),
        bridgers=tuple(dict.fromkeys((accounts.bridger, *accounts.collectors.values()))),
    )


def _build(
    services: Services,
    caller: Principal,
    terms: StandingTerms,
    rules: StandingRules,
    reference: str,
    metadata: Mapping[str, Any],
) -> StandingAddress:
    """A standing address; it is derived from its terms alone."""
    contracts, owner = services.chains[terms.source_chain].standing, caller.owner
    assert contracts is not None
    standing_hash = contracts.standing_hash(terms)
    return StandingAddress(
        number=0,
        id=f"sa_{secrets.token_hex(10)}",
        client_id=owner.client_id,
        mode=owner.mode,
        address=contracts.standing_address(standing_hash),
        standing_hash=standing_hash,
        source_chain=terms.source_chain,
        destination_chain=terms.destination_chain,
        token_out=terms.token_out,
        recipient=terms.recipient,
        recovery=terms.recovery,
        committed=committed_values(terms),
        history={"versions": [rules_values(rules)]},
        reference=reference,
        metadata=metadata,
        created_at=rules.since,
        updated_at=rules.since,
    )


def _shown(address: StandingAddress) -> dict[str, Any]:
    """The fields of a standing address that the audit log records."""
    return {
        "address": address.address,
        "source_chain": address.source_chain,
        "destination_chain": address.destination_chain,
        "recipient": address.recipient,
        "recovery": address.recovery,
        "reference": address.reference,
        "metadata": dict(address.metadata),
        "rules": address.history["versions"][-1],
    }


def _audit(
    unit: UnitOfWork,
    caller: Principal,
    action: str,
    address: StandingAddress,
    at: datetime,
    before: Mapping[str, Any] | None,
    after: Mapping[str, Any] | None,
) -> None:
    subject = f"standing_address:{address.id}"
    unit.audit_log.record(
        caller.actor_name, action, {"address": address.address}, at, subject, before, after
    )

"""Offers to pay by a signature: each is an ordinary payment with a deposit address of its own."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import Intent
from crossway.domain.money import Token
from crossway.domain.payer_signatures import SignatureStandard
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.kill_switches import active_kill_switches
from crossway.usecases.chains.request_fields import parse_chain, parse_source_chain
from crossway.usecases.payers.signature_offers import find_domain
from crossway.usecases.payments.create_intent import prepare_intents, store_intents
from crossway.usecases.payments.intent_request import CreateIntentRequest
from crossway.usecases.validation_errors import ValidationErrors
from crossway.usecases.x402.messages import PaymentOffer

MOST_OFFERS: Final = 3
"""Ways to pay in one answer: each is a payment that nobody may ever make."""
_OFFERED: Final = "USDC"
"""Clients of the protocol refuse other tokens by default."""
_MOST_SECONDS: Final = 300
_PART_OF_LIFE: Final = 4
NONE_OFFERED: Final = (
    "No chain on which this can be paid takes signatures now: see GET /x402/supported"
)


@dataclass(frozen=True, slots=True)
class OfferRequest:
    """What a merchant wants paid. `intent` is the payment but for the token and the chain that it
    comes from; those may be any of `source_chains`, by default every one that takes signatures."""

    intent: CreateIntentRequest
    source_chains: Sequence[str] = ()


def create_offers(
    services: Services, caller: Principal, request: OfferRequest
) -> list[PaymentOffer]:
    """Create a payment for each way to pay, the cheapest first. Its quote pays for carrying the
    signature out. Refunds go to the merchant, who has delivered by then: to the refund address
    given, else to the client's own. Raises as `create_intent`."""
    caller.require_scope(Scope.WRITE)
    disabled, errors = active_kill_switches(services), ValidationErrors(request.intent.field_errors)
    named = services, caller, disabled
    errors.collect(parse_chain, *named, request.intent.destination_chain, "destination_chain")
    chains = [
        errors.collect(parse_source_chain, *named, name, "source_chains")
        for name in request.source_chains
    ]
    errors.raise_if_any()
    tokens = list(signed_tokens(services, [chain.id for chain in chains if chain]))
    requests = [request_from(request.intent, token) for token in tokens]
    return store_offers(services, caller, requests)


def store_offers(
    services: Services,
    caller: Principal,
    requests: Sequence[CreateIntentRequest],
    on_stored: Callable[[UnitOfWork, Intent], None] = lambda unit, intent: None,
    most: int = MOST_OFFERS,
) -> list[PaymentOffer]:
    """Quote these payments and store the cheapest as offers, `most` at most; `on_stored` runs for
    each in the same transaction. Raises the first error where none can be made."""
    caller.require_scope(Scope.WRITE)
    if not requests:
        raise InvalidInput(NONE_OFFERED)
    prepared = prepare_intents(services, [(caller, one) for one in requests])
    new = [one for one in prepared if not isinstance(one, Exception)]
    if not new:
        raise next(one for one in prepared if isinstance(one, Exception))
    new.sort(key=lambda one: one.intent.costs.total_micro_usd)

    def store(unit: UnitOfWork) -> list[Intent]:
        stored = store_intents(services, unit, new[:most])
        unit.payer_signatures.mark_offers([one.id for one in stored], services.clock.now())
        for one in stored:
            on_stored(unit, one)
        return stored

    return [_offer(services, one) for one in services.store.write(store)]


def signed_tokens(services: Services, source_chains: Iterable[str] = ()) -> Iterable[Token]:
    """The tokens that are offered now, on these chains, or on all but test networks."""
    wanted = set(source_chains)
    for name in sorted(services.chains):
        # Test networks are offered only where they are named.
        if name not in wanted if wanted else services.catalogue.chains[name].testnet:
            continue
        token = services.catalogue.tokens.get((name, _OFFERED))
        domain = None if token is None else find_domain(services, name, token.address)
        if token is not None and domain and domain.standard is SignatureStandard.EIP3009:
            yield token


def request_from(request: CreateIntentRequest, token: Token) -> CreateIntentRequest:
    """The same payment, made in this token by a signature."""
    return replace(request, source_chain=token.chain, token_in=token.address, by_signature=True)


def _offer(services: Services, intent: Intent) -> PaymentOffer:
    terms = intent.terms
    domain = find_domain(services, terms.source_chain, terms.token_in)
    assert domain is not None, "it was found before"
    life = int((terms.expires_at - intent.created_at).total_seconds())
    return PaymentOffer(
        services.catalogue.chains[terms.source_chain],
        terms.token_in,
        terms.deposit_amount,
        intent.address,
        min(_MOST_SECONDS, life // _PART_OF_LIFE),
        domain.name,
        domain.version,
    )

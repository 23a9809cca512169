"""Create intents: quote their requests, and build and store them, many in one transaction."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial

from crossway.domain.clients import Principal, Scope
from crossway.domain.event_ids import new_event_id
from crossway.domain.intent import Intent, State, Terms
from crossway.domain.quotes import Quote
from crossway.ports import process
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.payable_addresses import read_deposit_addresses
from crossway.usecases.money.emergency_stop import require_not_stopped
from crossway.usecases.payments.intent_request import (
    CreateIntentRequest,
    IntentFields,
    ParsedRequest,
    parse,
)
from crossway.usecases.pricing.exposure_limit import require_exposure_room
from crossway.usecases.pricing.intent_quotes import AskedQuote, quote_intents

# JavaScript reads integers up to 2^53 - 1.
_NONCE_BITS = 53


@dataclass(frozen=True, slots=True)
class NewIntent:
    """A quoted intent that is not stored yet; `payer` as in its request."""

    intent: Intent
    payer: str
    event_id: str = field(default_factory=new_event_id)


def create_intent(
    services: Services,
    caller: Principal,
    request: CreateIntentRequest,
    on_stored: Callable[[UnitOfWork, Intent], None] = lambda unit, intent: None,
) -> Intent:
    """Create and store an intent with its own deposit address.

    `on_stored` runs in the same database transaction, so that what it writes and the intent are
    stored together or not at all. Raises `InvalidInput`, also where open payments reach the limit
    of exposure to a price, `PaymentsStopped`, and `QuotesUnavailable`.
    """
    caller.require_scope(Scope.WRITE)
    new = prepare_intents(services, [(caller, request)])[0]
    if isinstance(new, Exception):
        raise new

    def store(unit: UnitOfWork) -> Intent:
        [stored] = store_intents(services, unit, [new])
        on_stored(unit, stored)
        return stored

    stored = services.store.write(store)
    process.add_log_ids(intent=stored.id)
    services.process.failpoint("created")
    return stored


def prepare_intents(
    services: Services, requests: Sequence[tuple[Principal, CreateIntentRequest | Exception]]
) -> list[NewIntent | Exception]:
    """For each request the intent that it asks for, or what `create_intent` raises for it, or the
    error that it is. Addresses are looked up and bridges are asked once for all."""
    parsed = _parse_all(services, requests)
    asked = [
        AskedQuote(caller, one.route, one.amount, one.amount_symbol)
        for (caller, _), one in zip(requests, parsed, strict=True)
        if isinstance(one, ParsedRequest)
    ]
    quotes = iter(quote_intents(services, asked) if asked else ())
    return [
        one if isinstance(one, Exception) else _build(services, caller, one, next(quotes))
        for (caller, _), one in zip(requests, parsed, strict=True)
    ]


def store_intents(services: Services, unit: UnitOfWork, new: Sequence[NewIntent]) -> list[Intent]:
    """Store prepared intents in one transaction. Raises `ExposureExceeded`, which undoes it, where
    together they do not fit into a limit of exposure."""
    stored = unit.intents.add_all([(one.intent, one.event_id) for one in new]) if new else []
    for one, intent in zip(new, stored, strict=True):
        require_exposure_room(services, unit, intent, one.payer)
    return stored


def _parse_all(
    services: Services, requests: Sequence[tuple[Principal, CreateIntentRequest | Exception]]
) -> list[ParsedRequest | Exception]:
    named: list[set[str]] = [set() for _ in requests]
    parsed = [
        _parse(services, *asked, partial(_take_down, own))
        for asked, own in zip(requests, named, strict=True)
    ]
    every = set().union(*named)
    if every and (known := read_deposit_addresses(services, every)):
        for index, own in enumerate(named):
            if own & known:
                parsed[index] = _parse(services, *requests[index], known.__contains__)
    return parsed


def _take_down(addresses: set[str], address: str) -> bool:
    """Note that it must be known whether this is a deposit address; for now it is taken for none,
    like nearly every one."""
    addresses.add(address)
    return False


def _parse(
    services: Services,
    caller: Principal,
    request: CreateIntentRequest | Exception,
    is_deposit_address: Callable[[str], bool],
) -> ParsedRequest | Exception:
    try:
        if isinstance(request, Exception):
            return request
        caller.require_scope(Scope.WRITE)
        require_not_stopped(services)
        return parse(services, caller, request, is_deposit_address)
    except Exception as error:
        return error


def _build(
    services: Services, caller: Principal, parsed: ParsedRequest, quote: Quote | Exception
) -> NewIntent | Exception:
    if isinstance(quote, Exception):
        return quote
    try:
        life_seconds = services.policy.intent_life_seconds
        intent = build_intent(services, caller, parsed.fields, quote, life_seconds)
    except Exception as error:
        return error
    return NewIntent(intent, parsed.payer)


def build_intent(
    services: Services,
    caller: Principal,
    fields: IntentFields,
    quote: Quote,
    life_seconds: int,
) -> Intent:
    """Build a pending intent; its deposit address is derived from its terms alone."""
    assert not quote.estimate_reason, "an estimate is never the terms of a payment"
    owner, now = caller.owner, services.clock.now()
    terms = _build_terms(fields, quote, now, life_seconds)
    source, destination = services.chains[quote.source], services.chains[quote.destination]
    bridger = source.accounts.collector(quote.collector)
    intent_hash = source.intent_hash(terms, bridger)
    address = source.deposit_address(intent_hash)
    max_settle_seconds = services.policy.max_settle_seconds
    return Intent(
        id=0,
        client_id=owner.client_id,
        mode=owner.mode.value,
        intent_hash=intent_hash,
        address=address,
        destination_address=destination.deposit_address(intent_hash),
        deposit_token_account=source.deposit_token_account(address, quote.token_in),
        terms=terms,
        costs=quote.costs,
        sender=fields.sender,
        requested_amount=quote.amount,
        amount_symbol=quote.amount_symbol,
        asset_symbol=quote.asset_symbol,
        asset_decimals=quote.asset_decimals,
        out_symbol=fields.token_out.symbol,
        out_decimals=fields.token_out.decimals,
        slippage=quote.slippage,
        settle_seconds=quote.settle_seconds
        if max_settle_seconds is None
        else min(quote.settle_seconds, max_settle_seconds),
        bridge_data=quote.extra_data,
        coordinator=source.accounts.coordinator,
        bridger=bridger,
        metadata=fields.metadata,
        payment_link_id=fields.payment_link_id,
        state=State.PENDING,
        received_amount=0,
        balance_at_address=0,
        relayer="",
        relayer_claimed=False,
        needs_relay=False,
        tx_hash=None,
        created_at=now,
        updated_at=now,
        by_payer=fields.by_payer,
        custody=quote.custody,
        swap=quote.swap,
    )


def _build_terms(fields: IntentFields, quote: Quote, now: datetime, life_seconds: int) -> Terms:
    # Whole seconds: the resolution of chain time and of `expires_at` in the API.
    expires_at = now.replace(microsecond=0) + timedelta(seconds=life_seconds)
    return Terms(
        nonce=secrets.randbits(_NONCE_BITS),
        source_chain=quote.source,
        destination_chain=quote.destination,
        token_in=quote.token_in,
        token_out=quote.token_out,
        deposit_amount=quote.deposit_amount,
        payout_amount=quote.payout_amount,
        recipient=fields.recipient,
        refund_address=fields.refund_address,
        bridge=quote.bridge.value if quote.bridge else "",
        expires_at=expires_at,
    )

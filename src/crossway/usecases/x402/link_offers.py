"""Offers to pay a payment link by a signature, for programs instead of people."""

import secrets

from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.intent import Intent
from crossway.domain.payment_links import LinkUse
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payers.checkout import get_checkout_link, parse_amount, principal_of
from crossway.usecases.payers.link_payments import request_by_link, require_room
from crossway.usecases.x402.messages import PaymentOffer, network_of
from crossway.usecases.x402.offers import NONE_OFFERED, request_from, signed_tokens, store_offers

NO_REFUNDS = "This payment link takes no x402: its merchant has no refund address for EVM chains"


def offer_by_link(
    services: Services, link_id: str, amount_text: str, network: str, payer: str
) -> list[PaymentOffer]:
    """Create the cheapest payment of a link that can be made by a signature, on one network if one
    is named. It counts as a use of the link like one of its form, by the same limits. `payer` is
    the digest of the network address that asks.

    Raises `CheckoutError`, `TooManyUnpaid`, `InvalidStatus` for a closed link, and `InvalidInput`.
    """
    link = get_checkout_link(services, link_id, payer)
    if link.closed_reason is not None:
        raise InvalidStatus(link.closed_reason)
    amount = parse_amount(link, amount_text)
    refund_address = link.merchant.client.refund_addresses.get("evm")
    if not refund_address:
        raise InvalidInput(NO_REFUNDS)
    requests = [
        request_from(request_by_link(services, link, amount, token, refund_address, payer), token)
        for token in signed_tokens(services, link.link.source_chains)
        if link.link.accepts_source(token.chain, token.symbol)
        and network in ("", network_of(services.catalogue.chains[token.chain]))
    ]
    if not requests:
        raise InvalidInput(NONE_OFFERED)
    now = services.clock.now()

    def record_use(unit: UnitOfWork, intent: Intent) -> None:
        locked = unit.payment_links.lock(link_id)
        assert locked is not None
        require_room(unit, locked, intent, payer, now)
        nonce = secrets.token_urlsafe(24)
        unit.payment_links.record_use(LinkUse(0, link_id, nonce, intent.id, now, payer))

    return store_offers(services, principal_of(link), requests, record_use, most=1)

"""Payments that a payer makes by a signature alone: offered, asked for, checked and stored."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from crossway.domain.errors import Conflict, InvalidInput, InvalidStatus
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.payer_signatures import (
    Authorization,
    PayerSignature,
    SignatureStandard,
    SignatureState,
)
from crossway.ports.records import NewOutboundTx
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.money.emergency_stop import require_not_stopped
from crossway.usecases.payers.signature_offers import (
    SignatureOffer,
    find_offer,
    needs_approval,
)

MOST_SIGNATURES: Final = 3
"""Of one payment: each may cost a transaction that fails."""
MOST_REVERTS: Final = 20
"""Failed transactions within a day and chain, above which signatures are taken there only of
accounts that paid by one before: whoever makes them fail must not close the way to all others."""
DAY: Final = timedelta(days=1)


class SignatureRefused(InvalidInput):
    """A payer's signature is not taken; `reason` is a key: `signature`, `recipient`, `amount`,
    `time`, `used`, `balance`, `refused` (by the token), `limit` or `unavailable`."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def is_offered(services: Services, intent: Intent, account: str) -> bool:
    """Whether this account can pay a payment by a signature now. Raises `Unreachable`."""
    if find_offer(services, intent) is None or needs_approval(services, intent, account):
        return False
    with services.store.read() as unit:
        return _has_room(services, unit, intent, account)


def is_signed(services: Services, intent: Intent) -> bool:
    """Whether a signature for a payment is being carried out, or was, and its deposit is on its
    way."""
    with services.store.read() as unit:
        stored = unit.payer_signatures.list_of_intent(intent.id)
    return any(one.state in (SignatureState.STORED, SignatureState.PAID) for one in stored)


def build_request(
    services: Services, intent: Intent, account: str, amount: int
) -> Mapping[str, Any]:
    """What an account is to sign so that this amount reaches the deposit address in time. Raises
    `SignatureRefused` where no signature is taken now."""
    offer = _require_offer(services, intent)
    with services.store.read() as unit:
        _require_room(services, unit, intent, account)
        wanted = _authorization(unit, intent, offer.domain.standard, account, amount)
    return offer.chain.typed_data(wanted, offer.domain)


def accept_from_page(
    services: Services, intent: Intent, account: str, amount: int, signature: str
) -> PayerSignature:
    """Store the signature of what `build_request` asked for, to be carried out at once. Raises
    `SignatureRefused`, `InvalidStatus` and `Unreachable`."""
    standard = _require_offer(services, intent).domain.standard
    with services.store.read() as unit:
        wanted = _authorization(unit, intent, standard, account, amount)
    return accept(services, intent, wanted, signature)


def accept(
    services: Services,
    intent: Intent,
    authorization: Authorization,
    signature: str,
    paid_for: bool = False,
    again: bool = True,
) -> PayerSignature:
    """Store a signature that pays a payment, and with it the transaction that carries it out.

    What costs nothing is checked first, then the chain is asked what would happen. The same
    signature `again` is the one that is stored, or else `used`. Raises as `accept_from_page`.
    """
    require_not_stopped(services)
    checked = verify(services, intent, authorization, signature, paid_for, again)
    if checked.id:
        return checked
    stored = services.store.write(lambda unit: _store(unit, services, intent, checked, again))
    services.process.failpoint("signature-stored")
    return stored


def find_newest(services: Services, intent_id: int) -> tuple[PayerSignature, str | None] | None:
    """A payment's newest signature, and the transaction that carried it out, does so, or used its
    nonce; None without any."""
    with services.store.read() as unit:
        signatures = unit.payer_signatures.list_of_intent(intent_id)
        pay_ins = unit.outbound_txs.list_by_intents([intent_id], OutboundTxKind.PAY_IN)
    if not signatures:
        return None
    newest = signatures[-1]
    sent = [tx.tx_id for tx in pay_ins if tx.cause == newest.authorization.nonce]
    return newest, newest.tx_id or next(iter(sent), None)


def verify(
    services: Services,
    intent: Intent,
    authorization: Authorization,
    signature: str,
    paid_for: bool = False,
    again: bool = True,
) -> PayerSignature:
    """The signature as it would be stored, or as it is. Raises as `accept`, and stores nothing."""
    offer = _require_offer(services, intent, paid_for)
    try:
        raw = offer.chain.parse_signature(authorization, offer.domain, signature)
    except ValueError as error:
        raise SignatureRefused("signature", f"signature: {error}") from None
    now = services.clock.now()
    new = PayerSignature(
        0, intent.id, authorization, raw, SignatureState.STORED, "", None, 0, now, now
    )
    with services.store.read() as unit:
        if (known := _find_same(unit, new, again)) is not None:
            return known
        _require_payable(services, intent, authorization)
        _require_room(services, unit, intent, authorization.payer)
    _require_success(services, offer, new)
    return new


def _require_offer(services: Services, intent: Intent, paid_for: bool = False) -> SignatureOffer:
    offer = find_offer(services, intent, paid_for)
    if offer is None:
        raise SignatureRefused("unavailable", "This payment cannot be made by a signature now")
    return offer


def _authorization(
    unit: UnitOfWork, intent: Intent, standard: SignatureStandard, account: str, amount: int
) -> Authorization:
    """What a payer is asked to sign. Whoever signs twice, in two windows, signs one nonce, which
    the token takes once."""
    ended = sum(
        one.state is not SignatureState.STORED
        for one in unit.payer_signatures.list_of_intent(intent.id)
    )
    nonce = hashlib.sha256(f"crossway:pay-in:{intent.intent_hash}:{ended}".encode()).hexdigest()
    terms, until = intent.terms, int(intent.terms.expires_at.timestamp())
    return Authorization(
        standard,
        terms.source_chain,
        terms.token_in,
        account,
        intent.address,
        amount,
        0,
        until,
        f"0x{nonce}",
    )


def _find_same(unit: UnitOfWork, new: PayerSignature, again: bool) -> PayerSignature | None:
    """The same signature where it is stored. Raises `SignatureRefused` where its nonce is, for
    something else, or where it is not to come `again`."""
    one = new.authorization
    known = unit.payer_signatures.find_account_nonce(one.chain, one.token, one.payer, one.nonce)
    if known is None:
        return None
    same = (known.intent_id, known.authorization) == (new.intent_id, one)
    if not again or not same or known.signature != new.signature:
        raise SignatureRefused("used", "nonce: it is used by another signature")
    return known


def _require_payable(services: Services, intent: Intent, one: Authorization) -> None:
    """Whether it pays this payment, exactly what is missing, in time and not longer."""
    terms, now = intent.terms, services.clock.now()
    margin = timedelta(seconds=services.policy.start_margin_seconds)
    if intent.state is not State.PENDING or now + margin >= terms.expires_at:
        raise SignatureRefused("time", "This payment can no longer be made")
    if (one.chain, one.token, one.to) != (terms.source_chain, terms.token_in, intent.address):
        raise SignatureRefused("recipient", "to: it is not the payment's deposit address")
    if one.amount != terms.deposit_amount - intent.received_amount:
        raise SignatureRefused("amount", "value: it is not the amount that is missing")
    seconds = now.timestamp()
    if one.valid_after > seconds:
        raise SignatureRefused("time", "validAfter: it is not valid yet")
    if not seconds < one.valid_before <= terms.expires_at.timestamp():
        raise SignatureRefused(
            "time", "validBefore: it must be before the payment expires, and not passed"
        )


def _require_room(services: Services, unit: UnitOfWork, intent: Intent, account: str) -> None:
    """Whether another signature may be taken, of a payment, of an account and on a chain."""
    own = unit.payer_signatures.list_of_intent(intent.id)
    if any(one.state is SignatureState.STORED for one in own):
        raise SignatureRefused("limit", "A signature for this payment is being carried out")
    if not _has_room(services, unit, intent, account):
        raise SignatureRefused("limit", "No further signature is taken for now")


def _has_room(services: Services, unit: UnitOfWork, intent: Intent, account: str) -> bool:
    chain, token = intent.terms.source_chain, intent.terms.token_in
    signatures, since = unit.payer_signatures, services.clock.now() - DAY
    if len(signatures.list_of_intent(intent.id)) >= MOST_SIGNATURES:
        return False
    if signatures.count_reverts(chain, since, account):
        return False
    is_open = signatures.count_reverts(chain, since) < MOST_REVERTS
    return is_open or signatures.has_paid(chain, token, account)


def _require_success(services: Services, offer: SignatureOffer, new: PayerSignature) -> None:
    one = new.authorization
    [check] = offer.chain.check_signatures([new])
    if check.ended is not None:
        raise SignatureRefused("used", "nonce: it is used already")
    if check.refusal:
        held = services.chains[one.chain].balances([one.payer], one.token)[one.payer]
        if held < one.amount:
            raise SignatureRefused("balance", "The account holds less than the payment needs")
        raise SignatureRefused("refused", check.refusal)


def _store(
    unit: UnitOfWork, services: Services, intent: Intent, new: PayerSignature, again: bool
) -> PayerSignature:
    """Store it with its transaction, unless the payment has moved on since it was read."""
    locked = unit.intents.lock({intent.id})[intent.id]
    if (known := _find_same(unit, new, again)) is not None:
        return known
    if locked.state is not State.PENDING or locked.received_amount != intent.received_amount:
        raise InvalidStatus("The payment is no longer waiting for this amount")
    _require_room(services, unit, locked, new.authorization.payer)
    try:
        stored = unit.payer_signatures.add(new)
    except Conflict:
        raise SignatureRefused("used", "nonce: it is used by another signature") from None
    one, now = new.authorization, services.clock.now()
    pay_in = NewOutboundTx(
        intent.id, OutboundTxKind.PAY_IN, one.nonce, one.chain, one.token, one.amount, one.to, now
    )
    unit.outbound_txs.enqueue([pay_in], now)
    return replace(stored, updated_at=now)

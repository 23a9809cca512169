"""Which calls of deposits at standing addresses may be signed: those that match what is stored."""

from collections.abc import Iterator

from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.domain.standing import StandingState
from crossway.ports.chain import Chain
from crossway.usecases.payments.standing_calls import StandingRecords

_STATES = {
    OutboundTxKind.FORWARD: StandingState.FORWARDING,
    OutboundTxKind.RECOVER: StandingState.RETURNING,
}


def differences_of_standing(
    chain: Chain, tx: OutboundTx, call: OutboundCall, records: StandingRecords | None
) -> Iterator[str]:
    """Whether a call moves a stored deposit, whole, from the address that follows from its terms to
    where its contract lets it go."""
    if records is None or tx.kind not in _STATES:
        yield "its deposit at a standing address is gone"
        return
    deposit, address, intent = records.deposit, records.address, records.intent
    terms, incoming = address.terms, deposit.incoming
    if chain.standing is None or chain.standing.standing_hash(terms) != address.standing_hash:
        yield "the terms of the standing address are not those of its hash"
    elif chain.standing.standing_address(address.standing_hash) != address.address:
        yield "the standing address is not that of its terms"
    elif incoming.to != address.address:
        yield "the deposit came to another address"
    if tx.state not in (OutboundTxState.DUE, OutboundTxState.SIGNED):
        yield f"it is {tx.state.lower()}"
    elif tx.state is OutboundTxState.DUE and deposit.state is not _STATES[tx.kind]:
        yield f"the deposit is {deposit.state.lower()}"
    is_forward = tx.kind is OutboundTxKind.FORWARD
    to = intent.address if is_forward and intent is not None else address.recovery
    location = (tx.chain, tx.token, tx.amount, tx.to_address)
    if location != (incoming.chain, incoming.token, incoming.amount, to):
        yield "its chain, token, amount or receiver is not that of the deposit"
    if is_forward and intent is None:
        yield "the deposit has no payment"
        return
    if is_forward:
        yield from _differences_of_payment(chain, records)
    yield from _differences_of_call(chain, tx, call, records)


def _differences_of_call(
    chain: Chain, tx: OutboundTx, call: OutboundCall, records: StandingRecords
) -> Iterator[str]:
    """Whether the call makes this one transfer, once, as the relayer."""
    address, intent = records.address, records.intent
    if (call.kind, call.chain, call.account) != (tx.kind, chain.id, chain.accounts.relayer):
        yield "the call is that of another transaction or account"
    if call.outputs != (Output(address.address, tx.to_address, tx.token, tx.amount),):
        yield "it moves something else than the deposit"
    if (call.standing, call.deposit_id) != (address.terms, records.deposit.deposit_id):
        yield "the call is for another deposit or standing address"
    hash = address.standing_hash
    marker = chain.standing.marker(hash, call.deposit_id) if chain.standing else None
    if marker is None or call.marker != marker:
        yield "its marker is not that of the deposit"
    of_call = (call.intent_hash, call.terms, call.bridger, call.coordinator, call.not_after)
    expected: tuple[object, ...] = ("", None, "", address.terms.coordinator, None)
    if tx.kind is OutboundTxKind.FORWARD and intent is not None:
        agreed = intent.terms
        of_payment = (intent.intent_hash, agreed, intent.bridger, intent.coordinator)
        expected = (*of_payment, agreed.expires_at)
    if of_call != expected:
        yield "the call has other terms than the payment"
    of_others = (call.contract, call.data, call.value, call.message, call.attestation)
    if any((*of_others, call.bridge_output, call.swap, call.signature)):
        yield "it does something else beside"


def _differences_of_payment(chain: Chain, records: StandingRecords) -> Iterator[str]:
    """Whether the payment is one that the standing address is committed to."""
    deposit, intent, terms = records.deposit, records.intent, records.address.terms
    assert intent is not None
    agreed, rule = intent.terms, terms.rule_of(deposit.incoming.token)
    if chain.intent_hash(agreed, intent.bridger, intent.coordinator) != intent.intent_hash:
        yield "the terms of the payment are not those of its intent hash"
    elif not chain.is_deposit_address(intent.address, intent.intent_hash):
        yield "the deposit address of the payment is not that of its intent hash"
    if (agreed.destination_chain, agreed.token_out, agreed.recipient) != (
        terms.destination_chain,
        terms.token_out,
        terms.recipient,
    ):
        yield "the payment has another recipient than the standing address"
    if (agreed.refund_address, intent.coordinator) != (terms.recovery, terms.coordinator):
        yield "the payment has another refund address than the standing address"
    if intent.bridger not in terms.bridgers:
        yield "the standing address does not know who collects the payment"
    if agreed.deposit_amount != deposit.incoming.amount:
        yield "the payment asks for another amount than was deposited"
    if rule is None:
        yield "the token is not accepted"
    elif agreed.payout_amount < rule.least_payout(agreed.deposit_amount, terms.max_fee_bps):
        yield "the recipient gets less than the standing address is committed to"

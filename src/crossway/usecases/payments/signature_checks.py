"""What a call must have to carry out a payer's signature as it is stored."""

from collections.abc import Iterator

from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTx, OutboundTxState
from crossway.domain.outbound_call import OutboundCall, Output
from crossway.domain.payer_signatures import SignatureState
from crossway.ports.store import UnitOfWork


def differences_of_pay_in(
    unit: UnitOfWork, tx: OutboundTx, intent: Intent, call: OutboundCall
) -> Iterator[str]:
    """Whether the call moves what the payer signed for to the payment's own address, once."""
    terms, called = intent.terms, call.signature
    stored = unit.payer_signatures.get_many({intent.id}).get((intent.id, tx.cause))
    if stored is None or called is None:
        yield "there is no signature of the payer"
        return
    one = stored.authorization
    if (called.authorization, called.signature) != (one, stored.signature):
        yield "the signature is not the one that is stored"
    if tx.state is OutboundTxState.DUE and stored.state is not SignatureState.STORED:
        yield f"the payer's signature is {stored.state.lower()}"
    location = terms.source_chain, terms.token_in
    if (one.chain, one.token) != location or (tx.chain, tx.token) != location:
        yield "its chain or token is not that of the terms"
    if one.to != intent.address or tx.to_address != intent.address:
        yield "it does not pay the payment's deposit address"
    if one.amount != tx.amount or not 0 < one.amount <= terms.deposit_amount:
        yield "its amount is not that of the terms"
    if one.valid_before > terms.expires_at.timestamp():
        yield "the payer's signature outlives the payment"
    if call.outputs != (Output(one.payer, intent.address, terms.token_in, one.amount),):
        yield "it does not move what the payer signed for"
    if call.marker is not None or call.not_after is not None:
        yield "it has a marker or a deadline"
    if call.contract or call.data or call.value:
        yield "it calls a contract of an inventory transfer"
    of_others = (call.message, call.attestation, call.bridge_output, call.swap, call.deposit_id)
    if any(of_others) or call.standing is not None:
        yield "it does something else beside"

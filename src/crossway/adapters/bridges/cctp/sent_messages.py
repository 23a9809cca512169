"""The message of a payment among those of a transaction, and the call that delivers it."""

from collections.abc import Sequence

from crossway.adapters.bridges.cctp.message import parse_message
from crossway.adapters.bridges.cctp.networks import cctp_contracts
from crossway.adapters.chains.intent_hash import dest_terms, source_terms
from crossway.adapters.chains.words import address_word
from crossway.domain.bridge_transfer import Custody
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import Intent
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall


def find_sent_message(
    catalogue: Catalogue, intent: Intent, logged: Sequence[bytes]
) -> bytes | None:
    """The message of a payment. Anyone can have the transmitter emit any body, but only Circle's
    messenger is its sender, and writes there who burnt the USDC."""
    source = catalogue.chains[intent.terms.source_chain]
    messenger = address_word("evm", cctp_contracts(source.testnet).token_messenger)
    bridger = address_word("evm", intent.bridger)
    terms = _encode_terms(catalogue, intent)
    for data in logged:
        try:
            message = parse_message(data)
        except ValueError:  # A message about something else than burnt USDC.
            continue
        is_burn = message.sender == message.recipient == messenger
        if is_burn and message.message_sender == bridger and message.hook == terms:
            return data
    return None


def delivery_of(intent: Intent, message: bytes, attestation: bytes) -> OutboundCall:
    """The call that delivers a message, which anyone may send."""
    return OutboundCall(
        OutboundTxKind.DELIVER,
        intent.terms.destination_chain,
        intent.coordinator,
        intent.intent_hash,
        (),
        terms=intent.terms,
        bridger=intent.bridger,
        coordinator=intent.coordinator,
        custody=Custody.BRIDGE,
        message=message,
        attestation=attestation,
    )


def _encode_terms(catalogue: Catalogue, intent: Intent) -> bytes:
    source = source_terms(catalogue, intent.terms, intent.bridger, intent.coordinator)
    return source.encode() + dest_terms(catalogue, intent.terms).encode()

"""The terms of standing addresses as their contract on EVM chains has them, and its calls."""

from typing import Final

from eth_abi.abi import encode

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import FORWARD, RECOVER
from crossway.adapters.chains.evm.contracts import Deployment
from crossway.adapters.chains.intent_hash import TermsHashes, chain_word, source_terms
from crossway.adapters.chains.words import address_bytes, address_word
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import Terms
from crossway.domain.outbound_call import OutboundCall
from crossway.domain.standing import StandingTerms

_TERMS: Final = (
    "(uint256,uint256,address,address,uint256,uint256,uint256,uint256,"
    "(address,uint256,uint256)[],address[])"
)


def hash_standing(catalogue: Catalogue, terms: StandingTerms) -> bytes:
    """The hash of the terms of a standing address, from which its address follows."""
    return keccak256(encode([_TERMS], [terms_values(catalogue, terms)]))


def encode_forward(
    catalogue: Catalogue, at: Deployment, action: OutboundCall, terms: Terms, hashes: TermsHashes
) -> bytes:
    """The data of the call that forwards a deposit. Raises `ValueError` where the addresses are not
    those of the terms."""
    standing = _verified(catalogue, at, action)
    if at.deposit_address(hashes.intent_hash) != action.outputs[0].to:
        raise ValueError(f"{action.outputs[0].to} is no deposit address of the contracts in use")
    source = source_terms(catalogue, terms, action.bridger, action.coordinator).values
    values = terms_values(catalogue, standing), source, terms.payout_amount, action.deposit_id
    return FORWARD.encode(*values)


def encode_recover(catalogue: Catalogue, at: Deployment, action: OutboundCall) -> bytes:
    """The data of the call that sends a deposit to the recovery address. Raises `ValueError` where
    the addresses are not those of the terms."""
    standing, output = _verified(catalogue, at, action), action.outputs[0]
    if output.to != standing.recovery or output.amount is None:
        raise ValueError(f"{output.to} is not the recovery address")
    token = address_bytes("evm", output.token)
    values = terms_values(catalogue, standing), token, output.amount, action.deposit_id
    return RECOVER.encode(*values)


def _verified(catalogue: Catalogue, at: Deployment, action: OutboundCall) -> StandingTerms:
    if action.standing is None:
        raise ValueError(f"the {action.kind} of {action.intent_hash} has no standing address")
    address = at.standing_address(hash_standing(catalogue, action.standing))
    if action.outputs[0].source != address:
        raise ValueError(f"{action.outputs[0].source} is not the standing address of the terms")
    return action.standing


def terms_values(catalogue: Catalogue, terms: StandingTerms) -> tuple[object, ...]:
    """The terms as the contract's struct."""
    destination = catalogue.chains[terms.destination_chain]
    return (
        int(catalogue.chains[terms.source_chain].chain_id),
        terms.nonce,
        address_bytes("evm", terms.recovery),
        address_bytes("evm", terms.coordinator),
        int.from_bytes(chain_word(destination), "big"),
        int.from_bytes(address_word(destination.kind, terms.token_out), "big"),
        int.from_bytes(address_word(destination.kind, terms.recipient), "big"),
        terms.max_fee_bps,
        [(address_bytes("evm", r.token), r.minimum, r.rate) for r in terms.tokens],
        [address_bytes("evm", bridger) for bridger in terms.bridgers],
    )

"""The intent hash: computed from an intent's terms in the same way by the contracts of all chains.

Terms are encoded by the ABI. The intent hash identifies the intent on every chain; its deposit
address and its markers follow from it.
"""

from dataclasses import dataclass
from typing import Final

from eth_abi.abi import encode

from crossway.adapters.chains.addresses import SHORT_ADDRESS, keccak256
from crossway.adapters.chains.words import address_bytes
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.intent import Terms
from crossway.domain.outbound_call import OutboundCall

# How contracts know a chain and an address: where they can read the chain's id, by that.
_EVM_TYPES: Final = ("uint256", "address")
_OTHER_TYPES: Final = ("bytes32", "bytes32")
_NUMBER: Final = "uint256"


@dataclass(frozen=True, slots=True)
class AbiValues:
    """Values with their ABI types; addresses as bytes."""

    types: tuple[str, ...]
    values: tuple[int | bytes, ...]

    def encode(self) -> bytes:
        """The encoding, whose hash contracts compute: a word of 32 bytes for each value."""
        return encode(self.types, self.values)


@dataclass(frozen=True, slots=True)
class TermsHashes:
    """The hashes of the source and the destination terms of an intent."""

    source_hash: bytes
    dest_hash: bytes

    @property
    def intent_hash(self) -> bytes:
        """keccak256 of both hashes: the intent's id and the salt of its deposit address."""
        return keccak256(self.source_hash + self.dest_hash)


def hash_terms(catalogue: Catalogue, terms: Terms, bridger: str, coordinator: str) -> TermsHashes:
    """The hashes of these terms. `bridger` and `coordinator` are those that the intent stores, not
    the ones configured now. Addresses are in canonical form."""
    return TermsHashes(
        keccak256(source_terms(catalogue, terms, bridger, coordinator).encode()),
        keccak256(dest_terms(catalogue, terms).encode()),
    )


def verified_hashes(catalogue: Catalogue, action: OutboundCall) -> tuple[Terms, TermsHashes]:
    """The terms of an action and their hashes. Raises `ValueError` where the action has no terms,
    or its intent hash is not that of its terms."""
    terms = action.terms
    if terms is None:
        raise ValueError(f"the {action.kind} of {action.intent_hash} has no terms")
    hashes = hash_terms(catalogue, terms, action.bridger, action.coordinator)
    if "0x" + hashes.intent_hash.hex() != action.intent_hash:
        raise ValueError(f"the terms of {action.intent_hash} have another intent hash")
    return terms, hashes


def source_terms(catalogue: Catalogue, terms: Terms, bridger: str, coordinator: str) -> AbiValues:
    """The source terms: chain, nonce, token, total, bridger, refundTo, coordinator, expiry."""
    chain = catalogue.chains[terms.source_chain]
    id_type, address_type = _types(chain)
    return AbiValues(
        (id_type, _NUMBER, address_type, _NUMBER, *[address_type] * 3, _NUMBER),
        (
            _chain_value(chain),
            terms.nonce,
            address_bytes(chain.kind, terms.token_in),
            terms.deposit_amount,
            address_bytes(chain.kind, bridger),
            address_bytes(chain.kind, terms.refund_address),
            address_bytes(chain.kind, coordinator),
            int(terms.expires_at.timestamp()),
        ),
    )


def dest_terms(catalogue: Catalogue, terms: Terms) -> AbiValues:
    """The destination terms: chain, token, recipient, amount."""
    chain = catalogue.chains[terms.destination_chain]
    id_type, address_type = _types(chain)
    return AbiValues(
        (id_type, address_type, address_type, _NUMBER),
        (
            _chain_value(chain),
            address_bytes(chain.kind, terms.token_out),
            address_bytes(chain.kind, terms.recipient),
            terms.payout_amount,
        ),
    )


def chain_word(chain: Chain) -> bytes:
    """The chain id on EVM chains and Tron, where contracts can read it; elsewhere the hash of the
    chain's CAIP-2 id."""
    return encode(_types(chain)[:1], (_chain_value(chain),))


def _types(chain: Chain) -> tuple[str, str]:
    return _EVM_TYPES if chain.kind in ("evm", "tron") else _OTHER_TYPES


def _chain_value(chain: Chain) -> int | bytes:
    if chain.kind in ("evm", "tron"):
        return int(chain.chain_id)
    return keccak256(chain.caip2.encode())


def create2_address(prefix: int, deployer: bytes, salt: bytes, code_hash: bytes) -> bytes:
    """The 20 bytes of a contract's CREATE2 address; `prefix` is 0xff on EVM chains and 0x41 on
    Tron."""
    return keccak256(bytes([prefix]) + deployer + salt + code_hash)[-SHORT_ADDRESS:]

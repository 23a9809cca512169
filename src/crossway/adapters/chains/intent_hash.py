"""The intent hash: computed from an intent's terms in the same way by the contracts of all chains.

Terms are encoded as words of 32 bytes. The intent hash identifies the intent on every chain; its
deposit address and its markers follow from it.
"""

from dataclasses import dataclass

import base58

from crossway.adapters.chains.addresses import keccak256
from crossway.domain.catalogue import Catalogue, Chain, ChainKind
from crossway.domain.intent import Terms
from crossway.domain.outbound_call import OutboundCall

NATIVE = "native"
WORD = 32
_SHORT = 20


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
        keccak256(b"".join(source_words(catalogue, terms, bridger, coordinator))),
        keccak256(b"".join(dest_words(catalogue, terms))),
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


def source_words(
    catalogue: Catalogue, terms: Terms, bridger: str, coordinator: str
) -> tuple[bytes, ...]:
    """The source terms: chain, nonce, token, total, bridger, refundTo, coordinator, expiry."""
    chain = catalogue.chains[terms.source_chain]
    return (
        chain_word(chain),
        number_word(terms.nonce),
        address_word(chain.kind, terms.token_in),
        number_word(terms.deposit_amount),
        address_word(chain.kind, bridger),
        address_word(chain.kind, terms.refund_address),
        address_word(chain.kind, coordinator),
        number_word(int(terms.expires_at.timestamp())),
    )


def dest_words(catalogue: Catalogue, terms: Terms) -> tuple[bytes, ...]:
    """The destination terms: chain, token, recipient, amount."""
    chain = catalogue.chains[terms.destination_chain]
    return (
        chain_word(chain),
        address_word(chain.kind, terms.token_out),
        address_word(chain.kind, terms.recipient),
        number_word(terms.payout_amount),
    )


def chain_word(chain: Chain) -> bytes:
    """The chain id on EVM chains and Tron, where contracts can read it; elsewhere the hash of the
    chain's CAIP-2 id."""
    if chain.kind in ("evm", "tron"):
        return number_word(int(chain.chain_id))
    return keccak256(chain.caip2.encode())


def number_word(number: int) -> bytes:
    """A non-negative number as a word. Raises `OverflowError` where it does not fit."""
    return number.to_bytes(WORD, "big")


def address_word(kind: ChainKind, address: str) -> bytes:
    """An address in canonical form as a word; zero for a native coin without an address."""
    if address == NATIVE:
        return bytes(WORD)
    if kind == "solana":
        return base58.b58decode(address).rjust(WORD, b"\0")
    if kind == "tron":
        # Without the prefix byte and the checksum.
        return base58.b58decode(address)[1 : 1 + _SHORT].rjust(WORD, b"\0")
    return bytes.fromhex(address.removeprefix("0x")).rjust(WORD, b"\0")


def create2_address(prefix: int, deployer: bytes, salt: bytes, code_hash: bytes) -> bytes:
    """The 20 bytes of a contract's CREATE2 address; `prefix` is 0xff on EVM chains and 0x41 on
    Tron."""
    return keccak256(bytes([prefix]) + deployer + salt + code_hash)[-_SHORT:]

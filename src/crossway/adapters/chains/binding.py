"""What binds an intent's address and markers to its terms: hashes that every family's contracts
compute alike, over words of 32 bytes."""

from dataclasses import dataclass

import base58

from crossway.adapters.chains.addresses import keccak256
from crossway.domain.catalogue import Catalogue, Chain, ChainKind
from crossway.domain.intent import Terms

NATIVE = "native"
WORD = 32
_SHORT = 20


@dataclass(frozen=True, slots=True)
class Bound:
    """The hashes of an intent's terms; `key` is its name and the salt of its deposit address."""

    source_hash: bytes
    dest_hash: bytes

    @property
    def key(self) -> bytes:
        """keccak256 of both hashes."""
        return keccak256(self.source_hash + self.dest_hash)


def bound(catalogue: Catalogue, terms: Terms, bridger: str, coordinator: str) -> Bound:
    """The hashes of these terms with the accounts that the intent stores: those of its source
    chain when it was created, not those of today. Addresses are in canonical form."""
    return Bound(
        keccak256(b"".join(source_words(catalogue, terms, bridger, coordinator))),
        keccak256(b"".join(dest_words(catalogue, terms))),
    )


def source_words(
    catalogue: Catalogue, terms: Terms, bridger: str, coordinator: str
) -> tuple[bytes, ...]:
    """chain, nonce, token, total, bridger, refundTo, coordinator, expiry."""
    chain = catalogue.chains[terms.source_chain]
    return (
        chain_word(chain),
        number_word(terms.nonce),
        address_word(chain.kind, terms.token_in),
        number_word(terms.total_units),
        address_word(chain.kind, bridger),
        address_word(chain.kind, terms.refund_address),
        address_word(chain.kind, coordinator),
        number_word(int(terms.expires_at.timestamp())),
    )


def dest_words(catalogue: Catalogue, terms: Terms) -> tuple[bytes, ...]:
    """chain, token, recipient, amount."""
    chain = catalogue.chains[terms.destination_chain]
    return (
        chain_word(chain),
        address_word(chain.kind, terms.token_out),
        address_word(chain.kind, terms.recipient),
        number_word(terms.out_units),
    )


def chain_word(chain: Chain) -> bytes:
    """The chain id where contracts can read it, else the hash of the chain's CAIP-2 name."""
    if chain.kind in ("evm", "tron"):
        return number_word(int(chain.chain_id))
    return keccak256(chain.caip2.encode())


def number_word(number: int) -> bytes:
    """A number of 0 or more as a word; one that does not fit raises `OverflowError`."""
    return number.to_bytes(WORD, "big")


def address_word(kind: ChainKind, address: str) -> bytes:
    """An address in canonical form as a word; the native coin without an address is zero."""
    if address == NATIVE:
        return bytes(WORD)
    if kind == "solana":
        return base58.b58decode(address).rjust(WORD, b"\0")
    if kind == "tron":
        # Without the family's prefix and the checksum.
        return base58.b58decode(address)[1 : 1 + _SHORT].rjust(WORD, b"\0")
    return bytes.fromhex(address.removeprefix("0x")).rjust(WORD, b"\0")


def create2(prefix: int, deployer: bytes, salt: bytes, code_hash: bytes) -> bytes:
    """The 20 bytes of a contract's address from what determines it; `prefix` is 0xff on EVM
    chains and 0x41 on Tron."""
    return keccak256(bytes([prefix]) + deployer + salt + code_hash)[-_SHORT:]

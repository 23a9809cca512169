"""Addresses, hashes and ids of the simulated network, as pure functions of their content."""

from functools import lru_cache
from hashlib import blake2b, sha256, sha512

import base58

from crossway.adapters.chains.addresses import address_from_digest
from crossway.adapters.chains.simulated.blocks.solana_addresses import derive_program_address
from crossway.domain.intent import Terms
from crossway.ports.chain_addresses import ChainAddresses

# The token name of a native coin that the catalogue does not list.
NATIVE = "native"
EPOCH_BYTES = 4


@lru_cache(maxsize=64)
def operator_addresses(kind: str) -> ChainAddresses:
    """The operator's accounts, the same on every chain of a family."""
    addresses = {
        name: derive_address(kind, f"own {name}")
        for name in ("relayer", "bridger", "coordinator", "treasury")
    }
    return ChainAddresses(
        addresses["relayer"], addresses["bridger"], addresses["coordinator"], addresses["treasury"]
    )


def derive_address(kind: str, name: str) -> str:
    """A valid address derived from this name."""
    return address_from_digest(kind, sha256(f"crossway simulated {name}".encode()).digest())


def deposit_address(kind: str, name: str) -> str:
    """The deposit address of an intent's hash, or the address of any other name. On Solana a
    program derives it, as our program does on a live cluster: nobody has a key of it."""
    if kind != "solana":
        return derive_address(kind, f"deposit {name}")
    key = sha256(f"deposit {name}".encode()).digest()
    return derive_program_address(derive_address(kind, "program"), b"intent", key)


def is_deposit_address(kind: str, address: str, name: str) -> bool:
    """Whether an address is the deposit address of an intent's hash. Payments from Solana that are
    older than its derivation by a program have an address like that of a wallet."""
    return address in (deposit_address(kind, name), derive_address(kind, f"deposit {name}"))


def intent_hash(terms: Terms) -> str:
    """SHA-256 of the terms in a fixed order, `0x` and 64 hex digits."""
    serialized_terms = "\n".join(
        (
            str(terms.nonce),
            terms.source_chain,
            terms.destination_chain,
            terms.token_in,
            terms.token_out,
            str(terms.deposit_amount),
            str(terms.payout_amount),
            terms.recipient,
            terms.refund_address,
            terms.bridge,
            str(terms.expires_at.timestamp()),
        )
    )
    return "0x" + sha256(serialized_terms.encode()).hexdigest()


def lookup_tag(chain: str, name: str) -> int:
    """A signed 64-bit tag by which a name on a chain is found in the database."""
    digest = blake2b(f"{chain} {name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def transaction_id(kind: str, raw: bytes) -> str:
    """A transaction's id in the family's format, derived from its bytes."""
    if kind == "solana":
        return base58.b58encode(sha512(raw).digest()).decode()
    digest = sha256(raw).hexdigest()
    return digest if kind == "tron" else "0x" + digest


def block_hash(kind: str, chain: str, height: int, epoch: int, content: str = "") -> str:
    """A block's hash; its last four bytes are the number of reorgs before it."""
    digest = sha256(f"{chain} {height} {epoch} {content}".encode()).digest()
    data = digest[:-EPOCH_BYTES] + epoch.to_bytes(EPOCH_BYTES, "big")
    if kind == "solana":
        return base58.b58encode(data).decode()
    return data.hex() if kind == "tron" else "0x" + data.hex()


def reorg_count_of(kind: str, hash_text: str) -> int | None:
    """The number of reorgs before the block of this hash; None for a foreign hash."""
    try:
        if kind == "solana":
            data = base58.b58decode(hash_text)
        else:
            data = bytes.fromhex(hash_text.removeprefix("0x"))
    except ValueError:
        return None
    return int.from_bytes(data[-EPOCH_BYTES:], "big") if len(data) == 32 else None

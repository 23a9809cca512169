"""What things are called on the simulated network: pure functions of what they are."""

from functools import lru_cache
from hashlib import blake2b, sha256, sha512

import base58

from crossway.adapters.chains.addresses import from_digest
from crossway.domain.intent import Terms
from crossway.ports.chain import ChainAddresses

# A native coin that is not among the chain's tokens is booked under this name.
NATIVE = "native"
EPOCH_BYTES = 4


@lru_cache(maxsize=64)
def own_addresses(kind: str) -> ChainAddresses:
    """Crossway's own accounts, the same on every chain of a family."""
    own = {
        name: made_address(kind, f"own {name}")
        for name in ("relayer", "bridger", "coordinator", "treasury")
    }
    return ChainAddresses(own["relayer"], own["bridger"], own["coordinator"], own["treasury"])


def made_address(kind: str, name: str) -> str:
    """A well-formed address that belongs to this name."""
    return from_digest(kind, sha256(f"crossway simulated {name}".encode()).digest())


def intent_key(terms: Terms) -> str:
    """SHA-256 of the terms in a fixed order, `0x` and 64 hex digits."""
    text = "\n".join(
        (
            str(terms.nonce),
            terms.source_chain,
            terms.destination_chain,
            terms.token_in,
            terms.token_out,
            str(terms.total_units),
            str(terms.out_units),
            terms.recipient,
            terms.refund_address,
            terms.bridge,
            str(terms.expires_at.timestamp()),
        )
    )
    return "0x" + sha256(text.encode()).hexdigest()


def tag(chain: str, name: str) -> int:
    """64 bits, signed, by which something on a chain is found in the database."""
    digest = blake2b(f"{chain} {name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def transaction_id(kind: str, raw: bytes) -> str:
    """The family's form of a transaction's name, derived from its bytes alone."""
    if kind == "solana":
        return base58.b58encode(sha512(raw).digest()).decode()
    digest = sha256(raw).hexdigest()
    return digest if kind == "tron" else "0x" + digest


def block_hash(kind: str, chain: str, height: int, epoch: int, content: str = "") -> str:
    """The name of a block; its last four bytes tell how many reorganisations came before it."""
    digest = sha256(f"{chain} {height} {epoch} {content}".encode()).digest()
    data = digest[:-EPOCH_BYTES] + epoch.to_bytes(EPOCH_BYTES, "big")
    if kind == "solana":
        return base58.b58encode(data).decode()
    return data.hex() if kind == "tron" else "0x" + data.hex()


def epoch_of(kind: str, hash_text: str) -> int | None:
    """How many reorganisations came before a block of this name; None when it is none of ours."""
    try:
        if kind == "solana":
            data = base58.b58decode(hash_text)
        else:
            data = bytes.fromhex(hash_text.removeprefix("0x"))
    except ValueError:
        return None
    return int.from_bytes(data[-EPOCH_BYTES:], "big") if len(data) == 32 else None

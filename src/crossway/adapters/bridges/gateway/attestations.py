"""Circle Gateway's attestations, each of one transfer or of several that are minted together, and
their comparison with what was signed."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from crossway.adapters.bridges.gateway.burn_intents import (
    SIGNATURE_BYTES,
    SPEC_BYTES,
    TransferSpec,
    parse_spec,
)
from crossway.adapters.chains.words import WORD

ATTESTATION_MAGIC: Final = bytes.fromhex("ff6fb334")
SET_MAGIC: Final = bytes.fromhex("1e12db71")
_MAGIC_BYTES, _SHORT = 4, 4
_SET_HEAD: Final = _MAGIC_BYTES + _SHORT
_HEAD: Final = _MAGIC_BYTES + WORD + _SHORT
_BYTES: Final = _HEAD + SPEC_BYTES
_TITLES: Final = {
    "source_domain": "source chain",
    "destination_domain": "destination chain",
    "source_contract": "wallet contract",
    "destination_contract": "minter contract",
    "source_token": "token to burn",
    "destination_token": "token to mint",
    "source_depositor": "depositor",
    "destination_recipient": "recipient",
    "source_signer": "signer",
    "destination_caller": "account that may mint",
    "value": "amount",
    "salt": "salt",
}


@dataclass(frozen=True, slots=True)
class Attestation:
    """Circle's answer: `payload` with Circle's `signature` mints all of `specs`, which are in their
    packed form, or none, until a block of the destination of this height, as contracts there count
    blocks."""

    payload: bytes
    signature: bytes
    max_block_height: int
    specs: tuple[bytes, ...]

    @property
    def stored(self) -> bytes:
        """Payload and signature as bytes."""
        return self.payload + self.signature


def parse_attestation(payload: bytes, signature: bytes) -> Attestation:
    """An attestation of transfers without hooks. Raises `ValueError` where it is something
    else."""
    if len(signature) != SIGNATURE_BYTES:
        raise ValueError(f"its signature has not {SIGNATURE_BYTES} bytes")
    parts = list(_parse_parts(payload))
    heights = [int.from_bytes(part[_MAGIC_BYTES : _MAGIC_BYTES + WORD], "big") for part in parts]
    specs = tuple(part[_HEAD:] for part in parts)
    # One that has expired keeps the others from being minted.
    return Attestation(payload, signature, min(heights), specs)


def parse_stored_attestation(data: bytes) -> Attestation:
    """An attestation as it was stored. Raises `ValueError`."""
    return parse_attestation(data[:-SIGNATURE_BYTES], data[-SIGNATURE_BYTES:])


def describe_difference(signed: Sequence[TransferSpec], attested: Sequence[bytes]) -> str:
    """What Circle attests to that was not signed, in words; empty where it is the same."""
    packed = [spec.packed for spec in signed]
    if sorted(packed) == sorted(attested):
        return ""
    if len(signed) != len(attested):
        return f"{len(attested)} transfers instead of {len(signed)}"
    missing = next(spec for spec in signed if spec.packed not in attested)
    try:
        other = parse_spec(next(spec for spec in attested if spec not in packed))
    except (StopIteration, ValueError):
        return "another kind of transfer"
    names = [n for n in _TITLES if getattr(missing, n) != getattr(other, n)]
    return ", ".join(f"another {_TITLES[name]}" for name in names)


def _parse_parts(payload: bytes) -> Iterator[bytes]:
    """The attestation of each transfer."""
    parts = payload
    count = 1
    if payload[:_MAGIC_BYTES] == SET_MAGIC:
        parts = payload[_SET_HEAD:]
        count = int.from_bytes(payload[_MAGIC_BYTES:_SET_HEAD], "big")
    if not parts or len(parts) != count * _BYTES:
        raise ValueError("it is no attestation of transfers without hooks")
    for start in range(0, len(parts), _BYTES):
        part = parts[start : start + _BYTES]
        length = part[_HEAD - _SHORT : _HEAD]
        if part[:_MAGIC_BYTES] != ATTESTATION_MAGIC or int.from_bytes(length, "big") != SPEC_BYTES:
            raise ValueError("it is no attestation of transfers without hooks")
        yield part

"""Messages of CCTP V2: their fields, their comparison with what was sent, and who attested."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.words import WORD

# Start and length of each field, from the beginning of the message. Sources: Circle's MessageV2 and
# BurnMessageV2, whose body begins at 148; all numbers are big-endian, addresses are words.
FIELDS: Final = {
    "version": (0, 4),
    "source_domain": (4, 4),
    "destination_domain": (8, 4),
    "nonce": (12, WORD),
    "sender": (44, WORD),
    "recipient": (76, WORD),
    "destination_caller": (108, WORD),
    "min_finality": (140, 4),
    "finality_executed": (144, 4),
    "body_version": (148, 4),
    "burn_token": (152, WORD),
    "mint_recipient": (184, WORD),
    "amount": (216, WORD),
    "message_sender": (248, WORD),
    "max_fee": (280, WORD),
    "fee_executed": (312, WORD),
    "expiration_block": (344, WORD),
}
HOOK_AT: Final = 376
FILLED_IN: Final = ("nonce", "finality_executed", "fee_executed", "expiration_block")
"""The fields that are zero as the chain emits a message: Circle fills them in before it signs."""
_TITLES: Final = {
    "source_domain": "source chain",
    "destination_domain": "destination chain",
    "recipient": "receiving contract",
    "destination_caller": "account that may deliver it",
    "min_finality": "finality asked for",
    "burn_token": "token",
    "mint_recipient": "recipient of the minted USDC",
    "message_sender": "contract that burnt the USDC",
    "max_fee": "highest fee",
}
SIGNATURE_BYTES: Final = 65


@dataclass(frozen=True, slots=True)
class BurnMessage:
    """A message about burnt USDC. Addresses are words of 32 bytes; `hook` is what follows the
    body's fields, the terms of the payment in ours."""

    version: int
    source_domain: int
    destination_domain: int
    nonce: bytes
    sender: bytes
    recipient: bytes
    destination_caller: bytes
    min_finality: int
    finality_executed: int
    body_version: int
    burn_token: bytes
    mint_recipient: bytes
    amount: int
    message_sender: bytes
    max_fee: int
    fee_executed: int
    expiration_block: int
    hook: bytes


_AS_BYTES: Final = frozenset(
    {
        "nonce",
        "sender",
        "recipient",
        "destination_caller",
        "burn_token",
        "mint_recipient",
        "message_sender",
    }
)


def parse_message(data: bytes) -> BurnMessage:
    """The fields of a message. Raises `ValueError` where it is too short or of another version."""
    if len(data) < HOOK_AT:
        raise ValueError(f"a message of CCTP has at least {HOOK_AT} bytes, not {len(data)}")
    values: dict[str, int | bytes] = {}
    for name, (start, length) in FIELDS.items():
        part = data[start : start + length]
        values[name] = part if name in _AS_BYTES else int.from_bytes(part, "big")
    if values["version"] != 1 or values["body_version"] != 1:
        raise ValueError("the message has another version than that of CCTP V2")
    return BurnMessage(**values, hook=data[HOOK_AT:])  # type: ignore[arg-type]


def matches_sent(sent: bytes, returned: bytes) -> bool:
    """Whether Circle's message is the one that our nodes report, byte for byte outside the fields
    that Circle fills in."""
    return describe_difference(sent, returned) == ""


def describe_difference(sent: bytes, returned: bytes) -> str:
    """What in Circle's message is not as our nodes report it, in words; empty where nothing is."""
    if _mask(sent) == _mask(returned):
        return ""
    if len(sent) != len(returned):
        return f"it has {len(returned)} bytes instead of {len(sent)}"
    return "another " + ", another ".join(_differing_fields(sent, returned))


def check_fee(message: BurnMessage) -> str:
    """Why the fee that Circle took is not one that was agreed to; empty where it is."""
    if message.fee_executed <= message.max_fee:
        return ""
    return f"a fee of {message.fee_executed} units, where at most {message.max_fee} were offered"


def recover_attesters(message: bytes, attestation: bytes) -> tuple[str, ...]:
    """The accounts that signed a message, in ascending order. Raises `ValueError` where a signature
    is none, or where they are in another order, which no contract accepts."""
    if not attestation or len(attestation) % SIGNATURE_BYTES:
        raise ValueError(f"an attestation has {SIGNATURE_BYTES} bytes for each signature")
    digest = keccak256(message)
    attesters = [
        _recover(digest, attestation[start : start + SIGNATURE_BYTES])
        for start in range(0, len(attestation), SIGNATURE_BYTES)
    ]
    if sorted(set(attesters), key=str.lower) != attesters:
        raise ValueError("the signatures of an attestation are in the order of their accounts")
    return tuple(attesters)


def _recover(digest: bytes, signature: bytes) -> str:
    # Imported here: it is heavy, and reading messages needs none of it.
    from eth_account import Account

    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:64], "big")
    if signature[64] not in (27, 28):
        raise ValueError("a signature of an attestation ends with 27 or 28")
    try:
        address = Account._recover_hash(digest, vrs=(signature[64], r, s))
    except Exception:  # The library has no common error for an r that is on no point.
        raise ValueError("a signature of the attestation is by nobody") from None
    return canonical_address("evm", str(address))


def _mask(message: bytes) -> bytes:
    masked = bytearray(message)
    for name in FILLED_IN:
        start, length = FIELDS[name]
        masked[start : start + length] = bytes(length)
    return bytes(masked)


def _differing_fields(sent: bytes, returned: bytes) -> Iterator[str]:
    for name, (start, length) in FIELDS.items():
        part = slice(start, start + length)
        if name not in FILLED_IN and sent[part] != returned[part]:
            yield _TITLES.get(name, name.replace("_", " "))
    if sent[HOOK_AT:] != returned[HOOK_AT:]:
        yield "payment's terms"

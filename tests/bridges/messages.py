"""Messages of CCTP for tests, and the two accounts that attest to them."""

from eth_account import Account

from crossway.adapters.bridges.cctp.message import FIELDS, HOOK_AT
from crossway.adapters.chains.addresses import keccak256

FAST, FINAL = 1000, 2000
_ACCOUNTS = sorted(
    (Account.from_key(keccak256(name)) for name in (b"an attester", b"another attester")),
    key=lambda account: str(account.address).lower(),
)
# The two accounts whose signatures the stand-in of the transmitter accepts, in ascending order.
ATTESTERS: list[str] = [account.address for account in _ACCOUNTS]
HOOK = bytes(range(12 * 32 % 256)) * 3
BODY = {"version": 1, "body_version": 1, "source_domain": 6, "destination_domain": 3}
NUMBERS = {"amount": 25_080_000, "max_fee": 50_160, "min_finality": 1000}
WORDS = {"sender": 0x28B5, "recipient": 0x28B5, "mint_recipient": 0xC0, "burn_token": 0x83}


def sent_message(**changes: int) -> bytes:
    """A message as the chain emits it."""
    message = bytearray(HOOK_AT)
    for name, value in (BODY | NUMBERS | WORDS | changes).items():
        start, length = FIELDS[name]
        message[start : start + length] = value.to_bytes(length, "big")
    return bytes(message) + HOOK


def with_field(message: bytes, name: str, value: int) -> bytes:
    """A message with another value in one field."""
    start, length = FIELDS[name]
    return message[:start] + value.to_bytes(length, "big") + message[start + length :]


def fill_in(sent: bytes, nonce: bytes, finality: int, fee: int, expiration: int) -> bytes:
    """A message with what Circle fills in before it signs."""
    message = with_field(sent, "nonce", int.from_bytes(nonce, "big"))
    message = with_field(message, "finality_executed", finality)
    message = with_field(message, "fee_executed", fee)
    return with_field(message, "expiration_block", expiration)


def attest(message: bytes) -> bytes:
    """The signatures of both attesters, in ascending order of their accounts."""
    digest = keccak256(message)
    return b"".join([bytes(account.unsafe_sign_hash(digest).signature) for account in _ACCOUNTS])

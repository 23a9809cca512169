"""The bytes of a message of CCTP V2, with the terms of a payment as its hook."""

from dataclasses import dataclass, replace
from hashlib import blake2b
from struct import Struct
from typing import Final

from crossway.adapters.chains.addresses import canonical_address

_HEADER: Final = Struct(">3I32s32s32s32s2I")
_BODY: Final = Struct(">I32s32s32s32s32s32s32s")
HOOK_WORDS: Final = 13
MESSAGE_LENGTH: Final = _HEADER.size + _BODY.size + HOOK_WORDS * 32
_VERSION: Final = 1
_ATTESTER: Final = b"crossway simulated attester"
_SIGNATURES: Final = 2


@dataclass(frozen=True, slots=True)
class BurnMessage:
    """A message of CCTP that mints what was burnt; addresses are words.

    A chain emits it with zero for the four fields that the attestation service fills in: `nonce`,
    `finality_executed`, `fee_executed` and `expiration_block`. The last word of `hook` is the
    intent hash: on the simulated network it follows from names, which no contract could compute.
    """

    source_domain: int
    destination_domain: int
    sender: bytes
    recipient: bytes
    destination_caller: bytes
    min_finality: int
    burn_token: bytes
    mint_recipient: bytes
    amount: int
    message_sender: bytes
    max_fee: int
    hook: tuple[bytes, ...]
    nonce: bytes = bytes(32)
    finality_executed: int = 0
    fee_executed: int = 0
    expiration_block: int = 0

    def encode(self) -> bytes:
        """The bytes of the message."""
        header = _HEADER.pack(
            _VERSION,
            self.source_domain,
            self.destination_domain,
            self.nonce,
            self.sender,
            self.recipient,
            self.destination_caller,
            self.min_finality,
            self.finality_executed,
        )
        body = _BODY.pack(
            _VERSION,
            self.burn_token,
            self.mint_recipient,
            as_word(self.amount),
            self.message_sender,
            as_word(self.max_fee),
            as_word(self.fee_executed),
            as_word(self.expiration_block),
        )
        return header + body + b"".join(self.hook)

    @classmethod
    def parse(cls, data: bytes) -> "BurnMessage":
        """Parse a message with our hook. Raises `ValueError`."""
        if len(data) != MESSAGE_LENGTH:
            raise ValueError(f"a message has {MESSAGE_LENGTH} bytes, not {len(data)}")
        _, source, destination, nonce, sender, recipient, caller, least, executed = _HEADER.unpack(
            data[: _HEADER.size]
        )
        hook_at = _HEADER.size + _BODY.size
        _, token, to, amount, message_sender, max_fee, fee, expiration = _BODY.unpack(
            data[_HEADER.size : hook_at]
        )
        hook = tuple(data[at : at + 32] for at in range(hook_at, MESSAGE_LENGTH, 32))
        return cls(
            source,
            destination,
            sender,
            recipient,
            caller,
            least,
            token,
            to,
            int.from_bytes(amount),
            message_sender,
            int.from_bytes(max_fee),
            hook,
            nonce,
            executed,
            int.from_bytes(fee),
            int.from_bytes(expiration),
        )

    def as_sent(self) -> "BurnMessage":
        """The message as the chain emitted it, before the service filled in its four fields."""
        return replace(
            self, nonce=bytes(32), finality_executed=0, fee_executed=0, expiration_block=0
        )

    @property
    def intent_hash(self) -> str:
        """The intent hash of the payment that it carries."""
        return "0x" + self.hook[-1].hex()

    @property
    def message_id(self) -> str:
        """Its nonce as text."""
        return "0x" + self.nonce.hex()


@dataclass(frozen=True, slots=True)
class HookTerms:
    """What the destination's contract reads in a hook."""

    bridger: str
    coordinator: str
    destination: int
    token: str
    recipient: str
    amount: int

    @classmethod
    def of(cls, message: BurnMessage) -> "HookTerms":
        """The terms in a message's hook."""
        words = message.hook
        return cls(
            to_address(words[4]),
            to_address(words[6]),
            int.from_bytes(words[8]),
            to_address(words[9]),
            to_address(words[10]),
            int.from_bytes(words[11]),
        )


def sign_message(message: bytes) -> bytes:
    """The attestation of a message. Its key is not secret, as no real money is here."""
    return b"".join(
        blake2b(message, digest_size=64, key=_ATTESTER + bytes([number])).digest() + b"\x1b"
        for number in range(_SIGNATURES)
    )


def to_address(word: bytes) -> str:
    """The address in a word."""
    return canonical_address("evm", "0x" + word[12:].hex())


def as_word(value: int | str) -> bytes:
    """A number, an address or a hash as a word of 32 bytes."""
    if isinstance(value, int):
        return value.to_bytes(32)
    return bytes.fromhex(value.removeprefix("0x")).rjust(32, b"\0")

"""The ports of signing keys: in this process, with a remote signer, or in a token."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from crossway.domain.outbound_call import OutboundCall


@dataclass(frozen=True, slots=True)
class SigningRequest:
    """What a signature is for, so that whoever has the key can apply rules of their own.

    `unsigned` are the bytes of the transaction, from which the digest follows. `call` is that of a
    stored outbound transaction; None for a transaction that an operator sends by hand. Where no
    transaction is signed but typed data of EIP-712, `unsigned` are the 66 bytes whose hash is the
    digest, and `typed_data` says what they are: domain, primary type and message, numbers as text.
    """

    unsigned: bytes
    call: OutboundCall | None = None
    typed_data: Mapping[str, Any] | None = None


class Signer(Protocol):
    """One account of an EVM chain or of Tron, whose key is on the curve secp256k1."""

    address: str
    """The account's address in canonical form."""

    def sign(self, digest: bytes, request: SigningRequest) -> tuple[int, int, int]:
        """Sign 32 bytes; returns y parity (0 or 1), r and the low s. The same digest may get
        another valid signature the next time.

        Raises `Unreachable` when a signer outside does not answer, or not with a signature of this
        account. Nothing is known then; it may be asked again. Raises `SigningRefused` when it
        refuses this transaction by rules of its own.
        """
        ...


class MessageSigner(Protocol):
    """One account of Solana, whose key is an Ed25519 one."""

    address: str
    """The account's address in canonical form."""

    def sign(self, message: bytes, request: SigningRequest) -> bytes:
        """The 64-byte signature of a message. Raises as `Signer` does."""
        ...

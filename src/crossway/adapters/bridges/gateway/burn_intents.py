"""Burn intents of Circle Gateway: their packed formats, hashes and digests.

Sources: developers.circle.com/gateway/references/technical-guide and .../how-tos (typed data), and
the magic numbers and places that were observed on Circle's contracts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Final

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.words import WORD, address_word, number_word

SPEC_MAGIC: Final = bytes.fromhex("ca85def7")
INTENT_MAGIC: Final = bytes.fromhex("070afbc2")
SPEC_BYTES: Final = 340
"""Of a spec without a hook; ours have none."""
SIGNATURE_BYTES: Final = 65
_VERSION, _SHORT, _MAGIC_BYTES, _RECOVERY_V = 1, 4, 4, 27
_INTENT_HEAD: Final = _MAGIC_BYTES + 2 * WORD + _SHORT
_STORED_BYTES: Final = _INTENT_HEAD + SPEC_BYTES + SIGNATURE_BYTES
_SPEC_TYPE: Final = (
    b"TransferSpec(uint32 version,uint32 sourceDomain,uint32 destinationDomain,"
    b"bytes32 sourceContract,bytes32 destinationContract,bytes32 sourceToken,"
    b"bytes32 destinationToken,bytes32 sourceDepositor,bytes32 destinationRecipient,"
    b"bytes32 sourceSigner,bytes32 destinationCaller,uint256 value,bytes32 salt,bytes hookData)"
)
_INTENT_TYPE: Final = (
    b"BurnIntent(uint256 maxBlockHeight,uint256 maxFee,TransferSpec spec)" + _SPEC_TYPE
)
# Neither a chain nor a contract: a signature is one on every chain, which the spec's fields bind.
_DOMAIN: Final = keccak256(
    keccak256(b"EIP712Domain(string name,string version)")
    + keccak256(b"GatewayWallet")
    + keccak256(b"1")
)


@dataclass(frozen=True, slots=True)
class TransferSpec:
    """What is burnt where, and minted where to whom; the order of the fields is that of the packed
    form. Addresses are words of 32 bytes, `value` is in units of USDC. Only `destination_caller`
    can mint it."""

    source_domain: int
    destination_domain: int
    source_contract: bytes
    destination_contract: bytes
    source_token: bytes
    destination_token: bytes
    source_depositor: bytes
    destination_recipient: bytes
    source_signer: bytes
    destination_caller: bytes
    value: int
    salt: bytes

    @property
    def packed(self) -> bytes:
        """The packed form, whose hash names the transfer on both chains."""
        numbers = (_VERSION, self.source_domain, self.destination_domain)
        return b"".join(
            [
                SPEC_MAGIC,
                *(number.to_bytes(_SHORT, "big") for number in numbers),
                *self._words(),
                number_word(self.value),
                self.salt,
                bytes(_SHORT),
            ]
        )

    @property
    def hash(self) -> bytes:
        """The hash by which the contracts know that it was minted, and that it was burnt."""
        return keccak256(self.packed)

    @property
    def struct_hash(self) -> bytes:
        """Its hash in typed data."""
        numbers = (_VERSION, self.source_domain, self.destination_domain)
        return keccak256(
            b"".join(
                [
                    keccak256(_SPEC_TYPE),
                    *(number_word(number) for number in numbers),
                    *self._words(),
                    number_word(self.value),
                    self.salt,
                    keccak256(b""),
                ]
            )
        )

    def described(self) -> Mapping[str, Any]:
        """As Circle's API takes it."""
        described: dict[str, Any] = {"version": _VERSION}
        for field in fields(self):
            value = getattr(self, field.name)
            first, *others = field.name.split("_")
            name = first + "".join(part.capitalize() for part in others)
            described[name] = "0x" + value.hex() if isinstance(value, bytes) else value
        return described | {"value": str(self.value), "hookData": "0x"}

    def _words(self) -> Iterator[bytes]:
        """The fields that are addresses, in order."""
        yield from (self.source_contract, self.destination_contract)
        yield from (self.source_token, self.destination_token)
        yield from (self.source_depositor, self.destination_recipient)
        yield from (self.source_signer, self.destination_caller)


@dataclass(frozen=True, slots=True)
class BurnIntent:
    """What the depositor or its delegate signs: the spec, the last block of the source chain in
    which Circle may burn it, and the most that Circle may take on top, in units of USDC."""

    max_block_height: int
    max_fee: int
    spec: TransferSpec

    @property
    def units(self) -> int:
        """The most that it takes of the balance, in units of USDC."""
        return self.spec.value + self.max_fee

    @property
    def packed(self) -> bytes:
        """The packed form."""
        spec = self.spec.packed
        head = INTENT_MAGIC + number_word(self.max_block_height) + number_word(self.max_fee)
        return head + len(spec).to_bytes(_SHORT, "big") + spec

    @property
    def signing_payload(self) -> bytes:
        """The 66 bytes of typed data whose Keccak-256 is signed."""
        numbers = number_word(self.max_block_height) + number_word(self.max_fee)
        struct = keccak256(keccak256(_INTENT_TYPE) + numbers + self.spec.struct_hash)
        return b"\x19\x01" + _DOMAIN + struct

    @property
    def typed_data(self) -> Mapping[str, Any]:
        """What is signed, for a signer that has rules of its own."""
        domain = {"name": "GatewayWallet", "version": "1"}
        return {"domain": domain, "primaryType": "BurnIntent", "message": self.described()}

    def described(self) -> Mapping[str, Any]:
        """As Circle's API takes it."""
        return {
            "maxBlockHeight": str(self.max_block_height),
            "maxFee": str(self.max_fee),
            "spec": self.spec.described(),
        }


@dataclass(frozen=True, slots=True)
class SignedIntent:
    """A burn intent with its signature, as it is stored before Circle is asked."""

    intent: BurnIntent
    signature: bytes

    @property
    def stored(self) -> bytes:
        """Both as bytes."""
        return self.intent.packed + self.signature

    def described(self) -> Mapping[str, Any]:
        """As Circle's API takes it."""
        return {"burnIntent": self.intent.described(), "signature": "0x" + self.signature.hex()}


def parse_spec(data: bytes) -> TransferSpec:
    """The spec in its packed form. Raises `ValueError` where it is another one, or has a hook."""
    if len(data) != SPEC_BYTES or data[:_MAGIC_BYTES] != SPEC_MAGIC or any(data[-_SHORT:]):
        raise ValueError("it has no transfer of Gateway without a hook")
    version, source, destination = (
        int.from_bytes(data[at : at + _SHORT], "big") for at in (4, 8, 12)
    )
    if version != _VERSION:
        raise ValueError("its transfer has another version than that of Gateway")
    words = [data[at : at + WORD] for at in range(16, SPEC_BYTES - _SHORT, WORD)]
    wallet, minter, burnt, minted, depositor, recipient, signer, caller, value, salt = words
    return TransferSpec(
        source,
        destination,
        *(wallet, minter, burnt, minted),
        *(depositor, recipient, signer, caller),
        int.from_bytes(value, "big"),
        salt,
    )


def parse_signed_intents(data: bytes) -> list[SignedIntent]:
    """Burn intents as they were stored, one after the other. Raises `ValueError`."""
    if not data or len(data) % _STORED_BYTES:
        raise ValueError("it is no burn intent")
    starts = range(0, len(data), _STORED_BYTES)
    return [_parse_signed_intent(data[at : at + _STORED_BYTES]) for at in starts]


def _parse_signed_intent(data: bytes) -> SignedIntent:
    packed, signature = data[:-SIGNATURE_BYTES], data[-SIGNATURE_BYTES:]
    if packed[:_MAGIC_BYTES] != INTENT_MAGIC:
        raise ValueError("it is no burn intent")
    height, fee = (int.from_bytes(packed[at : at + WORD], "big") for at in (4, 36))
    return SignedIntent(BurnIntent(height, fee, parse_spec(packed[_INTENT_HEAD:])), signature)


def join_signature(parity: int, r: int, s: int) -> bytes:
    """A signature as the contracts take it."""
    return number_word(r) + number_word(s) + bytes([_RECOVERY_V + parity])


def account_word(address: str) -> bytes:
    """The address of an EVM chain as specs have it."""
    return address_word("evm", address)


def word_account(word: bytes) -> str:
    """The address in a word of a spec."""
    return canonical_address("evm", "0x" + word[-20:].hex())

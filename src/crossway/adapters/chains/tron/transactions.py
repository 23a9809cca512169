"""Building, signing and parsing Tron transactions locally, without trusting a node's encoding."""

from dataclasses import dataclass
from datetime import datetime
from functools import partial
from hashlib import sha256
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from tronpy.exceptions import BadKey  # type: ignore[import-untyped]
from tronpy.keys import PrivateKey  # type: ignore[import-untyped]
from tronpy.proto import tron_pb2  # type: ignore[import-untyped]

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.rpc.keys import KeyHolder, KeyKind, KeyMissing, parse_hex_key
from crossway.adapters.chains.rpc.rpc_schemas import MalformedResponse
from crossway.adapters.chains.signers.external_key import Secp256k1Signer
from crossway.adapters.chains.tron.address_format import to_base58, to_bytes, to_evm_address
from crossway.adapters.chains.tron.contract_creation import encode_creation
from crossway.domain.outbound_call import OutboundCall
from crossway.ports.chain import SignedTx
from crossway.ports.signing import Signer, SigningRequest

_TRANSFER, _CREATE, _TRIGGER = 1, 30, 31
_TYPES = "type.googleapis.com/protocol."
# Precedes the sequence number in the last word of a call, which contracts do not read.
_SEQUENCE_TAG = keccak256(b"Crossway's running number")[:24]
_SEQUENCE_BYTES = 8


@dataclass(frozen=True, slots=True)
class RefBlock:
    """What ties a transaction to the chain: a final block, the creation time, and the expiry, both
    in milliseconds."""

    height: int
    block_hash: str
    created_ms: int
    expires_ms: int


@dataclass(frozen=True, slots=True)
class ParsedTx:
    """A parsed transaction; addresses in EVM form. `to` and `data` are empty where it calls no
    contract, and `sequence` is None where it has no sequence number of ours."""

    tx_id: str
    sender: str
    to: str
    data: bytes
    expires_ms: int
    sequence: int | None


def to_millis(at: datetime) -> int:
    """A time in milliseconds, as transactions hold it."""
    return int(at.timestamp() * 1000)


def with_sequence_number(call: Call, number: int) -> Call:
    """The call with a sequence number appended to its data."""
    tag = _SEQUENCE_TAG + number.to_bytes(_SEQUENCE_BYTES, "big")
    return Call(call.to, call.data + tag, call.value)


def encode_call_tx(owner: str, call: Call, ref_block: RefBlock, fee_limit: int) -> bytes:
    """The unsigned bytes of a contract call; `owner` in EVM form."""
    trigger = tron_pb2.TriggerSmartContract(
        owner_address=to_bytes(owner),
        contract_address=to_bytes(call.to),
        call_value=call.value,
        data=call.data,
    )
    contract = trigger.SerializeToString()
    return _encode_raw(_TRIGGER, "TriggerSmartContract", contract, ref_block, fee_limit)


def encode_transfer_tx(owner: str, to: str, amount: int, ref_block: RefBlock) -> bytes:
    """The unsigned bytes of a transfer of TRX; `amount` in sun."""
    transfer = tron_pb2.TransferContract(
        owner_address=to_bytes(owner), to_address=to_bytes(to), amount=amount
    )
    return _encode_raw(_TRANSFER, "TransferContract", transfer.SerializeToString(), ref_block, 0)


def encode_creation_tx(
    owner: str, name: str, code: bytes, ref_block: RefBlock, fee_limit: int
) -> bytes:
    """The unsigned bytes of a contract creation; `owner` in EVM form."""
    creation = encode_creation(to_bytes(owner), name, code)
    return _encode_raw(_CREATE, "CreateSmartContract", creation, ref_block, fee_limit)


def created_address(tx_id: str, owner: str) -> str:
    """The base58check address of the contract that a transaction creates; `owner` in EVM form."""
    digest = keccak256(bytes.fromhex(tx_id) + to_bytes(owner))
    return to_base58("0x" + digest[-20:].hex())


def _encode_raw(
    kind: int, name: str, contract: bytes, ref_block: RefBlock, fee_limit: int
) -> bytes:
    raw = tron_pb2.Transaction.raw(
        ref_block_bytes=(ref_block.height & 0xFFFF).to_bytes(2, "big"),
        ref_block_hash=bytes.fromhex(ref_block.block_hash[2:])[8:16],
        expiration=ref_block.expires_ms,
        timestamp=ref_block.created_ms,
        fee_limit=fee_limit,
    )
    part = raw.contract.add()
    part.type = kind
    part.parameter.type_url, part.parameter.value = _TYPES + name, contract
    return bytes(raw.SerializeToString())


def sign_transaction(
    signer: Signer, raw: bytes, number: int, fee_units: int, action: OutboundCall | None = None
) -> SignedTx:
    """A signed transaction of this account; its id is the hash of its unsigned bytes. `action` is
    the stored one that it carries out, for the signer to see."""
    digest = sha256(raw).digest()
    parity, r, s = signer.sign(digest, SigningRequest(raw, action))
    signed = tron_pb2.Transaction(
        raw_data=tron_pb2.Transaction.raw.FromString(raw),
        signature=[r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([parity])],
    )
    return SignedTx(digest.hex(), signed.SerializeToString(), number, fee_units)


def parse_raw_transaction(raw: bytes) -> ParsedTx:
    """Parse the unsigned bytes of a transaction. Raises `MalformedResponse`."""
    try:
        transaction = tron_pb2.Transaction.raw.FromString(raw)
        sender, to, data = _parse_call(transaction.contract[0])
    except (DecodeError, IndexError, ValueError):
        raise MalformedResponse("the node did not return a transaction") from None
    tagged = data[-len(_SEQUENCE_TAG) - _SEQUENCE_BYTES : -_SEQUENCE_BYTES] == _SEQUENCE_TAG
    number = int.from_bytes(data[-_SEQUENCE_BYTES:], "big") if tagged else None
    return ParsedTx(sha256(raw).hexdigest(), sender, to, data, transaction.expiration, number)


def _parse_call(contract: Any) -> tuple[str, str, bytes]:
    if contract.type != _TRIGGER:
        return "", "", b""
    trigger = tron_pb2.TriggerSmartContract.FromString(contract.parameter.value)
    return (
        to_evm_address(_base58(trigger.owner_address)),
        to_evm_address(_base58(trigger.contract_address)),
        bytes(trigger.data),
    )


def _base58(address: bytes) -> str:
    if len(address) != 21:
        raise ValueError("an address must have 21 bytes")
    return to_base58("0x" + address[1:].hex())


def unsigned_bytes(signed: bytes) -> bytes:
    """The unsigned bytes of a signed transaction. Raises `ValueError`."""
    try:
        transaction = tron_pb2.Transaction.FromString(signed)
    except DecodeError:
        raise ValueError("these bytes are not a transaction") from None
    return bytes(transaction.raw_data.SerializeToString())


class TronSigner(KeyHolder):
    """Signs with a private key in memory."""

    __slots__ = ("_key",)

    def __init__(self, secret: bytes) -> None:
        try:
            self._key = PrivateKey(secret)
        except BadKey:
            raise KeyMissing("it is no private key") from None
        super().__init__(self._key.public_key.to_base58check_address())

    def sign(self, digest: bytes, request: SigningRequest | None = None) -> tuple[int, int, int]:
        signature = self._key.sign_msg_hash(digest)
        return signature.v, signature.r, signature.s


KEYS: KeyKind[Signer] = KeyKind(
    "a private key: 64 hex digits",
    parse_hex_key,
    TronSigner,
    "secp256k1",
    partial(Secp256k1Signer, from_evm=to_base58),
)

"""The bytes of Tron's transactions: written and read here, never taken as a node built them."""

from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]
from tronpy.proto import tron_pb2  # type: ignore[import-untyped]

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.wire import Malformed
from crossway.adapters.chains.tron.forms import long, named, plain
from crossway.ports.chain import Signed
from crossway.ports.signing import Signer

_TRANSFER, _CREATE, _TRIGGER = 1, 30, 31
_TYPES = "type.googleapis.com/protocol."
# Before the running number in the last word of a call; contracts do not read that word.
_MARK = keccak256(b"Crossway's running number")[:24]
_NUMBER_BYTES = 8
_ORIGIN_ENERGY = 10_000_000


@dataclass(frozen=True, slots=True)
class Frame:
    """What ties a transaction to the chain: a block that is final, when it is written, and until
    when it can land, both in milliseconds."""

    height: int
    block_hash: str
    written_ms: int
    expires_ms: int


@dataclass(frozen=True, slots=True)
class Read:
    """A transaction as far as it matters here; `to` is empty and `data` too where it is no call of
    a contract, and `number` None where it carries none of ours."""

    tx_id: str
    sender: str
    to: str
    data: bytes
    expires_ms: int
    number: int | None


def millis(at: datetime) -> int:
    """A time in milliseconds, as transactions hold it."""
    return int(at.timestamp() * 1000)


def numbered(call: Call, number: int) -> Call:
    """A call that carries a running number behind what the contract reads."""
    return Call(call.to, call.data + _MARK + number.to_bytes(_NUMBER_BYTES, "big"), call.value)


def call_raw(owner: str, call: Call, frame: Frame, fee_limit: int) -> bytes:
    """The unsigned bytes of a call; `owner` and the call's contract are plain addresses."""
    trigger = tron_pb2.TriggerSmartContract(
        owner_address=long(owner),
        contract_address=long(call.to),
        call_value=call.value,
        data=call.data,
    )
    return _raw(_TRIGGER, "TriggerSmartContract", trigger.SerializeToString(), frame, fee_limit)


def transfer_raw(owner: str, to: str, units: int, frame: Frame) -> bytes:
    """The unsigned bytes of a payment of TRX."""
    paid = tron_pb2.TransferContract(owner_address=long(owner), to_address=long(to), amount=units)
    return _raw(_TRANSFER, "TransferContract", paid.SerializeToString(), frame, 0)


def creation_raw(owner: str, name: str, code: bytes, frame: Frame, fee_limit: int) -> bytes:
    """The unsigned bytes that create a contract, whose callers pay all its energy."""
    # The library leaves this kind out: fields are those of the protocol's CreateSmartContract.
    contract = (
        _bytes(1, long(owner))
        + _bytes(5, code)
        + _number(6, 100)
        + _bytes(7, name.encode())
        + _number(8, _ORIGIN_ENERGY)
    )
    creation = _bytes(1, long(owner)) + _bytes(2, contract)
    return _raw(_CREATE, "CreateSmartContract", creation, frame, fee_limit)


def created_at(tx_id: str, owner: str) -> str:
    """The base58check address of the contract that this transaction of a plain owner creates."""
    digest = keccak256(bytes.fromhex(tx_id) + long(owner))
    return named("0x" + digest[-20:].hex())


def _raw(kind: int, name: str, contract: bytes, frame: Frame, fee_limit: int) -> bytes:
    raw = tron_pb2.Transaction.raw(
        ref_block_bytes=(frame.height & 0xFFFF).to_bytes(2, "big"),
        ref_block_hash=bytes.fromhex(frame.block_hash[2:])[8:16],
        expiration=frame.expires_ms,
        timestamp=frame.written_ms,
        fee_limit=fee_limit,
    )
    part = raw.contract.add()
    part.type = kind
    part.parameter.type_url, part.parameter.value = _TYPES + name, contract
    return bytes(raw.SerializeToString())


def signed(signer: Signer, raw: bytes, number: int, fee_units: int) -> Signed:
    """A transaction of this account, whose name follows from its unsigned bytes."""
    digest = sha256(raw).digest()
    parity, r, s = signer.sign(digest)
    signature = r.to_bytes(32, "big") + s.to_bytes(32, "big") + bytes([parity])
    whole = _bytes(1, raw) + _bytes(2, signature)
    return Signed(digest.hex(), whole, number, fee_units)


def read(raw: bytes) -> Read:
    """What the unsigned bytes of a transaction say. Raises `Malformed`."""
    try:
        found = tron_pb2.Transaction.raw.FromString(raw)
        part = found.contract[0]
        sender, to, data = _parts(part)
    except (DecodeError, IndexError, ValueError):
        raise Malformed("the node answered something else than a transaction") from None
    marked = data[-len(_MARK) - _NUMBER_BYTES : -_NUMBER_BYTES] == _MARK
    number = int.from_bytes(data[-_NUMBER_BYTES:], "big") if marked else None
    return Read(sha256(raw).hexdigest(), sender, to, data, found.expiration, number)


def _parts(part: Any) -> tuple[str, str, bytes]:
    if part.type != _TRIGGER:
        return "", "", b""
    trigger = tron_pb2.TriggerSmartContract.FromString(part.parameter.value)
    return (
        plain(_base58(trigger.owner_address)),
        plain(_base58(trigger.contract_address)),
        bytes(trigger.data),
    )


def _base58(address: bytes) -> str:
    if len(address) != 21:
        raise ValueError("no address")
    return named("0x" + address[1:].hex())


def unsigned(whole: bytes) -> bytes:
    """The unsigned bytes in those of a whole transaction. Raises `ValueError`."""
    try:
        found = tron_pb2.Transaction.FromString(whole)
    except DecodeError:
        raise ValueError("these are no bytes of a transaction") from None
    return bytes(found.raw_data.SerializeToString())


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])

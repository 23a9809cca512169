"""The bytes of Tron's contract creations, whose messages tronpy's schema lacks."""

from typing import Any, Final

from google.protobuf.descriptor_pb2 import (  # type: ignore[import-untyped]
    FieldDescriptorProto,
    FileDescriptorProto,
)
from google.protobuf.descriptor_pool import DescriptorPool  # type: ignore[import-untyped]
from google.protobuf.message_factory import GetMessageClass  # type: ignore[import-untyped]

_BYTES, _NUMBER = FieldDescriptorProto.TYPE_BYTES, FieldDescriptorProto.TYPE_INT64
_ORIGIN_ENERGY = 10_000_000


def _message_class(message_name: str, /, **fields: tuple[int, int]) -> Any:
    """A message whose fields have these numbers and types."""
    file = FileDescriptorProto(name=f"{message_name}.proto", package="protocol", syntax="proto3")
    message = file.message_type.add(name=message_name)
    for field, (number, kind) in fields.items():
        optional = FieldDescriptorProto.LABEL_OPTIONAL
        message.field.add(name=field, number=number, type=kind, label=optional)
    pool = DescriptorPool()
    pool.Add(file)
    return GetMessageClass(pool.FindMessageTypeByName(f"protocol.{message_name}"))


# As in core/contract/smart_contract.proto of github.com/tronprotocol/protocol, with messages and
# text inside a message as bytes, and without the fields that no contract of ours has.
SmartContract: Final = _message_class(
    "SmartContract",
    origin_address=(1, _BYTES),
    abi=(3, _BYTES),
    bytecode=(4, _BYTES),
    consume_user_resource_percent=(6, _NUMBER),
    name=(7, _BYTES),
    origin_energy_limit=(8, _NUMBER),
)
CreateSmartContract: Final = _message_class(
    "CreateSmartContract", owner_address=(1, _BYTES), new_contract=(2, _BYTES)
)


def encode_creation(owner: bytes, name: str, code: bytes) -> bytes:
    """The parameter of a contract creation; callers of the contract pay all its energy. `owner` has
    21 bytes."""
    contract = SmartContract(
        origin_address=owner,
        bytecode=code,
        consume_user_resource_percent=100,
        name=name.encode(),
        origin_energy_limit=_ORIGIN_ENERGY,
    )
    creation = CreateSmartContract(owner_address=owner, new_contract=contract.SerializeToString())
    return bytes(creation.SerializeToString())

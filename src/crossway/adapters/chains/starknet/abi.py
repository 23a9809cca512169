"""Functions of our contracts and of tokens on Starknet, whose arguments starknet-py serializes.

They are written down here because parsing the ABI of the compiled contracts takes seconds; a test
compares them with it.
"""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any, Final

from starknet_py.serialization.data_serializers.array_serializer import ArraySerializer
from starknet_py.serialization.data_serializers.bool_serializer import BoolSerializer
from starknet_py.serialization.data_serializers.cairo_data_serializer import CairoDataSerializer
from starknet_py.serialization.data_serializers.felt_serializer import FeltSerializer
from starknet_py.serialization.data_serializers.payload_serializer import PayloadSerializer
from starknet_py.serialization.data_serializers.struct_serializer import StructSerializer
from starknet_py.serialization.data_serializers.uint_serializer import UintSerializer

_FELT, _U256 = FeltSerializer(), UintSerializer(256)


def _struct(**members: CairoDataSerializer[Any, Any]) -> StructSerializer:
    return StructSerializer(OrderedDict(members))


@dataclass(frozen=True)
class Function:
    """A function of a contract: its entry point, and the serializer of its arguments."""

    entry: str
    arguments: PayloadSerializer

    def encode(self, *arguments: object) -> tuple[int, ...]:
        """The arguments as felts. Raises `ValueError` for a number that does not fit."""
        names = self.arguments.serializers
        return tuple(self.arguments.serialize(dict(zip(names, arguments, strict=True))))


def _function(entry: str, **arguments: CairoDataSerializer[Any, Any]) -> Function:
    return Function(entry, PayloadSerializer(OrderedDict(arguments)))


SOURCE: Final = _struct(
    chain=_U256,
    nonce=_U256,
    token=_FELT,
    total=_U256,
    bridger=_FELT,
    refund_to=_FELT,
    coordinator=_FELT,
    expiry=_U256,
)
_PAYOUTS: Final = ArraySerializer(_struct(to=_FELT, amount=_U256))
START = _function("start", source=SOURCE, dest_hash=_U256)
REFUND = _function("refund", source=SOURCE, dest_hash=_U256, token=_FELT)
REDIRECT = _function("redirect", source=SOURCE, dest_hash=_U256, token=_FELT, to=_FELT)
SETTLE = _function("settle", source=SOURCE, dest_hash=_U256, payouts=_PAYOUTS)
WITHDRAW = _function("withdraw", token=_FELT, to=_FELT, amount=_U256)
RETAINED = _function("retained", coordinator=_FELT, token=_FELT)
SET_AGENT = _function("set_agent", agent=_FELT, allowed=BoolSerializer())
IS_AUTHORIZED = _function("is_authorized", coordinator=_FELT, account=_FELT)
FILL = _function("fill", source_hash=_U256, token=_FELT, recipient=_FELT, amount=_U256)
EXECUTED = _function("executed", intent_hashes=ArraySerializer(_U256))
APPROVE = _function("approve", spender=_FELT, amount=_U256)
# Of the universal deployer and of accounts.
DEPLOY = _function(
    "deployContract", class_hash=_FELT, salt=_FELT, unique=_FELT, calldata=ArraySerializer(_FELT)
)
EXECUTE = _function(
    "__execute__",
    calls=ArraySerializer(_struct(to=_FELT, selector=_FELT, calldata=ArraySerializer(_FELT))),
)

"""Calls of our contracts for wallets, tools and people: `ports.chain_calls.PublicCall`."""

from collections.abc import Mapping, Sequence
from typing import Any

from eth_utils.abi import abi_to_signature, function_abi_to_4byte_selector, get_abi_input_types

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.evm.abi import decode
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.contracts import BRIDGES, load_artifact
from crossway.ports.chain_calls import PublicCall


def public_call(call: Call) -> PublicCall:
    """A call with its function's signature and its arguments."""
    return PublicCall(call.to, call.hex, *_describe(call.data))


def _describe(data: bytes) -> tuple[str, Mapping[str, Any]]:
    of_bridges = sorted({name for name, _, _ in BRIDGES.values()})
    for contract in ("IntentFactory", "Escrow2", *of_bridges):
        for element in load_artifact(contract).abi:
            if element["type"] != "function":
                continue
            if function_abi_to_4byte_selector(element) == data[:4]:
                values = decode(get_abi_input_types(element), data[4:], "a call of a contract")
                return abi_to_signature(element), _named(element["inputs"], values)
    return "", {}


def _named(inputs: Sequence[Any], values: Sequence[Any]) -> dict[str, Any]:
    return {one["name"]: _to_json(one, value) for one, value in zip(inputs, values, strict=True)}


def _to_json(abi: Any, value: Any) -> Any:
    """A value as JSON: integers as decimal texts, as they have up to 256 bits."""
    if abi["type"] == "tuple":
        return _named(abi["components"], value)
    if isinstance(value, bytes):
        return "0x" + value.hex()
    return canonical_address("evm", value) if abi["type"] == "address" else str(value)

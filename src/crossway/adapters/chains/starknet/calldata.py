"""The contract calls of Starknet."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from crossway.adapters.chains.intent_hash import source_terms, verified_hashes
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.starknet.abi import (
    APPROVE,
    EXECUTE,
    EXECUTED,
    FILL,
    REDIRECT,
    REFUND,
    SETTLE,
    SOURCE,
    START,
    Function,
)
from crossway.adapters.chains.starknet.contracts import Deployment
from crossway.adapters.chains.starknet.felts import selector, to_felt, to_hex_list
from crossway.domain.catalogue import Catalogue
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a contract's entry point."""

    to: str
    entry: str
    data: tuple[int, ...]


def block_id(block: int | str) -> object:
    """A height or tag as JSON-RPC writes it."""
    return {"block_number": block} if isinstance(block, int) else block


def call_request(call: Call, block: int | str = "latest") -> RpcRequest:
    """Request the result of a call at a block."""
    fields = {
        "contract_address": hex(to_felt(call.to)),
        "entry_point_selector": hex(selector(call.entry)),
        "calldata": to_hex_list(call.data),
    }
    return RpcRequest("starknet_call", (fields, block_id(block)))


def multicall_calldata(calls: Sequence[Call]) -> list[int]:
    """The calldata with which an account makes these calls one after the other."""
    listed = [
        {"to": to_felt(call.to), "selector": selector(call.entry), "calldata": list(call.data)}
        for call in calls
    ]
    return list(EXECUTE.encode(listed))


def build_call(function: Function, to: str, *arguments: object) -> Call:
    """The call of a function of the contract at an address."""
    return Call(to, function.entry, function.encode(*arguments))


def encode_calls(catalogue: Catalogue, deployment: Deployment, action: OutboundCall) -> list[Call]:
    """The calls that carry out an action. Raises `ValueError` where the action does not match its
    terms."""
    if action.kind is OutboundTxKind.SKIP_NONCE:
        return []
    terms, hashes = verified_hashes(catalogue, action)
    first = action.outputs[0]
    if action.kind is OutboundTxKind.FILL:
        return _fill(deployment, hashes.source_hash, first)
    source = source_terms(catalogue, terms, action.bridger, action.coordinator).values
    numbers = [value if isinstance(value, int) else _number(value) for value in source]
    of_intent = dict(zip(SOURCE.serializers, numbers, strict=True)), _number(hashes.dest_hash)
    if first.source == action.bridger:
        paid = [(to_felt(output.to), output.amount) for output in action.outputs if output.amount]
        payouts = [{"to": to, "amount": amount} for to, amount in paid]
        return [build_call(SETTLE, action.bridger, *of_intent, payouts)]
    if deployment.deposit_address(hashes.intent_hash) != first.source:
        raise ValueError(f"{first.source} is no deposit address of the contracts in use")
    if action.kind is OutboundTxKind.START:
        return [build_call(START, deployment.factory, *of_intent)]
    token = to_felt(first.token)
    if first.to == terms.refund_address:
        return [build_call(REFUND, deployment.factory, *of_intent, token)]
    return [build_call(REDIRECT, deployment.factory, *of_intent, token, to_felt(first.to))]


def _fill(deployment: Deployment, source_hash: bytes, output: Output) -> list[Call]:
    if output.amount is None:
        raise ValueError("a fill must have an amount")
    token, to, amount = to_felt(output.token), to_felt(output.to), output.amount
    return [
        build_call(APPROVE, output.token, to_felt(deployment.filler), amount),
        build_call(FILL, deployment.filler, _number(source_hash), token, to, amount),
    ]


def executed_call(to: str, intent_hashes: Collection[str]) -> Call:
    """The call that returns which of these intents a contract has executed."""
    return build_call(EXECUTED, to, [int(intent_hash, 16) for intent_hash in intent_hashes])


def _number(word: bytes) -> int:
    return int.from_bytes(word, "big")


def balance_call(token: str, owner: str, entry: str = "balance_of") -> Call:
    """The call that returns an owner's balance; older tokens only know `balanceOf`."""
    return Call(token, entry, (to_felt(owner),))

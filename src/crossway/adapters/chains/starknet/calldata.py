"""Encoding the contract calls of Starknet."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.intent_hash import dest_words, source_words, verified_hashes
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.starknet.contracts import Deployment
from crossway.adapters.chains.starknet.felts import (
    PRIME,
    selector,
    split_u256,
    split_word,
    to_felt,
    to_hex_list,
)
from crossway.domain.catalogue import Catalogue
from crossway.domain.intent import Terms
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output

# The positions of addresses in the source terms: token, bridger, refundTo, coordinator.
_ADDRESS_POSITIONS = (2, 4, 5, 6)


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
    felts = [len(calls)]
    for call in calls:
        felts += [to_felt(call.to), selector(call.entry), len(call.data), *call.data]
    return felts


def encode_calls(catalogue: Catalogue, deployment: Deployment, action: OutboundCall) -> list[Call]:
    """The calls that carry out an action. Raises `ValueError` where the action does not match its
    terms."""
    terms, hashes = verified_hashes(catalogue, action)
    if action.kind is OutboundTxKind.FILL:
        return _fill(deployment, hashes.source_hash, action.outputs[0])
    data = (
        *_source_felts(catalogue, terms, action.bridger, action.coordinator),
        *split_word(keccak256(b"".join(dest_words(catalogue, terms)))),
    )
    first = action.outputs[0]
    if first.source == action.bridger:
        return [Call(action.bridger, "settle", (*data, *_encode_payouts(action.outputs)))]
    if deployment.deposit_address(hashes.intent_hash) != first.source:
        raise ValueError(f"{first.source} is no deposit address of the contracts in use")
    if action.kind is OutboundTxKind.START:
        return [Call(deployment.factory, "start", data)]
    token = to_felt(first.token)
    if first.to == terms.refund_address:
        return [Call(deployment.factory, "refund", (*data, token))]
    return [Call(deployment.factory, "redirect", (*data, token, to_felt(first.to)))]


def _source_felts(
    catalogue: Catalogue, terms: Terms, bridger: str, coordinator: str
) -> tuple[int, ...]:
    """The source terms as contracts take them: numbers as two halves, addresses as one felt. Raises
    `ValueError` for an address that is not below the field's prime."""
    felts: list[int] = []
    for position, word in enumerate(source_words(catalogue, terms, bridger, coordinator)):
        value = int.from_bytes(word, "big")
        if position not in _ADDRESS_POSITIONS:
            felts += split_u256(value)
        elif value < PRIME:
            felts.append(value)
        else:
            raise ValueError("an address of the terms is not a field element")
    return tuple(felts)


def _fill(deployment: Deployment, source_hash: bytes, output: Output) -> list[Call]:
    if output.amount is None:
        raise ValueError("a fill must have an amount")
    amount, token, filler = split_u256(output.amount), output.token, deployment.filler
    data = (*split_word(source_hash), to_felt(token), to_felt(output.to), *amount)
    return [Call(token, "approve", (to_felt(filler), *amount)), Call(filler, "fill", data)]


def _encode_payouts(outputs: Sequence[Output]) -> list[int]:
    paid = [(output.to, output.amount) for output in outputs if output.amount]
    felts = [len(paid)]
    for to, amount in paid:
        felts += [to_felt(to), *split_u256(amount)]
    return felts


def executed_call(to: str, intent_hashes: Collection[str]) -> Call:
    """The call that returns which of these intents a contract has executed."""
    felts = [len(intent_hashes)]
    for intent_hash in intent_hashes:
        felts += split_word(bytes.fromhex(intent_hash[2:]))
    return Call(to, "executed", tuple(felts))


def balance_call(token: str, owner: str, entry: str = "balance_of") -> Call:
    """The call that returns an owner's balance; older tokens only know `balanceOf`."""
    return Call(token, entry, (to_felt(owner),))

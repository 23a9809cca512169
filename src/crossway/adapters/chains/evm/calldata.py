"""Encoding the contract calls of EVM chains, and of Tron, whose contracts are the same."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from crossway.adapters.chains.addresses import canonical_address, keccak256
from crossway.adapters.chains.evm.contracts import Deployment
from crossway.adapters.chains.intent_hash import (
    WORD,
    address_word,
    dest_words,
    number_word,
    source_words,
    verified_hashes,
)
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.domain.catalogue import Catalogue, ChainKind
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output

_SOURCE = "(uint256,uint256,address,uint256,address,address,address,uint256)"
ZERO = "0x" + "0" * 40


def selector(signature: str) -> bytes:
    """The four bytes that identify a function or an error."""
    return keccak256(signature.encode())[:4]


START = selector(f"start({_SOURCE},bytes32)")
REFUND = selector(f"refund({_SOURCE},bytes32,address)")
REDIRECT = selector(f"redirect({_SOURCE},bytes32,address,address)")
SETTLE = selector(f"settle({_SOURCE},bytes32,(address,uint256)[])")
FILL = selector("fill(bytes32,address,address,uint256)")
EXECUTED = selector("executed(bytes32[])")
BALANCE_OF = selector("balanceOf(address)")
ALLOWANCE = selector("allowance(address,address)")
APPROVE = selector("approve(address,uint256)")
RETAINED = selector("retained(address,address)")
WITHDRAW = selector("withdraw(address,address,uint256)")


@dataclass(frozen=True, slots=True)
class Call:
    """A contract call. `to` is in EVM form on Tron, too; `value` is sent along in base units of the
    native coin."""

    to: str
    data: bytes
    value: int = 0

    @property
    def hex(self) -> str:
        """The data as JSON-RPC writes it."""
        return "0x" + self.data.hex()


def call_request(call: Call, block: str = "latest") -> RpcRequest:
    """Request the result of a call at a block."""
    return RpcRequest("eth_call", ({"to": call.to, "data": call.hex}, block))


def encode_call(catalogue: Catalogue, deployment: Deployment, action: OutboundCall) -> Call:
    """The call that carries out an action. Raises `ValueError` where the action does not match its
    terms."""
    terms, hashes = verified_hashes(catalogue, action)
    kind = catalogue.chains[action.chain].kind
    if action.kind is OutboundTxKind.FILL:
        return _fill(kind, deployment, hashes.source_hash, action.outputs[0])
    source = b"".join(source_words(catalogue, terms, action.bridger, action.coordinator))
    words = source + keccak256(b"".join(dest_words(catalogue, terms)))
    first = action.outputs[0]
    if first.source == action.bridger:
        payouts = _encode_payouts(kind, action.outputs)
        return Call(_evm_address(kind, action.bridger), SETTLE + words + payouts)
    if deployment.deposit_address(hashes.intent_hash) != _evm_address(kind, first.source):
        raise ValueError(f"{first.source} is no deposit address of the contracts in use")
    if action.kind is OutboundTxKind.START:
        return Call(deployment.factory, START + words)
    token = address_word(kind, first.token)
    if first.to == terms.refund_address:
        return Call(deployment.factory, REFUND + words + token)
    return Call(deployment.factory, REDIRECT + words + token + address_word(kind, first.to))


def _evm_address(kind: ChainKind, address: str) -> str:
    if kind == "evm":
        return address
    return canonical_address("evm", "0x" + address_word(kind, address)[-20:].hex())


def _fill(kind: ChainKind, deployment: Deployment, source_hash: bytes, output: Output) -> Call:
    if output.amount is None:
        raise ValueError("a fill must have an amount")
    token = address_word(kind, output.token)
    words = (source_hash, token, address_word(kind, output.to), number_word(output.amount))
    value = 0 if any(token) else output.amount
    return Call(deployment.filler, FILL + b"".join(words), value)


def _encode_payouts(kind: ChainKind, outputs: Sequence[Output]) -> bytes:
    """An array of recipients and amounts, after nine words and the array's offset."""
    paid = [(output.to, output.amount) for output in outputs if output.amount]
    words = [number_word(10 * WORD), number_word(len(paid))]
    for to, amount in paid:
        words += [address_word(kind, to), number_word(amount)]
    return b"".join(words)


def executed_call(to: str, intent_hashes: Collection[str]) -> Call:
    """The call that returns which of these intents a contract has executed."""
    words = [number_word(WORD), number_word(len(intent_hashes))]
    words += [bytes.fromhex(intent_hash[2:]) for intent_hash in intent_hashes]
    return Call(to, EXECUTED + b"".join(words))


def is_native(token: str) -> bool:
    """Whether a token address stands for the native coin."""
    return token in ("native", ZERO)

"""The contract calls of EVM chains, and of Tron, whose contracts are the same."""

from collections.abc import Collection
from dataclasses import dataclass

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.evm.abi import EXECUTED, FILL, REDIRECT, REFUND, SETTLE, START
from crossway.adapters.chains.evm.contracts import Deployment
from crossway.adapters.chains.intent_hash import source_terms, verified_hashes
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.words import address_bytes
from crossway.domain.catalogue import Catalogue, ChainKind
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, Output

ZERO = "0x" + "0" * 40


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
    if action.kind is OutboundTxKind.SKIP_NONCE:
        return Call(action.account, b"")
    terms, hashes = verified_hashes(catalogue, action)
    kind = catalogue.chains[action.chain].kind
    first = action.outputs[0]
    if action.kind is OutboundTxKind.FILL:
        return _fill(kind, deployment, hashes.source_hash, first)
    source = source_terms(catalogue, terms, action.bridger, action.coordinator).values
    of_intent = source, hashes.dest_hash
    if first.source == action.bridger:
        paid = [(address_bytes(kind, o.to), o.amount) for o in action.outputs if o.amount]
        return Call(evm_address(kind, action.bridger), SETTLE.encode(*of_intent, paid))
    if deployment.deposit_address(hashes.intent_hash) != evm_address(kind, first.source):
        raise ValueError(f"{first.source} is no deposit address of the contracts in use")
    if action.kind is OutboundTxKind.START:
        return Call(deployment.factory, START.encode(*of_intent))
    token = address_bytes(kind, first.token)
    if first.to == terms.refund_address:
        return Call(deployment.factory, REFUND.encode(*of_intent, token))
    to = address_bytes(kind, first.to)
    return Call(deployment.factory, REDIRECT.encode(*of_intent, token, to))


def evm_address(kind: ChainKind, address: str) -> str:
    """An address as JSON-RPC and the contracts have it."""
    if kind == "evm":
        return address
    return canonical_address("evm", "0x" + address_bytes(kind, address).hex())


def _fill(kind: ChainKind, deployment: Deployment, source_hash: bytes, output: Output) -> Call:
    if output.amount is None:
        raise ValueError("a fill must have an amount")
    token, to = address_bytes(kind, output.token), address_bytes(kind, output.to)
    value = 0 if any(token) else output.amount
    return Call(deployment.filler, FILL.encode(source_hash, token, to, output.amount), value)


def executed_call(to: str, intent_hashes: Collection[str]) -> Call:
    """The call that returns which of these intents a contract has executed."""
    keys = [bytes.fromhex(intent_hash[2:]) for intent_hash in intent_hashes]
    return Call(to, EXECUTED.encode(keys))


def is_native(token: str) -> bool:
    """Whether a token address stands for the native coin."""
    return token in ("native", ZERO)

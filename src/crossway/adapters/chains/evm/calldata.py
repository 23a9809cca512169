"""The contract calls of EVM chains, and of Tron, whose contracts are the same."""

from collections.abc import Collection
from dataclasses import dataclass

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.evm.abi import (
    EXECUTED,
    FILL,
    FILL_UNTIL,
    PERMIT_PAY_IN,
    RECLAIM,
    REDIRECT,
    REFUND,
    SETTLE,
    START,
    STATES_OF,
    TRANSFER_WITH_AUTHORIZATION,
)
from crossway.adapters.chains.evm.bridge_calls import encode_bridge_call
from crossway.adapters.chains.evm.contracts import Deployment
from crossway.adapters.chains.evm.standing_calls import encode_forward, encode_recover
from crossway.adapters.chains.intent_hash import source_terms, verified_hashes
from crossway.adapters.chains.rpc.client import RpcRequest
from crossway.adapters.chains.words import WORD, address_bytes
from crossway.domain.bridge_transfer import Custody
from crossway.domain.catalogue import Catalogue, ChainKind
from crossway.domain.intent import Terms
from crossway.domain.outbound import INVENTORY_KINDS, OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, last_payout_time
from crossway.domain.payer_signatures import PayerSignature, SignatureStandard

ZERO = "0x" + "0" * 40
_OF_BRIDGES = (
    OutboundTxKind.START,
    OutboundTxKind.GIVE_BACK,
    OutboundTxKind.DELIVER,
    OutboundTxKind.RELEASE,
)


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
    if action.kind is OutboundTxKind.PAY_IN:
        return _pay_in(deployment, action)
    kind = catalogue.chains[action.chain].kind
    if action.kind in INVENTORY_KINDS:
        # One without a contract only uses its nonce.
        return Call(evm_address(kind, action.contract or action.account), action.data, action.value)
    if action.kind is OutboundTxKind.RECOVER:
        return Call(deployment.standing, encode_recover(catalogue, deployment, action))
    terms, hashes = verified_hashes(catalogue, action)
    if action.kind is OutboundTxKind.FORWARD:
        forward = encode_forward(catalogue, deployment, action, terms, hashes)
        return Call(deployment.standing, forward)
    if action.custody is Custody.BRIDGE and action.kind in _OF_BRIDGES:
        return Call(action.bridger, encode_bridge_call(catalogue, action, terms, hashes))
    if action.kind is OutboundTxKind.FILL:
        return _fill(kind, deployment, hashes.source_hash, action, terms)
    source = source_terms(catalogue, terms, action.bridger, action.coordinator).values
    of_intent = source, hashes.dest_hash
    if action.kind is OutboundTxKind.GIVE_BACK:
        if action.bridger != deployment.escrow2:
            raise ValueError(f"{action.bridger} gives no deposit back")
        return Call(action.bridger, RECLAIM.encode(*of_intent))
    first = action.outputs[0]
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
    redirect = REDIRECT.encode(*of_intent, token, address_bytes(kind, first.to))
    return Call(deployment.factory, redirect)


def evm_address(kind: ChainKind, address: str) -> str:
    """An address as JSON-RPC and the contracts have it."""
    if kind == "evm":
        return address
    return canonical_address("evm", "0x" + address_bytes(kind, address).hex())


def _fill(
    kind: ChainKind, at: Deployment, source_hash: bytes, action: OutboundCall, terms: Terms
) -> Call:
    """A payout, by the filler that belongs to the payment's bridger. The second one takes a time
    after which it pays nothing; what a bridge delivers for it is the account's that makes it."""
    output, filler = action.outputs[0], at.filler_of(action.bridger)
    if output.amount is None:
        raise ValueError("a fill must have an amount")
    token, to = address_bytes(kind, output.token), address_bytes(kind, output.to)
    paid = source_hash, token, to, output.amount
    value = 0 if any(token) else output.amount
    if filler == at.filler:
        return Call(filler, FILL.encode(*paid), value)
    not_after = int(last_payout_time(terms).timestamp())
    account = address_bytes(kind, action.account)
    return Call(filler, FILL_UNTIL.encode(*paid, account, not_after), value)


def _pay_in(at: Deployment, action: OutboundCall) -> Call:
    if action.signature is None:
        raise ValueError("a signed transfer must have its signature")
    return signed_transfer(action.signature, action.outputs[0].to, at.permit_pay_in)


def signed_transfer(signature: PayerSignature, to: str, permit_pay_in: str) -> Call:
    """The call that carries out a payer's signature, by Permit2 of our contract; it works for no
    other `to` than was signed."""
    one, raw = signature.authorization, signature.signature
    if one.standard is SignatureStandard.PERMIT2:
        permit = (one.token, one.amount), int(one.nonce, 16), one.valid_before - 1
        return Call(permit_pay_in, PERMIT_PAY_IN.encode(permit, one.payer, to, raw))
    times, nonce = (one.valid_after, one.valid_before), bytes.fromhex(one.nonce[2:])
    parts = raw[-1], raw[:WORD], raw[WORD : 2 * WORD]
    data = TRANSFER_WITH_AUTHORIZATION.encode(one.payer, to, one.amount, *times, nonce, *parts)
    return Call(one.token, data)


def executed_call(to: str, intent_hashes: Collection[str]) -> Call:
    """The call that returns which of these intents a contract has executed."""
    return Call(to, EXECUTED.encode(_keys(intent_hashes)))


def spent_call(escrow: str, intent_hashes: Collection[str]) -> Call:
    """The call that returns which of these deposits the second escrow has paid out, or returned
    because somebody reclaimed them: numbers that are zero for others."""
    return Call(escrow, STATES_OF.encode(_keys(intent_hashes)))


def _keys(intent_hashes: Collection[str]) -> list[bytes]:
    return [bytes.fromhex(intent_hash[2:]) for intent_hash in intent_hashes]


def is_native(token: str) -> bool:
    """Whether a token address stands for the native coin."""
    return token in ("native", ZERO)

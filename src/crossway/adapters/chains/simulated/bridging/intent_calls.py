"""The calls of bridges' contracts that carry out what the engine or anybody else wants."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from crossway.adapters.chains.simulated.blocks.derivation import derive_address, intent_hash
from crossway.adapters.chains.simulated.blocks.genesis import ChainFacts
from crossway.adapters.chains.simulated.contracts.cctp_messages import BurnMessage, as_word
from crossway.adapters.chains.simulated.contracts.contract_call import ContractCall, Method
from crossway.adapters.chains.simulated.contracts.reach import (
    COLLECTORS,
    MESSENGER,
    MIN_FINALITY,
    BridgeReach,
    bridge_of,
)
from crossway.domain.bridge_transfer import Custody
from crossway.domain.intent import Terms
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall
from crossway.domain.quotes import BridgeName
from crossway.domain.swaps import Swap

METHODS: Final = {
    OutboundTxKind.START: Method.SEND,
    OutboundTxKind.GIVE_BACK: Method.GIVE_BACK,
    OutboundTxKind.DELIVER: Method.DELIVER,
    OutboundTxKind.RELEASE: Method.RELEASE,
    OutboundTxKind.FILL: Method.FILL,
}
# As in the contract: at most this part of the deposit is offered to Circle as its fee.
MAX_FEE_DIVISOR: Final = 500


def build_contract_call(
    facts: Mapping[str, ChainFacts], action: OutboundCall
) -> ContractCall | None:
    """The call that carries out an action of the engine; None where it moves tokens alone. Raises
    `ValueError` where the action does not match its terms."""
    method = METHODS.get(action.kind)
    if action.custody is not Custody.BRIDGE or method is None:
        return None
    terms = action.terms
    if terms is None or intent_hash(terms) != action.intent_hash:
        raise ValueError(f"the terms of {action.intent_hash} have another intent hash")
    call = build_call(
        facts,
        method,
        terms,
        action.bridger,
        action.coordinator,
        action.bridge_output,
        swap=action.swap,
    )
    if method is not Method.DELIVER:
        return call
    return with_message(call, action.message, action.attestation)


def build_call(
    facts: Mapping[str, ChainFacts],
    method: Method,
    terms: Terms,
    bridger: str,
    coordinator: str,
    output: int = 0,
    payer: str = "",
    swap: Swap | None = None,
) -> ContractCall:
    """A call for a payment of these terms; a delivery needs its message beside it. `output` is what
    relayers of Across are asked to pay, and `swap` what is bought first."""
    source, destination = (
        _reach(facts, bridger, chain) for chain in (terms.source_chain, terms.destination_chain)
    )
    name = intent_hash(terms)
    over_cctp = method is Method.SEND and bridge_of(bridger) is BridgeName.CCTP
    sent = (terms.token_in, terms.deposit_amount) if swap is None else (swap.token, swap.output)
    message = _burn(source, destination, terms, bridger, coordinator, sent) if over_cctp else None
    return ContractCall(
        method,
        bridger,
        name,
        terms.token_in,
        terms.deposit_amount,
        derive_address("evm", f"deposit {name}"),
        terms.refund_address,
        coordinator,
        terms.expires_at.timestamp(),
        terms.destination_chain,
        terms.token_out,
        terms.recipient,
        terms.payout_amount,
        output=output,
        message="" if message is None else message.encode().hex(),
        payer=payer,
        bought_token="" if swap is None else swap.token,
        bought=0 if swap is None else swap.output,
        price=0 if swap is None else swap.expected_input,
    )


def with_message(call: ContractCall, message: bytes, attestation: bytes) -> ContractCall:
    """The delivery with what it hands over. Raises `ValueError` where the message is not about the
    payment."""
    if BurnMessage.parse(message).intent_hash != call.intent_hash:
        raise ValueError(f"the message of {call.intent_hash} has other terms")
    return replace(call, message=message.hex(), attestation=attestation.hex())


def _reach(facts: Mapping[str, ChainFacts], bridger: str, chain: str) -> BridgeReach:
    reach = facts[chain].reach
    if reach is None or bridger not in reach.collectors.values():
        raise ValueError(f"{bridger} is no contract of a bridge on {chain}")
    return reach


def _burn(
    source: BridgeReach,
    destination: BridgeReach,
    terms: Terms,
    bridger: str,
    coordinator: str,
    sent: tuple[str, int],
) -> BurnMessage:
    """What the burn of a deposit, or of what was bought with it, emits. Raises `ValueError` where
    CCTP does not carry it."""
    token, amount = sent
    if source.domain is None or destination.domain is None or source.testnet != destination.testnet:
        raise ValueError(f"CCTP does not lead from {source.chain} to {destination.chain}")
    if (token, terms.token_out) != (source.usdc, destination.usdc):
        raise ValueError("CCTP carries USDC alone")
    return BurnMessage(
        source.domain,
        destination.domain,
        as_word(MESSENGER),
        as_word(MESSENGER),
        as_word(bridger),
        next(least for name, least in MIN_FINALITY.items() if COLLECTORS[name] == bridger),
        as_word(token),
        as_word(bridger),
        amount,
        as_word(bridger),
        min(amount - terms.payout_amount, amount // MAX_FEE_DIVISOR),
        _hook((source.number, destination.number), terms, bridger, coordinator),
    )


def _hook(
    numbers: tuple[int, int], terms: Terms, bridger: str, coordinator: str
) -> tuple[bytes, ...]:
    """The terms as the message has them; `numbers` are those of the two chains."""
    return (
        as_word(numbers[0]),
        as_word(terms.nonce),
        as_word(terms.token_in),
        as_word(terms.deposit_amount),
        as_word(bridger),
        as_word(terms.refund_address),
        as_word(coordinator),
        as_word(int(terms.expires_at.timestamp())),
        as_word(numbers[1]),
        as_word(terms.token_out),
        as_word(terms.recipient),
        as_word(terms.payout_amount),
        as_word(intent_hash(terms)),
    )

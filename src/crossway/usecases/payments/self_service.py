"""How a payer finishes or undoes a payment without the operator: terms, and calls of contracts."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final

from crossway.domain.attestations import attestation_url
from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState, Custody
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind
from crossway.domain.outbound_call import OutboundCall, bridge_call, refund_call
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.ports.chain_calls import PublicCall
from crossway.ports.services import Services


class CallName(StrEnum):
    """What a call does with a payment."""

    SEND = "send"
    GIVE_BACK = "give_back"
    REFUND = "refund"
    RECLAIM = "reclaim"
    DELIVER = "deliver"
    RELEASE = "release"


class Guarantee(StrEnum):
    """What holds where the operator does nothing more: NO_CONTRACTS, the network is simulated;
    CONTRACTS, they alone decide where the money goes; OPERATOR, a payer trusts the operator from
    start to payout, and can take the deposit back before that; RECLAIMABLE, also long after
    expiry what the operator did not pay out."""

    NO_CONTRACTS = "no_contracts"
    CONTRACTS = "contracts"
    OPERATOR = "operator"
    RECLAIMABLE = "reclaimable"


NOTES: Final[Mapping[Guarantee, str]] = {
    Guarantee.NO_CONTRACTS: (
        "The simulated network has no contracts. On a real network, everything to finish or undo "
        "this payment without the operator stands here."
    ),
    Guarantee.CONTRACTS: (
        "Contracts alone decide where the money goes: to the recipient, or back to the refund "
        "address. Keep these details: with them, anyone can finish or undo the payment without "
        "the operator, and only those who know them can."
    ),
    Guarantee.OPERATOR: (
        "From the collection of the deposit to the payout the payer trusts the operator. Until it "
        "is collected, anyone can return it after its expiry with these details."
    ),
    Guarantee.RECLAIMABLE: (
        "From the collection of the deposit to the payout the payer trusts the operator. With "
        "these details, anyone can return the deposit to the refund address: after expiry while it "
        "is not collected, and a day after expiry while it was not paid out."
    ),
}
_DELIVER_FUNCTION: Final = "deliver(bytes,bytes)"
_DESCRIPTIONS: Final[Mapping[CallName, str]] = {
    CallName.SEND: "Sends the deposit over {bridge}, once it lies at the deposit address.",
    CallName.GIVE_BACK: (
        "Returns a deposit that was collected and not sent, to the deposit address and from there "
        "to the refund address."
    ),
    CallName.REFUND: "Sends what lies at the deposit address to the refund address.",
    CallName.RECLAIM: (
        "Returns a deposit that was collected and not paid out, to the deposit address and from "
        "there to the refund address."
    ),
    CallName.DELIVER: (
        "Pays the recipient with what was sent. Its arguments are the message and the attestation "
        "that the attestation service returns for the transaction that sent it."
    ),
    CallName.RELEASE: (
        "Pays a recipient that could not be paid when the money arrived, once that is possible."
    ),
}


@dataclass(frozen=True, slots=True)
class SelfServiceCall:
    """One call. `data` is empty where it needs what does not exist yet; from `available_from` to
    `available_until` anyone may make it, None is no limit."""

    name: CallName
    description: str
    chain: str
    chain_id: str
    contract: str
    function: str
    data: str
    available_from: datetime | None = None
    available_until: datetime | None = None


@dataclass(frozen=True, slots=True)
class SelfService:
    """What a payer keeps. `terms` are the contracts' own source and destination terms, from which
    they compute the intent hash; `attestation_url` returns what a delivery needs."""

    guarantee: Guarantee
    calls: tuple[SelfServiceCall, ...] = ()
    terms: Mapping[str, Any] = field(default_factory=dict)
    attestation_url: str = ""

    @property
    def note(self) -> str:
        """The guarantee as sentences."""
        return NOTES[self.guarantee]


def get_self_service(services: Services, intent: Intent) -> SelfService:
    """What the payer of a payment keeps, with what its bridge has attested to so far."""
    transfer = None
    if intent.custody is Custody.BRIDGE:
        with services.store.read() as unit:
            transfer = unit.bridge_transfers.get_many([intent.id]).get(intent.id)
    return describe_self_service(services, intent, transfer)


def describe_self_service(
    services: Services, intent: Intent, transfer: BridgeTransfer | None
) -> SelfService:
    """The same, for a bridge transfer that was read."""
    if services.environment == "simulated":
        return SelfService(Guarantee.NO_CONTRACTS)
    if intent.custody is not Custody.BRIDGE:
        return _by_operator(services, intent)
    terms: dict[str, Any] = {}
    calls = list(_bridge_calls(services, intent, transfer, terms))
    url = ""
    if intent.terms.bridge == BridgeName.CCTP:
        chain = services.catalogue.chains[intent.terms.source_chain]
        url = attestation_url(chain, transfer.source_tx if transfer else "")
    found = tuple(call for call in calls if call is not None)
    return SelfService(Guarantee.CONTRACTS, found, terms, url)


def _by_operator(services: Services, intent: Intent) -> SelfService:
    """The ways back of a payment that the operator pays out."""
    chain = services.chains.get(intent.terms.source_chain)
    reclaim, terms, calls = None, {}, [_refund(services, intent)]
    if chain is not None and chain.accounts.is_reclaimable(intent.bridger):
        delay = timedelta(seconds=chain.accounts.reclaim_seconds)
        reclaim = _encode(services, bridge_call(intent, OutboundTxKind.GIVE_BACK))
        since = intent.terms.expires_at + delay
        calls.append(_describe(services, intent, CallName.RECLAIM, reclaim, since=since))
    if reclaim is not None:
        terms = dict(reclaim.arguments)
    found = () if intent.state is State.COMPLETED else tuple(c for c in calls if c is not None)
    guarantee = Guarantee.OPERATOR if reclaim is None else Guarantee.RECLAIMABLE
    return SelfService(guarantee, found, terms)


def _bridge_calls(
    services: Services, intent: Intent, transfer: BridgeTransfer | None, terms: dict[str, Any]
) -> Iterator[SelfServiceCall | None]:
    """The calls of a payment over a bridge, in the order of its life; fills in its `terms`."""
    expiry, is_cctp = intent.terms.expires_at, intent.terms.bridge == BridgeName.CCTP
    state = transfer.state if transfer else BridgeTransferState.PLANNED
    if is_cctp:
        start = _encode(services, bridge_call(intent, OutboundTxKind.START))
        if start is not None:
            terms |= start.arguments
        # A swap's price is its caller's choice, so that only agents may make it.
        if intent.swap is None:
            yield _describe(services, intent, CallName.SEND, start, until=expiry)
    give_back = _encode(services, bridge_call(intent, OutboundTxKind.GIVE_BACK))
    yield _describe(services, intent, CallName.GIVE_BACK, give_back, since=expiry)
    yield _refund(services, intent)
    if is_cctp:
        yield _delivery(services, intent, transfer)
        release = _encode(services, bridge_call(intent, OutboundTxKind.RELEASE))
        if state is BridgeTransferState.PARKED or intent.state is not State.COMPLETED:
            yield _describe(services, intent, CallName.RELEASE, release)


def _delivery(
    services: Services, intent: Intent, transfer: BridgeTransfer | None
) -> SelfServiceCall | None:
    """The delivery; its contract and function before there is anything to hand to it."""
    call: PublicCall | None = PublicCall(intent.bridger, "", _DELIVER_FUNCTION)
    if transfer is not None and transfer.message:
        proof = transfer.message, transfer.attestation
        call = _encode(services, bridge_call(intent, OutboundTxKind.DELIVER, *proof)) or call
    return _describe(services, intent, CallName.DELIVER, call)


def _refund(services: Services, intent: Intent) -> SelfServiceCall | None:
    terms = intent.terms
    call = refund_call(intent, terms.source_chain, terms.token_in, terms.refund_address)
    return _describe(
        services, intent, CallName.REFUND, _encode(services, call), since=terms.expires_at
    )


def _encode(services: Services, call: OutboundCall) -> PublicCall | None:
    """A call as anyone makes it; None where a chain has none, or the payment was created with
    contracts that have been replaced since."""
    chain = services.chains.get(call.chain)
    with suppress(ValueError):
        return chain.public_call(call) if chain is not None else None
    return None


def _describe(
    services: Services,
    intent: Intent,
    name: CallName,
    call: PublicCall | None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> SelfServiceCall | None:
    if call is None:
        return None
    at_destination = name in (CallName.DELIVER, CallName.RELEASE)
    chain_id = intent.terms.destination_chain if at_destination else intent.terms.source_chain
    return SelfServiceCall(
        name,
        _DESCRIPTIONS[name].format(bridge=bridge_title(intent.terms.bridge)),
        chain_id,
        services.catalogue.chains[chain_id].chain_id,
        call.contract,
        call.function,
        call.data,
        since,
        until,
    )

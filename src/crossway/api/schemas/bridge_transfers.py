"""Response models of what a bridge does with an intent, and of what its payer keeps."""

from typing import Any, Self

from pydantic import Field

from crossway.api.schemas.fields import (
    TIME,
    TX,
    USDC_ARBITRUM,
    USDC_BASE,
    WALLET,
    JsonObject,
    Model,
    bridge_field,
    chain_field,
    field,
)
from crossway.api.schemas.responses import raw_json
from crossway.domain.bridge_transfer import BridgeTransferState, BridgeTransferStep, Custody
from crossway.usecases.instants import timestamp, timestamp_seconds
from crossway.usecases.payments.bridge_progress import BridgeProgress
from crossway.usecases.payments.self_service import CallName, SelfService, SelfServiceCall

STATES = [state.lower() for state in BridgeTransferState]
_MESSAGE_ID = "0x" + "7a" * 32
CUSTODY = {"enum": [custody.value for custody in Custody]}
CUSTODY_TEXT = (
    "Whom the payer trusts from start to payout: `BRIDGE`, nobody, as contracts alone decide where "
    "the money goes; `OPERATOR`, the operator."
)

STATUS_TEXT = (
    "`planned`: not sent yet. `collected`, `giving_back`: somebody else started it, and its "
    "deposit is returned from the bridge's contract. `seen`: sent. `delayed`, `overdue`: late, "
    "`reason` says why. `halted`: the bridge contradicts the chain, nothing is delivered. "
    "`claimable`: attested, to be delivered. `delivered`, `closed`: paid out. `parked`: it "
    "arrived and its recipient cannot be paid. `unclaimed`: taken out after 30 days. "
    "`expired`: nobody filled it, the bridge returns it. `refunding`, `refunded`: back to the "
    "payer."
)
_SOURCE_TX, _DESTINATION_TX = TX, "0x" + "d7" * 32
TRANSFER_EXAMPLE = {
    "bridge": "CCTP",
    "custody": "BRIDGE",
    "status": "delivered",
    "source_tx": _SOURCE_TX,
    "destination_tx": _DESTINATION_TX,
    "message_id": _MESSAGE_ID,
    "steps": [
        {"name": "seen", "at": "2026-11-21T10:53:00.000Z", "tx": _SOURCE_TX},
        {"name": "claimable", "at": "2026-11-21T10:53:08.000Z", "tx": None},
        {"name": "delivered", "at": "2026-11-21T10:53:12.000Z", "tx": _DESTINATION_TX},
    ],
    "expected_at": "2026-11-21T10:53:08.000Z",
    "reason": None,
}


class BridgeStep(Model):
    """One step of a bridge transfer."""

    name: str = field("The status that it brought.", "seen", extra={"enum": STATES})
    at: str = field("When.", TIME)
    tx: str | None = field("The transaction that caused it; null where none did.", TX)

    @classmethod
    def from_step(cls, step: BridgeTransferStep) -> Self:
        """The step in this form."""
        return cls(name=step.state.lower(), at=timestamp(step.at), tx=step.tx or None)


class BridgeTransferOut(Model):
    """How far the bridge has carried a payment."""

    bridge: str = bridge_field("The bridge.", "CCTP")
    custody: str = field(CUSTODY_TEXT, Custody.BRIDGE.value, extra=CUSTODY)
    status: str = field(
        STATUS_TEXT,
        "seen",
        extra={"enum": STATES},
    )
    source_tx: str | None = field("The transaction that sent it; null before.", TX)
    destination_tx: str | None = field("The transaction by which it arrived; null before.", None)
    message_id: str | None = field(
        "The bridge's own number of it (CCTP: the message's nonce); null before it is known.",
        _MESSAGE_ID,
    )
    steps: list[BridgeStep] = Field(description="What happened, oldest first.")
    expected_at: str | None = field(
        "When the bridge usually lets it be delivered; null before it is sent.", TIME
    )
    reason: str | None = field("Why it waits, as a sentence; null where nothing is unusual.", None)

    @classmethod
    def from_progress(cls, progress: BridgeProgress) -> Self:
        """The transfer in this form."""
        expected_at = progress.expected_at
        return cls(
            bridge=progress.bridge,
            custody=Custody.BRIDGE.value,
            status=progress.state.lower(),
            source_tx=progress.source_tx or None,
            destination_tx=progress.destination_tx or None,
            message_id=progress.message_id or None,
            steps=[BridgeStep.from_step(step) for step in progress.steps],
            expected_at=timestamp(expected_at) if expected_at else None,
            reason=progress.reason or None,
        )


class SelfServiceCallOut(Model):
    """A contract call that anyone may make."""

    name: str = field("What it does.", "send", extra={"enum": [name.value for name in CallName]})
    description: str = field(
        "The same as a sentence.",
        "Sends the deposit over CCTP, once it lies at the deposit address.",
    )
    chain: str = chain_field("The chain on which it is made.")
    chain_id: str = field("The chain's own id.", "8453")
    contract: str = field("The contract that is called.", WALLET)
    function: str = field(
        "The signature of its function; empty where a chain has none.", "deliver(bytes,bytes)"
    )
    data: str | None = field(
        "The data of the call; null where its arguments do not exist yet.", "0x1a2b3c4d"
    )
    available_from: str | None = field("Before, it reverts; null where it does not.", None)
    available_until: str | None = field("Afterwards, it reverts; null where it does not.", TIME)

    @classmethod
    def from_call(cls, call: SelfServiceCall) -> Self:
        """The call in this form."""
        since, until = call.available_from, call.available_until
        return cls(
            name=call.name.value,
            description=call.description,
            chain=call.chain,
            chain_id=call.chain_id,
            contract=call.contract,
            function=call.function,
            data=call.data or None,
            available_from=timestamp_seconds(since) if since else None,
            available_until=timestamp_seconds(until) if until else None,
        )


class SelfServiceOut(Model):
    """What a payer keeps to finish or undo the payment without the operator."""

    note: str = field("What it is good for.", "Contracts alone decide where the money goes: …")
    terms: JsonObject = field(
        "The contracts' own terms, `source` and `destination`, of which the intent hash is "
        "computed; empty where no bridge's contract has them.",
        {"source": {"chain": "8453", "total": "25034567"}, "destination": {"chain": "42161"}},
    )
    calls: list[SelfServiceCallOut] = Field(description="The calls, in the order of a payment.")
    attestation_url: str | None = field(
        "Where anyone gets the message and the attestation of a delivery, with `{transaction}` for "
        "the transaction that sent it where there is none yet; null where a delivery needs none.",
        "https://iris-api.circle.com/v2/messages/6?transactionHash={transaction}",
    )

    @classmethod
    def from_details(cls, details: SelfService) -> Self:
        """The details in this form."""
        return cls(
            note=details.note,
            terms=raw_json(dict(details.terms)),
            calls=[SelfServiceCallOut.from_call(call) for call in details.calls],
            attestation_url=details.attestation_url or None,
        )


SELF_SERVICE_EXAMPLE = {
    "note": "Contracts alone decide where the money goes: …",
    "terms": {
        "source": {
            "chain": "8453",
            "nonce": "7310294857102",
            "token": USDC_BASE,
            "total": "25034567",
            "bridger": WALLET,
            "refundTo": WALLET,
            "coordinator": WALLET,
            "expiry": "1795258380",
        },
        "destination": {
            "chain": "42161",
            "token": USDC_ARBITRUM,
            "recipient": WALLET,
            "amount": "25000000",
        },
    },
    "calls": [
        {
            "name": "deliver",
            "description": "Pays the recipient with what was sent. …",
            "chain": "ARBITRUM_MAINNET",
            "chain_id": "42161",
            "contract": WALLET,
            "function": "deliver(bytes,bytes)",
            "data": None,
            "available_from": None,
            "available_until": None,
        }
    ],
    "attestation_url": "https://iris-api.circle.com/v2/messages/6?transactionHash={transaction}",
}


def read_fields(progress: BridgeProgress | None, details: SelfService | None) -> dict[str, Any]:
    """The fields of an intent in the read form that its bridge decides."""
    transfer = None if progress is None else BridgeTransferOut.from_progress(progress)
    kept = {} if details is None else {"self_service": SelfServiceOut.from_details(details)}
    return {"bridge_transfer": transfer, **kept}

"""The service of the simulated CCTP: `ports.bridge.BridgeClient`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from crossway.adapters.bridges.cctp.message import describe_difference
from crossway.adapters.chains.simulated.blocks.attestation import (
    Attested,
    attest_again,
    attest_payments,
    load_attested,
    why_slow,
)
from crossway.adapters.chains.simulated.blocks.bridge_faults import ActiveFaults, load_faults
from crossway.adapters.chains.simulated.blocks.network import ChainSession, SimulatedNetwork
from crossway.adapters.chains.simulated.bridging.bridge_end import SimulatedBridgeEnd
from crossway.adapters.chains.simulated.contracts.cctp_messages import (
    BurnMessage,
    as_word,
    sign_message,
)
from crossway.adapters.chains.simulated.contracts.reach import (
    ACROSS_RELAYER,
    CCTP_FAST,
    CCTP_SWAP_FAST,
    COLLECTORS,
    TRANSMITTER,
)
from crossway.adapters.chains.simulated.contracts.timing import FAST_SECONDS, STANDARD_SECONDS
from crossway.domain.bridge_transfer import BridgeTransfer
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent
from crossway.domain.quotes import BridgeName
from crossway.ports.bridge import (
    BridgeStatus,
    Claimable,
    Contradicted,
    MessageSeen,
    Pending,
    Unknown,
)

SILENT: Final = "Circle's attestation service does not answer"
ASKED_AGAIN: Final = "The attestation has expired; Circle was asked for a new one"


class SimulatedCctp:
    """`ports.bridge.BridgeClient` over the simulated network."""

    name = BridgeName.CCTP

    def __init__(self, network: SimulatedNetwork) -> None:
        self._network = network

    def track(self, transfers: Sequence[tuple[BridgeTransfer, Intent]]) -> Sequence[BridgeStatus]:
        return [self._track_one(transfer, intent) for transfer, intent in transfers]

    def usual_seconds(self, intent: Intent) -> float:
        fast = COLLECTORS[CCTP_FAST], COLLECTORS[CCTP_SWAP_FAST]
        return FAST_SECONDS if intent.bridger in fast else STANDARD_SECONDS

    def _track_one(self, transfer: BridgeTransfer, intent: Intent) -> BridgeStatus:
        try:
            if not transfer.sent_message:
                return self._read_sent(transfer)
            return self._ask_service(transfer, intent)
        except Unreachable as error:
            return Unknown(str(error))

    def _read_sent(self, transfer: BridgeTransfer) -> BridgeStatus:
        end = SimulatedBridgeEnd(self._network, transfer.source_chain)
        messages = end.sent_messages(transfer.source_tx, TRANSMITTER)
        return MessageSeen(messages[0]) if messages else Pending()

    def _ask_service(self, transfer: BridgeTransfer, intent: Intent) -> BridgeStatus:
        name = intent.intent_hash
        with self._network.locked(transfer.source_chain) as session:
            faults = load_faults(session.db, self.name)
            if faults.silent:
                return Unknown(SILENT)
            attest_payments(session, [name])
            all_attested = load_attested(session, name)
            if not all_attested:
                sent = BurnMessage.parse(transfer.sent_message)
                return Pending(why_slow(session, sent, faults))
            attested = all_attested[0]
            if self._has_expired(session, transfer, attested):
                attest_again(session, attested.message)
                return Pending(ASKED_AGAIN)
            if attested.ready_at > session.now:
                return Pending(ASKED_AGAIN)
        return _answer(transfer, attested.message, faults)

    def _has_expired(
        self, session: ChainSession, transfer: BridgeTransfer, attested: Attested
    ) -> bool:
        """Whether the message that we have, which is the service's newest, has expired."""
        expiration = attested.message.expiration_block
        if not expiration or transfer.message != attested.message.encode():
            return False
        with self._network.reading(transfer.destination_chain) as destination:
            return expiration <= destination.state.tip_at(session.now)


def _answer(transfer: BridgeTransfer, message: BurnMessage, faults: ActiveFaults) -> BridgeStatus:
    """What the service answers, compared with what our own nodes report."""
    answered = _distort(message, faults.wrong_answer)
    raw = answered.encode()
    if difference := describe_difference(transfer.sent_message, raw):
        return Contradicted(f"Circle attests to something else than what was sent: {difference}.")
    return Claimable(answered.message_id, raw, sign_message(raw))


def _distort(message: BurnMessage, wrong_answer: str) -> BurnMessage:
    match wrong_answer:
        case "recipient":
            hook = list(message.hook)
            hook[10] = as_word(ACROSS_RELAYER)
            return replace(message, hook=tuple(hook))
        case "amount":
            return replace(message, amount=message.amount + 1)
        case "chain":
            return replace(message, destination_domain=message.destination_domain + 1)
    return message

"""Following transfers through CCTP: from the message that our nodes report to its attestation."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor
from typing import Final

from crossway.adapters.bridges.cctp.iris_schemas import AttestedMessage
from crossway.adapters.bridges.cctp.message import (
    HOOK_AT,
    check_fee,
    describe_difference,
    matches_sent,
    parse_message,
    recover_attesters,
)
from crossway.adapters.bridges.cctp.networks import (
    AttestationServices,
    attestation_times,
    cctp_contracts,
)
from crossway.adapters.bridges.cctp.sent_messages import delivery_of, find_sent_message
from crossway.adapters.chains.rpc.tx_results import REVERT_REASONS
from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent
from crossway.domain.quotes import BridgeName
from crossway.ports.bridge import (
    BAD_SIGNATURES,
    BridgeEnd,
    BridgeStatus,
    Claimable,
    Contradicted,
    MessageSeen,
    Pending,
    Unknown,
)

NOT_OBSERVED: Final = "Circle has not observed the send yet."
ASKED_AGAIN: Final = "The attestation has expired; Circle was asked for a new one."
_DELAYS: Final = {
    "insufficient_fee": "The fee offered is below what Circle takes for a fast transfer now",
    "amount_above_max": "The amount is above what Circle transfers fast",
    "insufficient_allowance_available": "Circle's allowance for fast transfers is used up",
}
_UNTIL_FINAL: Final = "{}: Circle attests once the send is final, without a fee."
# Circle needs a moment, and answers with the old attestation until then.
REATTEST_SECONDS: Final = 600.0
MAX_FAILURES: Final = 4
# Why a delivery reverts that says nothing against its attestation: its signatures were accepted
# before, or were not looked at because nothing is delivered now. The engine decides on these.
# That others have delivered it is none: the number may be another message's, and our nodes report
# arrivals themselves.
_SAYS_NOTHING: Final = (
    "Message expired and must be re-signed",
    "Nonce already used",
    "Pausable: paused",
    "Blacklistable: account is blacklisted",
    REVERT_REASONS["TRANSFER_FAILED"].message,
)

TxKey = tuple[str, str]


class CctpClient:
    """`ports.bridge.BridgeClient` over Circle's attestation services. What these return is trusted
    where it is what our own nodes report, `ends` by chain. `fast_bridges` are the contracts of ours
    that ask for fast messages. Services are asked in `executor`; `timer` returns monotonic
    seconds."""

    name = BridgeName.CCTP

    def __init__(
        self,
        catalogue: Catalogue,
        services: AttestationServices,
        ends: Mapping[str, BridgeEnd],
        fast_bridges: Collection[str],
        executor: Executor,
        timer: Callable[[], float] = time.monotonic,
    ) -> None:
        self._catalogue = catalogue
        self._services = services
        self._ends = ends
        self._fast_bridges = fast_bridges
        self._executor = executor
        self._timer = timer
        self._requested_at: dict[str, float] = {}

    def close(self) -> None:
        """End the questions under way, and close the connections."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._services.close()

    def usual_seconds(self, intent: Intent) -> float:
        times = attestation_times(self._catalogue.chains[intent.terms.source_chain])
        if intent.bridger in self._fast_bridges and times.fast_seconds is not None:
            return times.fast_seconds
        return times.standard_seconds

    def track(self, transfers: Sequence[tuple[BridgeTransfer, Intent]]) -> Sequence[BridgeStatus]:
        # One question answers for all burns of a transaction.
        asked = list(dict.fromkeys(_tx_key(one) for one, _ in transfers if one.sent_message))
        answers = self._ask_all(asked)
        return [
            self._status(transfer, intent, answers[_tx_key(transfer)])
            if transfer.sent_message
            else self._read_sent(transfer, intent)
            for transfer, intent in transfers
        ]

    def _read_sent(self, transfer: BridgeTransfer, intent: Intent) -> BridgeStatus:
        """The message of this payment as our nodes report it."""
        try:
            logged = self._logged_messages(transfer)
        except Unreachable as error:
            return _unknown(error)
        message = find_sent_message(self._catalogue, intent, logged)
        if message is None:
            return Unknown(f"The payment has no message in {transfer.source_tx}.")
        return MessageSeen(message)

    def _logged_messages(self, transfer: BridgeTransfer) -> Sequence[bytes]:
        chain = self._catalogue.chains[transfer.source_chain]
        transmitter = cctp_contracts(chain.testnet).message_transmitter
        return self._end(chain.id).sent_messages(transfer.source_tx, transmitter)

    def _end(self, chain: str) -> BridgeEnd:
        if chain not in self._ends:
            raise Unreachable(f"{chain} is not configured")
        return self._ends[chain]

    def _ask_all(
        self, keys: Sequence[TxKey]
    ) -> Mapping[TxKey, Sequence[AttestedMessage] | Unknown]:
        """What Circle has of each transaction. Once a service has failed several times it is not
        asked for the rest: each question would wait as long."""
        failures: dict[bool, list[Unknown]] = {False: [], True: []}

        def ask(key: TxKey) -> Sequence[AttestedMessage] | Unknown:
            failed = failures[self._catalogue.chains[key[0]].testnet]
            if len(failed) >= MAX_FAILURES:
                return failed[-1]
            answer = self._get_messages(key)
            if isinstance(answer, Unknown):
                failed.append(answer)
            return answer

        return dict(zip(keys, self._executor.map(ask, keys), strict=True))

    def _get_messages(self, key: TxKey) -> Sequence[AttestedMessage] | Unknown:
        chain = self._catalogue.chains[key[0]]
        try:
            return self._services.of(chain.testnet).get_messages(chain.cctp_domain or 0, key[1])
        except Unreachable as error:
            return _unknown(error)

    def _status(
        self,
        transfer: BridgeTransfer,
        intent: Intent,
        answer: Sequence[AttestedMessage] | Unknown,
    ) -> BridgeStatus:
        if isinstance(answer, Unknown):
            return answer
        complete = [entry for entry in answer if entry.is_complete]
        for entry in complete:
            if matches_sent(transfer.sent_message, entry.message):
                return self._verify(transfer, intent, entry)
        if not complete:
            return Pending(_pending_reason(transfer.sent_message, answer))
        return self._find_contradiction(transfer, answer)

    def _verify(
        self, transfer: BridgeTransfer, intent: Intent, entry: AttestedMessage
    ) -> BridgeStatus:
        """What an attestation to the message that was sent allows."""
        message = parse_message(entry.message)
        if why := check_fee(message):
            return Contradicted(f"Circle's message has {why}.")
        nonce = "0x" + message.nonce.hex()
        is_refused = transfer.state is BridgeTransferState.DELAYED and message.expiration_block
        if is_refused and entry.message == transfer.message:
            return self._request_again(transfer, nonce)
        try:
            recover_attesters(entry.message, entry.attestation)
            call = delivery_of(intent, entry.message, entry.attestation)
            (reason,) = self._end(transfer.destination_chain).simulate([call])
        except (ValueError, Unreachable) as error:
            return Unknown(f"Circle's attestation cannot be verified: {error}.")
        # A message with another nonce than Circle's would never be delivered.
        if any(words in reason for words in BAD_SIGNATURES):
            return Unknown(f"Circle's attestation is not by its attesters: {reason}.")
        # Also a node that answers with an error of its own has verified nothing.
        if reason and reason not in _SAYS_NOTHING:
            return Unknown(f"Circle's attestation cannot be verified: {reason}.")
        return Claimable(nonce, entry.message, entry.attestation)

    def _request_again(self, transfer: BridgeTransfer, nonce: str) -> BridgeStatus:
        now = self._timer()
        recent = {n: at for n, at in self._requested_at.items() if now - at < REATTEST_SECONDS}
        if nonce not in recent:
            testnet = self._catalogue.chains[transfer.source_chain].testnet
            try:
                self._services.of(testnet).request_attestation(nonce)
            except Unreachable as error:
                return _unknown(error)
            recent[nonce] = now
        self._requested_at = recent
        return Pending(ASKED_AGAIN)

    def _find_contradiction(
        self, transfer: BridgeTransfer, answer: Sequence[AttestedMessage]
    ) -> BridgeStatus:
        """Whether Circle attests to something else than this transfer, or only to others of its
        transaction so far."""
        try:
            logged = self._logged_messages(transfer)
        except Unreachable as error:
            return _unknown(error)
        if transfer.sent_message not in logged:
            return Unknown(f"Our nodes report no such message in {transfer.source_tx} any more.")
        place = logged.index(transfer.sent_message)
        entry = answer[place] if place < len(answer) else None
        if entry is None or not entry.is_complete:
            return Pending(_pending_reason(transfer.sent_message, answer))
        if any(matches_sent(sent, entry.message) for sent in logged):
            return Unknown("Circle lists the messages of the transaction in another order.")
        difference = describe_difference(transfer.sent_message, entry.message)
        return Contradicted(f"Circle attests to something else than what was sent: {difference}.")


def _unknown(error: Unreachable) -> Unknown:
    return Unknown(f"{error}.")


def _tx_key(transfer: BridgeTransfer) -> TxKey:
    return transfer.source_chain, transfer.source_tx


def _pending_reason(sent: bytes, answer: Sequence[AttestedMessage]) -> str:
    """Why it is not attested to yet, as a sentence; empty where it only waits, as usual, until the
    send is final enough."""
    if not answer:
        return NOT_OBSERVED
    own = [entry for entry in answer if len(answer) == 1 or entry.hook == sent[HOOK_AT:]]
    for entry in own:
        if entry.delay_reason in _DELAYS:
            return _UNTIL_FINAL.format(_DELAYS[entry.delay_reason])
    return ""

"""Following transfers through Across: from the pool's record of the deposit to its deadline."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, wait
from typing import Final

from crossway.adapters.bridges.across.api import AcrossApi, AcrossApis
from crossway.adapters.bridges.across.deposits import (
    find_deposit,
    format_deposit_id,
    parse_deposit,
)
from crossway.adapters.bridges.across.networks import usual_fill_seconds
from crossway.domain.bridge_transfer import BridgeTransfer, BridgeTransferState
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent
from crossway.domain.quotes import BridgeName
from crossway.ports.bridge import (
    BridgeEnd,
    BridgeStatus,
    Expired,
    FinalStates,
    MessageSeen,
    Pending,
    Unknown,
)
from crossway.ports.chain import Chain

ASKED_FROM_POLL: Final = 5
"""A deposit that is not filled after so many questions is asked about at Across."""
MAX_ASKED: Final = 20
MAX_WAIT_SECONDS: Final = 2.0
_REASONS: Final = {
    "filled": "Across says that it was filled, which our nodes do not report.",
    "expired": "Across says that nobody filled it in time.",
    "refunded": "Across says that it returns the deposit.",
    "slowFillRequested": "No relayer fills it; Across pays it out of its pool.",
}

Followed = tuple[BridgeTransfer, Intent]


class AcrossClient:
    """`ports.bridge.BridgeClient` over nodes alone: `ends` by chain, and `chains` for their final
    blocks. What Across' API says is only a reason why a deposit waits; it is asked in
    `executor`."""

    name = BridgeName.ACROSS

    def __init__(
        self,
        catalogue: Catalogue,
        chains: Mapping[str, Chain],
        ends: Mapping[str, BridgeEnd],
        apis: AcrossApis,
        executor: Executor,
    ) -> None:
        self._catalogue = catalogue
        self._chains = chains
        self._ends = ends
        self._apis = apis
        self._executor = executor

    def usual_seconds(self, intent: Intent) -> float:
        return usual_fill_seconds(self._catalogue.chains[intent.terms.source_chain].testnet)

    def track(self, transfers: Sequence[Followed]) -> Sequence[BridgeStatus]:
        deposited = [one for one in transfers if one[0].sent_message]
        finals = self._read_finals(deposited)
        statuses = {
            transfer.intent_id: self._status(transfer, intent, finals)
            for transfer, intent in deposited
        }
        self._add_reasons(deposited, statuses)
        return [
            statuses.get(transfer.intent_id) or self._read_deposit(transfer, intent)
            for transfer, intent in transfers
        ]

    def close(self) -> None:
        """End the threads that ask Across, and close the connections to it."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._apis.close()

    def _read_deposit(self, transfer: BridgeTransfer, intent: Intent) -> BridgeStatus:
        """The deposit of this payment as our nodes report it."""
        pool = self._catalogue.chains[transfer.source_chain].across_pool
        try:
            end = self._end(transfer.source_chain)
            found = find_deposit(intent, end.sent_messages(transfer.source_tx, pool or ""))
        except (Unreachable, ValueError) as error:
            return Unknown(f"{error}.")
        if found is None:
            return Unknown(f"The payment has no deposit in {transfer.source_tx}.")
        deposit, record = found
        return MessageSeen(record, format_deposit_id(deposit.deposit_id))

    def _read_finals(
        self, transfers: Sequence[Followed]
    ) -> Mapping[tuple[str, str], FinalStates | Unknown]:
        """By destination chain and contract: what has arrived there for good."""
        hashes: dict[tuple[str, str], set[str]] = defaultdict(set)
        for transfer, intent in transfers:
            hashes[transfer.destination_chain, intent.bridger].add(intent.intent_hash)
        finals: dict[tuple[str, str], FinalStates | Unknown] = {}
        for (chain, bridger), of_contract in hashes.items():
            try:
                end = self._end(chain)
                height = self._chains[chain].heads().finalized
                finals[chain, bridger] = end.final_states(bridger, of_contract, height)
            except Unreachable as error:
                finals[chain, bridger] = Unknown(f"{error}.")
        return finals

    def _end(self, chain: str) -> BridgeEnd:
        if chain not in self._ends or chain not in self._chains:
            raise Unreachable(f"{chain} is not configured")
        return self._ends[chain]

    def _status(
        self,
        transfer: BridgeTransfer,
        intent: Intent,
        finals: Mapping[tuple[str, str], FinalStates | Unknown],
    ) -> BridgeStatus:
        final = finals[transfer.destination_chain, intent.bridger]
        if isinstance(final, Unknown):
            return final
        try:
            deadline = parse_deposit(transfer.sent_message).fill_deadline
        except ValueError as error:
            return Unknown(f"{error}.")
        # At the deadline itself it can still be filled.
        if final.block_time > deadline and not final.states[intent.intent_hash].arrived:
            return Expired()
        return Pending()

    def _add_reasons(
        self, transfers: Sequence[Followed], statuses: dict[int, BridgeStatus]
    ) -> None:
        """Ask Across about deposits that wait for long. Whatever it does not say in time is left
        out."""
        waiting = [
            transfer
            for transfer, _ in transfers
            if transfer.poll_count >= ASKED_FROM_POLL
            and transfer.state is not BridgeTransferState.EXPIRED
            and isinstance(statuses[transfer.intent_id], Pending)
        ]
        answers = {
            transfer.intent_id: self._executor.submit(self._find_reason, transfer)
            for transfer in waiting[:MAX_ASKED]
        }
        done, _ = wait(answers.values(), MAX_WAIT_SECONDS)
        for intent_id, answer in answers.items():
            if answer in done:
                statuses[intent_id] = Pending(answer.result())

    def _find_reason(self, transfer: BridgeTransfer) -> str:
        testnet = self._catalogue.chains[transfer.source_chain].testnet
        return ask_for_reason(self._apis.of(testnet), transfer.source_tx)


def ask_for_reason(api: AcrossApi, tx_id: str) -> str:
    """Why the deposit in a transaction waits, as Across says; empty where it does not."""
    try:
        status = api.find_deposit_status(tx_id)
    except Unreachable:
        return ""
    return _REASONS.get(status, "")

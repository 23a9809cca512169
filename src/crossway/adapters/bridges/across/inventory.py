"""Inventory that Across moves from chain to chain: `ports.inventory_bridge.InventoryBridge`."""

import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, wait
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from crossway.adapters.bridges.across.api import TITLE, AcrossApis, Refused
from crossway.adapters.bridges.across.client import ask_for_reason
from crossway.adapters.bridges.across.deposits import format_deposit_id
from crossway.adapters.bridges.across.inventory_quotes import InventoryQuestion, InventoryQuotes
from crossway.adapters.bridges.across.networks import inventory_terms, moved_symbols
from crossway.adapters.bridges.across.pool_contract import FILLED, SLOW_FILL_REQUESTED
from crossway.adapters.bridges.across.pool_end import PoolEnd
from crossway.adapters.bridges.across.refund_book import RefundBook
from crossway.adapters.bridges.across.relays import InventoryDeposit, Relay, parse_agreement
from crossway.adapters.bridges.allowances import allowances_of
from crossway.adapters.chains.evm.abi import APPROVE
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.money import rescale_up
from crossway.domain.quotes import BridgeName
from crossway.ports.inventory_bridge import (
    Agreed,
    AgreementExpired,
    Arrived,
    ContractInvocation,
    Declined,
    GivenBack,
    Pending,
    TransferStatus,
    Unanswered,
)
from crossway.ports.prices import Prices

MAX_WAIT_SECONDS: Final = 2.0
"""For what the API says of all transfers of one look."""
_SENT: Final = (InventoryTransferState.SENT, InventoryTransferState.OVERDUE)
SLOW: Final = "No relayer fills it; Across pays it out of its pool, within hours."
EXPIRED: Final = "Nobody filled it in time; Across gives it back within hours."
UNREPORTED: Final = "It was filled, by a transaction that our nodes do not report."


class AcrossInventory:
    """Deposits of the relayer's account on one chain to its account on another: `ends` by chain.

    What the API says is the price, and a reason why a deposit waits; that it was taken, filled or
    given back, our own nodes say. What a pool refuses to take after its time is not asked for anew
    before a final block is later than that. The API is asked in `executor`.
    """

    name = BridgeName.ACROSS

    def __init__(
        self,
        catalogue: Catalogue,
        ends: Mapping[str, PoolEnd],
        apis: AcrossApis,
        prices: Prices,
        executor: Executor,
    ) -> None:
        self._catalogue, self._ends = catalogue, ends
        self._apis, self._executor = apis, executor
        self._quotes = InventoryQuotes(apis, prices)
        self._symbols = moved_symbols(catalogue)
        by_number = {end.number: end for end in ends.values()}
        self._books = {name: RefundBook(end, by_number) for name, end in ends.items()}

    def commit(self, transfer: InventoryTransfer, now: datetime) -> bytes:
        del transfer, now
        return b""

    def agree(self, transfer: InventoryTransfer, now: datetime) -> Agreed | Declined | Unanswered:
        del now  # What counts is the time of the source's newest block.
        question = self._question(transfer)
        if isinstance(question, Declined):
            return question
        try:
            quote = self._quotes.request(question, secrets.randbits(256))
        except Refused as refusal:
            # Also what it refuses can be had later: relayers may have the token then.
            return Unanswered(f"{TITLE} refused to price it: {refusal}.")
        except Unreachable as error:
            return Unanswered(f"{error}.")
        deposit = quote.deposit
        reference = format_deposit_id(deposit.relay.deposit_id)
        paid = deposit.amounts[0]
        return Agreed(deposit.encode(), reference, paid, quote.expires_at, quote.usual_seconds)

    def invocations(self, transfer: InventoryTransfer) -> Sequence[ContractInvocation]:
        deposit = self._agreed_deposit(transfer)
        token, allowances = transfer.source_token, allowances_of(transfer)
        calls = [(token, APPROVE.encode(deposit.pool, allowed)) for allowed in allowances]
        calls.append((deposit.pool, deposit.data))
        return [ContractInvocation(transfer.source_chain, to, data) for to, data in calls]

    def track(self, transfers: Sequence[InventoryTransfer]) -> Sequence[TransferStatus]:
        statuses = [self._status(transfer) for transfer in transfers]
        asked = {
            place: self._executor.submit(self._ask_for_reason, transfer)
            for place, (transfer, status) in enumerate(zip(transfers, statuses, strict=True))
            if transfer.state is InventoryTransferState.OVERDUE and status == Pending()
        }
        done, _ = wait(asked.values(), MAX_WAIT_SECONDS)
        for place, answer in asked.items():
            if answer in done:
                statuses[place] = Pending(answer.result())
        return statuses

    def balances(self) -> Mapping[str, int]:
        return {}

    def close(self) -> None:
        """End the threads that ask Across, and close the connections to it."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._apis.close()

    def _question(self, transfer: InventoryTransfer) -> InventoryQuestion | Declined:
        source, to = transfer.source_chain, transfer.destination_chain
        paid = self._catalogue.by_address.get((source, transfer.source_token))
        received = self._catalogue.by_address.get((to, transfer.destination_token))
        if (
            transfer.kind is not InventoryTransferKind.TRANSFER
            or paid is None
            or received is None
            or paid.symbol != received.symbol
            or paid.native
            or received.native
            or not {source, to} <= self._ends.keys()
            or paid.symbol not in self._symbols.get(source, ())
            or paid.symbol not in self._symbols.get(to, ())
            or self._ends[source].facts.testnet != self._ends[to].facts.testnet
        ):
            return Declined(f"{TITLE} does not move this token from {source} to {to} for us.")
        return InventoryQuestion(
            self._ends[source], self._ends[to], paid, received, transfer.amount
        )

    def _agreed_deposit(self, transfer: InventoryTransfer) -> InventoryDeposit:
        """The stored deposit; whom and what it pays is the transfer's and our own lists'. Raises
        `ValueError` where it cannot be read, and `KeyError` for a chain that is not configured."""
        stored = parse_agreement(transfer.agreement)
        source, to = self._ends[transfer.source_chain], self._ends[transfer.destination_chain]
        handler = inventory_terms().handlers.get(transfer.destination_chain, "")
        return replace(
            stored,
            pool=source.pool,
            depositor=source.relayer,
            recipient=to.relayer,
            through=handler if stored.through else "",
            tokens=(transfer.source_token, transfer.destination_token),
            amounts=(transfer.source_amount, transfer.amount),
            chains=(source.number, to.number),
        )

    def _status(self, transfer: InventoryTransfer) -> TransferStatus:
        try:
            deposit = self._agreed_deposit(transfer)
            if transfer.state is InventoryTransferState.AGREED:
                return self._agreement_status(transfer)
            return self._follow(transfer, deposit)
        except KeyError:
            return Unanswered("One of its chains is not configured here.")
        except (Unreachable, ValueError) as error:
            return Unanswered(f"{error}.")

    def _agreement_status(self, transfer: InventoryTransfer) -> TransferStatus:
        """Of an agreement for which nothing is signed."""
        if transfer.has_lapsed(self._ends[transfer.source_chain].heads().time):
            return AgreementExpired()
        return Pending()

    def _follow(self, transfer: InventoryTransfer, deposit: InventoryDeposit) -> TransferStatus:
        relay = deposit.relay
        states = self._ends[transfer.destination_chain].fill_states([relay])
        (status,) = states.statuses
        if status == FILLED:
            return self._find_arrival(transfer, relay)
        if transfer.state is InventoryTransferState.SENDING:
            return self._find_lapse(transfer, deposit)
        if transfer.state in _SENT and relay.deadline < states.final_time:
            return self._find_refund(transfer, relay)
        return Pending(SLOW if status == SLOW_FILL_REQUESTED else "")

    def _find_arrival(self, transfer: InventoryTransfer, relay: Relay) -> TransferStatus:
        log = self._ends[transfer.destination_chain].find_fill(relay, transfer.created_at)
        if log is None:
            return Unanswered(UNREPORTED)
        tokens = self._catalogue.by_address
        paid = tokens[transfer.source_chain, transfer.source_token]
        received = tokens[transfer.destination_chain, transfer.destination_token]
        at_par = rescale_up(transfer.amount, received.decimals, paid.decimals)
        return Arrived(log.tx_hash, log.height, max(transfer.source_amount - at_par, 0))

    def _find_lapse(self, transfer: InventoryTransfer, deposit: InventoryDeposit) -> TransferStatus:
        """Of an agreement for which a transaction may be on its way to the pool."""
        end = self._ends[transfer.source_chain]
        # The pool is Across' to change: it may take what it would have refused before.
        until = deposit.quoted_at + timedelta(seconds=end.read_rules().quote_seconds)
        last = max(until, deposit.last_taken)
        taken = end.was_taken(deposit.relay, transfer.created_at, last)
        return AgreementExpired() if taken is False else Pending()

    def _find_refund(self, transfer: InventoryTransfer, relay: Relay) -> TransferStatus:
        book = self._books[transfer.source_chain]
        refund = book.find(relay, transfer.source_token, transfer.created_at)
        return Pending(EXPIRED) if refund is None else GivenBack(refund.tx_id, refund.units)

    def _ask_for_reason(self, transfer: InventoryTransfer) -> str:
        testnet = self._catalogue.chains[transfer.source_chain].testnet
        return ask_for_reason(self._apis.of(testnet), transfer.source_tx)

"""Inventory that rhino.fi moves from chain to chain: `ports.inventory_bridge.InventoryBridge`."""

import json
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from datetime import datetime
from typing import Final

from crossway.adapters.bridges.allowances import allowances_of
from crossway.adapters.bridges.rhinofi.api import TITLE, Refused, RhinofiApi
from crossway.adapters.bridges.rhinofi.api_schemas import TransferReport
from crossway.adapters.bridges.rhinofi.networks import are_exchanged, bridge_contracts
from crossway.adapters.bridges.rhinofi.payouts import ExpectedPayment, Payouts
from crossway.adapters.bridges.rhinofi.transfer_quotes import (
    TransferQuestion,
    TransferQuote,
    TransferQuotes,
)
from crossway.adapters.chains.evm.abi import APPROVE, DEPOSIT_WITH_ID
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import Unreachable
from crossway.domain.inventory_transfer import (
    InventoryTransfer,
    InventoryTransferKind,
    InventoryTransferState,
)
from crossway.domain.money import format_units, micro_usd_up
from crossway.domain.quotes import BridgeName
from crossway.ports.chain import Chain
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

MAX_WAIT_SECONDS: Final = 8.0
"""For what the service says of all transfers of one look."""
_REASONS: Final = {
    "PENDING": "has not seen the deposit",
    "PENDING_CONFIRMATION": "waits for confirmations of the deposit",
    "DEPOSIT_ACCEPTED": "accepted the deposit",
    "ACCEPTED": "accepted the deposit and has not paid out",
    "EXECUTED": "says that it paid out",
    "CANCELLED": "has it as cancelled, and pays out once it sees the deposit",
    "FAILED": "says that it failed: ask its support for the deposit",
    "SWAP_FAILED": "says that it failed, and that it looks into a refund",
    "DEPOSIT_RECEIVED_AFTER_GRACE_PERIOD": "got the deposit too late: ask its support for it",
}


class RhinofiInventory:
    """`chains` are those of the environment, whose relayers pay and are paid. What the service says
    of a transfer is a reason why it waits; that it arrived, or came back, our own nodes say. The
    service is asked about transfers in `executor`.

    Its contract takes a deposit at any time: an agreement counts as expired only while nothing is
    signed for it.
    """

    name = BridgeName.RHINOFI

    def __init__(
        self,
        catalogue: Catalogue,
        chains: Mapping[str, Chain],
        api: RhinofiApi,
        transfer_quotes: TransferQuotes,
        prices: Prices,
        executor: Executor,
        wait_seconds: float = MAX_WAIT_SECONDS,
    ) -> None:
        self._catalogue, self._chains = catalogue, chains
        self._api, self._transfer_quotes, self._prices = api, transfer_quotes, prices
        self._executor, self._wait_seconds = executor, wait_seconds

    def commit(self, transfer: InventoryTransfer, now: datetime) -> bytes:
        return b""

    def agree(self, transfer: InventoryTransfer, now: datetime) -> Agreed | Declined | Unanswered:
        question = self._question(transfer)
        if isinstance(question, Declined):
            return question
        try:
            quote = self._transfer_quotes.request(question)
            prices = self._read_prices(question)
        except (Refused, Unreachable) as error:
            # Also what it refuses can be had later: it may have liquidity then.
            return Unanswered(f"{error}.")
        if reason := _objection(quote, prices, now):
            return Unanswered(reason)
        try:
            self._api.commit_quote(quote.quote_id)
        except (Refused, Unreachable) as error:
            # Quotes lapse: another is asked for. Nothing was promised for this one.
            return Unanswered(f"{error}.")
        agreement = self._record(question, quote)
        seconds = quote.usual_seconds + _sending_seconds(question, prices)
        return Agreed(agreement, quote.quote_id, quote.pay_units, quote.expires_at, seconds)

    def invocations(self, transfer: InventoryTransfer) -> Sequence[ContractInvocation]:
        contract = bridge_contracts()[transfer.source_chain]
        token, units = transfer.source_token, transfer.source_amount
        deposit = DEPOSIT_WITH_ID.encode(token, units, int(transfer.reference, 16))
        return [
            *(
                ContractInvocation(transfer.source_chain, token, APPROVE.encode(contract, allowed))
                for allowed in allowances_of(transfer)
            ),
            ContractInvocation(transfer.source_chain, contract, deposit),
        ]

    def track(self, transfers: Sequence[InventoryTransfer]) -> Sequence[TransferStatus]:
        asked = [t for t in transfers if t.state is not InventoryTransferState.AGREED]
        reports = {t.id: self._executor.submit(self._api.find_report, t.reference) for t in asked}
        wait(reports.values(), self._wait_seconds)
        payouts = Payouts(self._chains)
        # First those whose payment is known, so that no other is told to have it.
        ordered = sorted(transfers, key=lambda transfer: not transfer.destination_tx)
        statuses = {t.id: self._status(t, reports.get(t.id), payouts) for t in ordered}
        return [statuses[transfer.id] for transfer in transfers]

    def balances(self) -> Mapping[str, int]:
        return {}

    def close(self) -> None:
        """End the threads that ask rhino.fi, and close the connections to it."""
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._api.close()

    def _question(self, transfer: InventoryTransfer) -> TransferQuestion | Declined:
        source, to = transfer.source_chain, transfer.destination_chain
        paid = self._catalogue.by_address.get((source, transfer.source_token))
        received = self._catalogue.by_address.get((to, transfer.destination_token))
        if (
            transfer.kind is not InventoryTransferKind.TRANSFER
            or paid is None
            or received is None
            or not {source, to} <= bridge_contracts().keys() & self._chains.keys()
            or not are_exchanged(paid.symbol, received.symbol)
            or paid.native
            or received.native
        ):
            return Declined(f"{TITLE} does not move this token from {source} to {to} for us.")
        chains = self._catalogue.chains
        return TransferQuestion(chains[source], chains[to], paid, received, transfer.amount)

    def _read_prices(self, question: TransferQuestion) -> Mapping[str, int]:
        """Of both tokens, in pico-USD. Raises `Unreachable` where one is not known."""
        symbols = {question.paid.symbol, question.received.symbol}
        prices = {s: p.pico_usd for s, p in self._prices.get_usd_prices(symbols).items()}
        if unpriced := symbols - prices.keys():
            raise Unreachable(f"no price of {min(unpriced)} is known")
        return prices

    def _record(self, question: TransferQuestion, quote: TransferQuote) -> bytes:
        """What was agreed to, in our words."""
        depositor, recipient = self._transfer_quotes.accounts_of(question)
        fields = {
            "quoteId": quote.quote_id,
            "contract": bridge_contracts()[question.source.id],
            "payUnits": str(quote.pay_units),
            "receiveUnits": str(question.amount),
            "depositor": depositor,
            "recipient": recipient,
            "expiresAt": quote.expires_at.isoformat(),
        }
        return json.dumps(fields, separators=(",", ":")).encode()

    def _status(
        self,
        transfer: InventoryTransfer,
        answer: "Future[TransferReport | None] | None",
        payouts: Payouts,
    ) -> TransferStatus:
        try:
            if answer is None:
                return self._agreement_status(transfer)
            if transfer.destination_tx:
                arrived = _find_arrival(transfer, transfer.destination_tx, payouts)
                if arrived is not None:
                    return arrived
            if not answer.done():
                return Unanswered(f"{TITLE} did not respond in time.")
            report = answer.result()
            if report is None:
                return Unanswered(f"{TITLE} knows no transfer {transfer.reference}.")
            return _judge(transfer, report, payouts)
        except Unreachable as error:
            return Unanswered(f"{error}.")

    def _agreement_status(self, transfer: InventoryTransfer) -> TransferStatus:
        """Of an agreement for which nothing is signed. Raises `Unreachable`."""
        chain, expires_at = self._chains.get(transfer.source_chain), transfer.expires_at
        if chain is None:
            raise Unreachable(f"{transfer.source_chain} is not configured")
        if expires_at is not None and chain.heads().time > expires_at:
            return AgreementExpired()
        return Pending()


def _objection(quote: TransferQuote, prices: Mapping[str, int], now: datetime) -> str:
    """Why a quote is not accepted now; empty where it is."""
    if quote.is_too_dear(prices):
        paid = quote.question.paid
        fee = f"{format_units(quote.fee_units(prices), paid.decimals)} {paid.symbol}"
        return f"{TITLE} asks for {fee}, which is more than we pay."
    if quote.expires_at <= now:
        return f"{TITLE}'s quote expires at once."
    return ""


def _sending_seconds(question: TransferQuestion, prices: Mapping[str, int]) -> int:
    """How long our own two transactions usually take: the deposit waits for the approval, and the
    service for the deposit."""
    received = question.received
    value = micro_usd_up(question.amount, received.decimals, prices[received.symbol])
    return 2 * question.source.confirmation_seconds(value)


def _judge(transfer: InventoryTransfer, report: TransferReport, payouts: Payouts) -> TransferStatus:
    """The status by what the service says, where our nodes report it too. Raises `Unreachable`."""
    if report.payout_tx:
        arrived = _find_arrival(transfer, report.payout_tx, payouts)
        if arrived is not None:
            return arrived
        return Pending(f"{TITLE} says that it paid by {report.payout_tx}, as our nodes do not.")
    if report.refund_tx:
        expected = ExpectedPayment(
            transfer.source_chain,
            transfer.source_token,
            transfer.source_amount,
            transfer.created_at,
        )
        if (found := payouts.find(expected, report.refund_tx)) is not None:
            return GivenBack(report.refund_tx, found.total)
        return Pending(
            f"{TITLE} says that it gave all back by {report.refund_tx}, as our nodes do not."
        )
    return Pending(f"{TITLE} {_REASONS.get(report.state, f'says {report.state}')}.")


def _find_arrival(transfer: InventoryTransfer, tx_id: str, payouts: Payouts) -> Arrived | None:
    expected = ExpectedPayment(
        transfer.destination_chain,
        transfer.destination_token,
        transfer.amount,
        transfer.created_at,
    )
    if (found := payouts.find(expected, tx_id)) is None:
        return None
    payment = found.transfer
    return Arrived(payment.tx_hash, payment.block_height, paid_units=found.total)

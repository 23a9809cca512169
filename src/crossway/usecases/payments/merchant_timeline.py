"""The timeline of a payment for its merchant: steps in plain sentences, and what happens next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from crossway.domain.bridge_transfer import BridgeTransferState
from crossway.domain.catalogue import Catalogue
from crossway.domain.clients import Principal
from crossway.domain.deposits import Deposit, DepositPurpose, DepositState
from crossway.domain.intent import Intent, IntentEvent, State
from crossway.domain.money import format_units
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.quotes import bridge_title
from crossway.ports.records import TransitionRecord
from crossway.ports.services import Services
from crossway.usecases.payments.bridge_progress import BridgeProgress, load_progress
from crossway.usecases.payments.intents import get_by_id
from crossway.usecases.payments.merchant_timeline_texts import (
    AT_DESTINATION,
    BRIDGE_STATES,
    DEPOSITS,
    EVENTS,
    PAID,
)
from crossway.usecases.payments.next_action import describe_next_action

MAX_STEPS = 100  # of each kind of record
_MIN_TX_LENGTH: Final = 20

B, E = BridgeTransferState, IntentEvent


@dataclass(frozen=True, slots=True)
class Amount:
    """An amount of a token in its smallest unit; `symbol` is empty where the token is unknown."""

    units: int
    token: str
    symbol: str
    decimals: int

    @property
    def text(self) -> str:
        """The amount for people, such as `25.1 USDC`."""
        if not self.symbol:
            return f"{self.units} units of an unknown token"
        return f"{format_units(self.units, self.decimals)} {self.symbol}"


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its name, a sentence, when, and where there is one its chain, transaction and
    amount."""

    name: str
    sentence: str
    at: datetime
    chain: str | None = None
    tx: str | None = None
    amount: Amount | None = None


@dataclass(frozen=True, slots=True)
class MerchantTimeline:
    """A payment with its steps, oldest first, and what happens next, with its deadline if there is
    one; `next_sentence` is empty once nothing does. `is_truncated`: older steps are left out."""

    intent: Intent
    steps: tuple[Step, ...]
    next_sentence: str
    next_due_at: datetime | None
    is_truncated: bool


def get_merchant_timeline(
    services: Services, caller: Principal, intent_id: int
) -> MerchantTimeline:
    """The timeline of one of the caller's payments. Raises `NotFound`."""
    intent = get_by_id(services, caller, intent_id)
    with services.store.read() as unit:
        deposits = unit.deposits.list_by_intents([intent_id], MAX_STEPS)
        transitions = unit.intents.list_transitions([intent_id], MAX_STEPS)
        outbound_txs = unit.outbound_txs.list_newest(intent_id, MAX_STEPS)
        progress = load_progress(unit, [intent]).get(intent_id)
        truncated = unit.deposits.count_by_intent(intent_id) > len(
            deposits
        ) or unit.intents.count_transitions(intent_id) > len(transitions)
    sentences = _Sentences(services.catalogue, intent)
    paid = sum(d.incoming.amount for d in deposits if d.purpose is DepositPurpose.PAYMENT)
    excess = 0 if truncated else paid - intent.terms.deposit_amount
    steps = [
        *sentences.describe_deposits(deposits),
        *sentences.describe_transitions(transitions, outbound_txs, excess),
        *sentences.describe_bridge(progress),
    ]
    # Stable: what has the same time stays in this order.
    steps.sort(key=lambda step: step.at)
    sentence, due_at = _describe_next(services, intent, deposits, progress)
    return MerchantTimeline(intent, tuple(steps), sentence, due_at, truncated)


def _describe_next(
    services: Services,
    intent: Intent,
    deposits: Sequence[Deposit],
    progress: BridgeProgress | None,
) -> tuple[str, datetime | None]:
    """What happens next, without the operator's reasons."""
    bridge = bridge_title(intent.terms.bridge) if progress is not None else ""
    expected_at = progress.expected_at if progress is not None else None
    match intent.state:
        case State.PENDING:
            return describe_next_action(services, intent, deposits, ())
        case State.FUNDED:
            return "Crossway collects the deposit.", intent.terms.expires_at
        case State.INITIATED if bridge:
            return f"{bridge} carries it; then the recipient is paid.", expected_at
        case State.INITIATED:
            return "Crossway pays the recipient.", None
        case State.FAILED if progress is not None and progress.state is B.PARKED:
            return "It is paid out once the recipient can be paid; anyone can do it.", None
        case State.FAILED if bridge and not intent.balance_at_address:
            return f"{bridge} returns the deposit; then it is refunded.", None
    if intent.balance_at_address > 0 and intent.state is not State.COMPLETED:
        return "Crossway refunds what the deposit address holds.", None
    return "", None


class _Sentences:
    """Writes the steps of one payment."""

    def __init__(self, catalogue: Catalogue, intent: Intent) -> None:
        terms = intent.terms
        self._catalogue, self._intent = catalogue, intent
        self._payout = Amount(
            terms.payout_amount, terms.token_out, intent.out_symbol, intent.out_decimals
        )
        self._due = Amount(
            terms.deposit_amount, terms.token_in, intent.asset_symbol, intent.asset_decimals
        )
        self._names = {
            "due": self._due.text,
            "payout": self._payout.text,
            "symbol": intent.asset_symbol,
            "source": catalogue.chains[terms.source_chain].name,
            "destination": catalogue.chains[terms.destination_chain].name,
            "bridge": bridge_title(terms.bridge) if terms.bridge else "",
        }

    def describe_deposits(self, deposits: Sequence[Deposit]) -> Iterator[Step]:
        """What arrived at the deposit address; what a bridge returned is a step of its own."""
        for deposit in deposits:
            incoming = deposit.incoming
            amount = self._amount(incoming.chain, incoming.token, incoming.amount)
            chain = self._catalogue.chains[incoming.chain].name
            if deposit.state is DepositState.ORPHANED:
                name, text = "deposit_reversed", "A reorganization of {chain} undid {amount}."
            elif deposit.state is DepositState.SEEN:
                name, text = "deposit_seen", "{amount} arrived on {chain}; it is being confirmed."
            elif deposit.purpose is not None and deposit.purpose in DEPOSITS:
                name, text = DEPOSITS[deposit.purpose]
            else:
                continue
            words = {**self._names, "amount": amount.text, "chain": chain}
            sentence = text.format_map(words)
            yield Step(name, sentence, incoming.at, incoming.chain, incoming.tx_hash, amount)

    def describe_transitions(
        self,
        transitions: Sequence[TransitionRecord],
        outbound_txs: Sequence[OutboundTx],
        excess: int,
    ) -> Iterator[Step]:
        """What happened to the payment, and what was returned beside it; `excess` units were paid
        before the start, which returns them."""
        returns = {tx.tx_id: tx for tx in outbound_txs if tx.kind is OutboundTxKind.RETURN_EXCESS}
        terms = self._intent.terms
        for one in transitions:
            is_tx = len(one.note) > _MIN_TX_LENGTH and " " not in one.note
            tx = one.note if is_tx else None
            if one.event == E.LEDGER_ONLY and tx in returns:
                sent = returns[tx]
                units = sent.amount
                what = None if units is None else self._amount(sent.chain, sent.token, units)
                yield self._returned(one.at, sent.chain, tx, what)
            if one.event not in EVENTS:
                continue
            name, text = EVENTS[one.event]
            chain = terms.destination_chain if one.event in AT_DESTINATION else terms.source_chain
            amount = self._payout if one.event in PAID else None
            amount = self._due if one.event == "CREATED" else amount
            yield Step(name, text.format_map(self._names), one.at, chain, tx, amount)
            if one.event in (E.STARTED, E.SENT) and excess > 0:
                more = self._amount(terms.source_chain, terms.token_in, excess)
                yield self._returned(one.at, chain, tx, more)

    def describe_bridge(self, progress: BridgeProgress | None) -> Iterator[Step]:
        """What its bridge did that is no event of the payment."""
        for step in progress.steps if progress is not None else ():
            if step.state in BRIDGE_STATES:
                name, text = BRIDGE_STATES[step.state]
                yield Step(name, text.format_map(self._names), step.at, None, step.tx or None)

    def _returned(self, at: datetime, chain: str, tx: str | None, amount: Amount | None) -> Step:
        what = "What was not due" if amount is None else f"{amount.text} more than was due"
        sentence = f"{what} went back to the refund address."
        return Step("excess_returned", sentence, at, chain, tx, amount)

    def _amount(self, chain: str, token: str, units: int) -> Amount:
        known = self._catalogue.by_address.get((chain, token))
        if known is not None:
            return Amount(units, token, known.symbol, known.decimals)
        place = self._catalogue.chains[chain]
        if token == self._catalogue.native_token(chain):
            return Amount(units, token, place.native_symbol, place.native_decimals)
        return Amount(units, token, "", 0)

"""Credit deposits at standing addresses: make their payments, or send them back."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from crossway.domain.ledger import Account
from crossway.domain.outbound import OutboundTx, OutboundTxKind, OutboundTxState
from crossway.domain.standing import (
    StandingAddress,
    StandingDeposit,
    StandingState,
    judge_deposit,
)
from crossway.ports.records import NewOutboundTx
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.payments.create_intent import NewIntent, store_intents
from crossway.usecases.payments.dust import is_dust_now, value_now
from crossway.usecases.payments.lifecycle import IntentBatch
from crossway.usecases.payments.standing_payouts import Payable, TermsUnavailable

S, K = StandingState, OutboundTxKind
RETRY: Final = timedelta(seconds=30)
PATIENCE: Final = timedelta(days=1)
"""So long after its block a deposit waits for a payment to be possible; then it goes back."""
KEPT: Final = "Kept at the address: returning it costs more than it is worth."
WAITED_TOO_LONG: Final = "No payment could be made for it within a day. {}"
_DONE: Final = (OutboundTxState.CONFIRMED, OutboundTxState.FINAL)


@dataclass(frozen=True, slots=True)
class Credit:
    """A confirmed deposit and what was prepared for it: `terms` None where it goes back."""

    payable: Payable
    terms: NewIntent | TermsUnavailable | None
    why_back: str = ""

    @property
    def deposit(self) -> StandingDeposit:
        """The deposit as it was read."""
        return self.payable.deposit


def why_returned(deposit: StandingDeposit, address: StandingAddress) -> str:
    """Why a deposit goes to the recovery address; empty where a payment is made for it, or was."""
    return "" if deposit.intent_id is not None else judge_deposit(address, deposit.incoming)


def credit_standing_deposits(
    unit: UnitOfWork, services: Services, credits: Sequence[Credit]
) -> int:
    """Book confirmed deposits and store their payments or their returns, each with the transaction
    that moves it; those that another engine changed meanwhile are skipped. Returns how many."""
    now = services.clock.now()
    locked = unit.standing.lock_deposits([credit.deposit.id for credit in credits])
    current = [c for c in credits if locked.get(c.deposit.id) == c.deposit]
    crediting = _Crediting(unit, services, now)
    for credit in current:
        crediting.apply(credit)
    crediting.store()
    return len(current)


class _Crediting:
    """The changes of several deposits that one transaction stores."""

    def __init__(self, unit: UnitOfWork, services: Services, now: datetime) -> None:
        self._unit, self._services, self._now = unit, services, now
        self._batch = IntentBatch(services, now, {})
        self._changes: list[tuple[StandingDeposit, StandingDeposit]] = []

    def apply(self, credit: Credit) -> None:
        """Book one deposit and decide where it goes."""
        deposit, address = credit.deposit, credit.payable.address
        incoming = deposit.incoming
        value = value_now(self._services, incoming.token, incoming.chain, incoming.amount) or 0
        after = replace(deposit, micro_usd=value, updated_at=self._now, reason="")
        if deposit.state is S.SEEN:
            location = (incoming.chain, incoming.token, incoming.tx_ref)
            leg = (Account.STANDING, Account.PAYER, incoming.amount)
            self._batch.add_postings(deposit.owner, *location, leg)
        if deposit.intent_id is not None:
            after = self._resume(after)
        elif credit.why_back:
            after = self._return(after, address, credit.why_back)
        elif isinstance(credit.terms, NewIntent):
            after = self._pay(after, credit.terms)
        else:
            after = self._wait(after, address, str(credit.terms))
        self._changes.append((deposit, after))

    def store(self) -> None:
        """Write all of it."""
        self._unit.standing.update_deposits(self._changes)
        self._batch.store(self._unit)

    def _pay(self, deposit: StandingDeposit, new: NewIntent) -> StandingDeposit:
        [intent] = store_intents(self._services, self._unit, [new])
        self._batch.outbound.append(_forward(deposit, intent.address, self._now))
        return replace(
            deposit, state=S.FORWARDING, intent_id=intent.id, next_at=intent.terms.expires_at
        )

    def _wait(
        self, deposit: StandingDeposit, address: StandingAddress, reason: str
    ) -> StandingDeposit:
        if self._now >= deposit.incoming.at + PATIENCE:
            return self._return(deposit, address, WAITED_TOO_LONG.format(reason))
        return replace(deposit, state=S.WAITING, reason=reason, next_at=self._now + RETRY)

    def _return(
        self, deposit: StandingDeposit, address: StandingAddress, reason: str
    ) -> StandingDeposit:
        incoming = deposit.incoming
        if is_dust_now(self._services, incoming.token, incoming.chain, incoming.amount):
            return replace(deposit, state=S.KEPT, reason=f"{reason} {KEPT}")
        tx = self._find(deposit, K.RECOVER)
        if tx is not None and tx.state in _DONE:
            return replace(deposit, state=S.RETURNED, reason=reason)
        self._batch.outbound.append(recovery(deposit, address, self._now))
        return replace(deposit, state=S.RETURNING, reason=reason)

    def _resume(self, deposit: StandingDeposit) -> StandingDeposit:
        """Go on with the payment of a deposit that a reorg had removed."""
        intent_id = deposit.intent_id
        assert intent_id is not None
        intent = self._unit.intents.get_many([intent_id])[intent_id]
        tx = self._find(deposit, K.FORWARD)
        if tx is not None and tx.state in _DONE:
            return replace(deposit, state=S.FORWARDED)
        self._batch.outbound.append(_forward(deposit, intent.address, self._now))
        return replace(deposit, state=S.FORWARDING, next_at=intent.terms.expires_at)

    def _find(self, deposit: StandingDeposit, kind: OutboundTxKind) -> OutboundTx | None:
        return next(iter(self._unit.outbound_txs.list_by_intents([deposit.owner], kind)), None)


def _forward(deposit: StandingDeposit, to: str, now: datetime) -> NewOutboundTx:
    incoming = deposit.incoming
    place = (incoming.chain, incoming.token, incoming.amount)
    return NewOutboundTx(deposit.owner, K.FORWARD, "forward", *place, to, now)


def recovery(deposit: StandingDeposit, address: StandingAddress, now: datetime) -> NewOutboundTx:
    """The transaction that sends a deposit to the recovery address."""
    incoming = deposit.incoming
    place = (incoming.chain, incoming.token, incoming.amount)
    return NewOutboundTx(deposit.owner, K.RECOVER, "recover", *place, address.recovery, now)

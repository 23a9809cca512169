"""Finds payments that exceed a time limit and misdirected deposits."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from crossway.domain.intent import Intent, State
from crossway.domain.ledger import AddressBalance
from crossway.domain.money import format_units
from crossway.domain.outbound import OutboundTxKind
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.money.books import get_denomination
from crossway.usecases.operating.alerts import WAITING_KINDS
from crossway.usecases.payments.delays import find_delays

STUCK, FOREIGN = "stuck", "foreign"
START_DEADLINE = timedelta(minutes=5)
FILL_GRACE = timedelta(minutes=5)
CREDIT_DEADLINE = timedelta(minutes=30)
RETURN_DEADLINE = timedelta(minutes=10)
_MAX_ROWS = 500
_RETURN_KINDS = (OutboundTxKind.REFUND, OutboundTxKind.RETURN_EXCESS)


@dataclass(frozen=True, slots=True)
class Breach:
    """An exceeded time limit or a misdirected deposit, as the alert to raise on the intent."""

    key: str
    kind: str
    intent_id: int
    message: str


def find_breaches(
    unit: UnitOfWork, services: Services, alerts: Sequence[Alert], now: datetime
) -> list[Breach]:
    """All breaches, except those that an active alert about a shortage or a chain explains."""
    breaches = [
        *_find_not_started(unit, now),
        *_find_not_filled(unit, now),
        *_find_not_credited(unit, now),
    ]
    breaches += _find_not_returned(unit, now)
    excused = _find_excused(unit, alerts, {breach.intent_id for breach in breaches})
    unique = {
        breach.key: breach for breach in reversed(breaches) if breach.intent_id not in excused
    }
    return [*unique.values(), *_find_misdirected(unit, services)]


def _find_not_started(unit: UnitOfWork, now: datetime) -> list[Breach]:
    late = unit.intents.list_older_in_state(State.FUNDED, now - START_DEADLINE, _MAX_ROWS)
    message = "was funded over 5 minutes ago and has not been started."
    return _build_late_breaches(unit, late, message, now)


def _find_not_filled(unit: UnitOfWork, now: datetime) -> list[Breach]:
    """Started payments that exceed the settlement time of their quote and a grace period."""
    started = unit.intents.list_older_in_state(State.INITIATED, now - FILL_GRACE, _MAX_ROWS)
    late = [
        i for i in started if now > i.updated_at + timedelta(seconds=i.settle_seconds) + FILL_GRACE
    ]
    message = "was started but not paid out within its quoted time."
    return _build_late_breaches(unit, late, message, now)


def _build_late_breaches(
    unit: UnitOfWork, late: Sequence[Intent], message: str, now: datetime
) -> list[Breach]:
    """The breaches of late payments, with their orders, and with the reason where their bridge or
    a waiting transaction says it."""
    delays = find_delays(unit, late, now)
    breaches = []
    for intent in late:
        order = f" of order {intent.order_id}" if intent.order_id is not None else ""
        delay = delays.get(intent.id)
        reason = f" {delay.reason}" if delay is not None else ""
        breaches.append(_stuck_breach(intent.id, f"Payment {intent.id}{order} {message}{reason}"))
    return breaches


def _find_not_credited(unit: UnitOfWork, now: datetime) -> list[Breach]:
    unconfirmed = unit.deposits.list_older_seen(now - CREDIT_DEADLINE, _MAX_ROWS)
    return [
        _stuck_breach(
            d.intent_id,
            f"A deposit of payment {d.intent_id} was seen over 30 minutes ago and still lacks "
            "confirmations.",
        )
        for d in unconfirmed
    ]


def _find_not_returned(unit: UnitOfWork, now: datetime) -> list[Breach]:
    overdue = unit.outbound_txs.list_overdue(_RETURN_KINDS, now - RETURN_DEADLINE, _MAX_ROWS)
    return [
        _stuck_breach(
            t.intent_id, f"A refund or return of payment {t.intent_id} is 10 minutes overdue."
        )
        for t in overdue
    ]


def _stuck_breach(intent_id: int, message: str) -> Breach:
    return Breach(f"{STUCK}:{intent_id}", STUCK, intent_id, message)


def _find_misdirected(unit: UnitOfWork, services: Services) -> list[Breach]:
    balances = unit.ledger.list_misdirected(None, _MAX_ROWS)
    intents = unit.intents.get_many({balance.intent_id for balance in balances})
    return [
        Breach(
            f"{FOREIGN}:{b.intent_id}:{b.chain}:{b.token}",
            FOREIGN,
            b.intent_id,
            f"Payment {b.intent_id} received "
            f"{_describe_mismatch(services, intents[b.intent_id], b)}. "
            "It is returned when the payment starts or ends; an operator can return it earlier.",
        )
        for b in balances
    ]


def _describe_mismatch(services: Services, intent: Intent, balance: AddressBalance) -> str:
    """Received and requested, such as `1.00 USDT instead of USDC`; chains where they differ."""
    source = intent.terms.source_chain
    denomination = get_denomination(services, balance.chain, balance.token)
    amount = format_units(balance.held, denomination.decimals, 2)
    received = f"{amount} {denomination.symbol}"
    if balance.chain == source:
        return f"{received} instead of {intent.asset_symbol}"
    received = f"{received} on {chain_name(services, balance.chain)}"
    return f"{received} instead of {intent.asset_symbol} on {chain_name(services, source)}"


def _find_excused(unit: UnitOfWork, alerts: Sequence[Alert], ids: Collection[int]) -> set[int]:
    """Intents that wait for inventory or gas, or that involve an unreachable or stale chain."""
    if not ids:
        return set()
    shortage_messages = {alert.message for alert in alerts if alert.kind in WAITING_KINDS}
    causes = ("unreachable:", "wrong_chain:", "stale:")
    unreachable = {alert.subject for alert in alerts if alert.key.startswith(causes)}
    waiting = {
        t.intent_id for t in unit.outbound_txs.list_unsettled(ids) if t.reason in shortage_messages
    }
    chains_of = {
        intent.id: {intent.terms.source_chain, intent.terms.destination_chain}
        for intent in unit.intents.get_many(ids).values()
    }
    return {i for i in ids if i in waiting or chains_of.get(i, set()) & unreachable}

"""Active alerts grouped by kind, with the payments and the amount at risk of each."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from crossway.domain.clients import Principal
from crossway.domain.outbound import OutboundTx, OutboundTxKind
from crossway.domain.owners import owner_of_subject
from crossway.domain.quotes import bridge_title
from crossway.domain.rebalancing import rebalancing_id
from crossway.domain.roles import Permission
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.operating.alerts import (
    MAX_ACTIVE_ALERTS,
    SEVERITY_ORDER,
    WAITING_KINDS,
    Severity,
    describe_kind,
    display_kind,
)
from crossway.usecases.operating.amounts_at_risk import AmountsAtRisk, Valuation
from crossway.usecases.pricing.price_snapshot import latest_prices
from crossway.usecases.ramps.order_unit_of_work import ALERT_KIND

MAX_HELD_UP = 5_000
_REFUND_KINDS = (OutboundTxKind.REFUND, OutboundTxKind.RETURN_EXCESS)
# The kinds of alerts whose subject is an intent.
_INTENT_KINDS = frozenset(
    {"refund", "transfer", "stuck", "claim", "reorg", "foreign", "engine", "unexplained", "signing"}
    | {"coordinator", "delayed", "long_delay", "halted", "parked", "unfilled", "repeated"}
    | {"funding_overdue", "funding_refused"}
)
# Kinds that are left out when another alert of the same payment names the cause, and those that a
# worse one of the same payment replaces.
_SECONDARY_KINDS = ("stuck", "foreign")
_REPLACED_KINDS = ("delayed", "unfilled")


@dataclass(frozen=True, slots=True)
class AlertContext:
    """An alert and what it concerns: an intent, a ramp order, a webhook, a rebalancing transfer, or
    a chain and a token.
    `payments` is the number of payments it holds up, `micro_usd` the amount at risk."""

    alert: Alert
    kind: str
    micro_usd: int = 0
    payments: int = 0
    intent_id: int | None = None
    order_id: int | None = None
    webhook_id: int | None = None
    rebalancing_id: int | None = None
    chain: str = ""
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class AlertGroup:
    """Alerts of one kind, ordered by amount at risk and then by age."""

    kind: str
    severity: Severity
    title: str
    contexts: tuple[AlertContext, ...]

    @property
    def micro_usd(self) -> int:
        """The amount at risk."""
        return sum(context.micro_usd for context in self.contexts)

    @property
    def since(self) -> datetime:
        """When the oldest alert was raised."""
        return min(context.alert.since for context in self.contexts)


def list_alert_groups(services: Services, caller: Principal) -> list[AlertGroup]:
    """All active alerts, grouped and ordered by severity, amount at risk and age. Acknowledged
    alerts stay until they are resolved."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        alerts = unit.alerts.list_active(limit=MAX_ACTIVE_ALERTS)
    if not alerts:
        return []
    # Before the transaction: the price source may take its time.
    valuation = Valuation(services.catalogue, latest_prices(services))
    with services.store.read() as unit:
        held_up = _find_held_up(unit, alerts)
        contexts = _find_contexts(unit, alerts)
        contexts = _value_contexts(unit, valuation, contexts, held_up)
    return _group(contexts)


def list_contexts(unit: UnitOfWork, alerts: Sequence[Alert]) -> list[AlertContext]:
    """These alerts in the order of their groups, without amounts and without those that only repeat
    another alert's cause."""
    groups = _group(_find_contexts(unit, alerts))
    return [context for group in groups for context in group.contexts]


def _find_contexts(unit: UnitOfWork, alerts: Sequence[Alert]) -> list[AlertContext]:
    return _with_refunds(unit, _drop_redundant([_to_context(alert) for alert in alerts]))


def _value_contexts(
    unit: UnitOfWork,
    valuation: Valuation,
    contexts: Sequence[AlertContext],
    held_up: Mapping[str, Sequence[OutboundTx]],
) -> list[AlertContext]:
    """The contexts with how many payments each holds up, and the amount at risk."""
    owners = {c.intent_id for c in contexts if c.intent_id is not None}
    owners |= {-c.rebalancing_id for c in contexts if c.rebalancing_id is not None}
    amounts = AmountsAtRisk(unit, valuation, owners, [t for txs in held_up.values() for t in txs])
    valued = []
    for context in contexts:
        waiting = held_up.get(context.alert.message, ())
        micro_usd = amounts.micro_usd(context.alert, context.kind, waiting)
        payments = len({tx.intent_id for tx in waiting})
        valued.append(replace(context, micro_usd=micro_usd, payments=payments))
    return valued


def _group(contexts: Sequence[AlertContext]) -> list[AlertGroup]:
    groups: dict[str, list[AlertContext]] = defaultdict(list)
    for context in contexts:
        groups[context.kind].append(context)
    result = [_to_group(kind, group_contexts) for kind, group_contexts in groups.items()]
    return sorted(
        result,
        key=lambda group: (SEVERITY_ORDER.index(group.severity), -group.micro_usd, group.since),
    )


def _find_held_up(unit: UnitOfWork, alerts: Sequence[Alert]) -> Mapping[str, Sequence[OutboundTx]]:
    """By alert message, the outbound transactions that have it as the reason of their wait."""
    messages = {alert.message for alert in alerts if alert.kind in WAITING_KINDS}
    by_message: dict[str, list[OutboundTx]] = defaultdict(list)
    for tx in unit.outbound_txs.list_needing_attention(MAX_HELD_UP) if messages else ():
        if tx.reason in messages:
            by_message[tx.reason].append(tx)
    return by_message


def _to_context(alert: Alert) -> AlertContext:
    kind, number = display_kind(alert), int(alert.subject) if alert.subject.isdigit() else None
    if kind == ALERT_KIND:
        return AlertContext(alert, kind, order_id=number)
    if kind == "webhook":
        return AlertContext(alert, kind, webhook_id=_trailing_number(alert.key))
    if alert.subject.startswith("rebalancing:"):
        owner = owner_of_subject(alert.subject)
        return AlertContext(alert, kind, rebalancing_id=rebalancing_id(owner))
    if kind in _INTENT_KINDS:
        order_id = number if alert.key.startswith("record:order:") else None
        return AlertContext(alert, kind, order_id=order_id, intent_id=None if order_id else number)
    chain, _, symbol = alert.subject.partition(":") if kind != "price" else ("", "", alert.subject)
    if kind == "bridge":
        chain, symbol = symbol, bridge_title(chain)
    return AlertContext(alert, kind, chain=chain, symbol=symbol)


def _trailing_number(key: str) -> int | None:
    number = key.rpartition(":")[2]
    return int(number) if number.isdigit() else None


def _drop_redundant(contexts: Sequence[AlertContext]) -> list[AlertContext]:
    """Drop alerts whose cause another alert names: "chain lagging" for a chain that does not
    respond, "payment overdue" for a payment with a failed transaction, "delayed" for one that has
    been so for a day."""
    unresponsive = {c.chain for c in contexts if c.kind in ("chain", "wrong_chain")}
    explained_ids = {
        context.intent_id
        for context in contexts
        if context.kind not in _SECONDARY_KINDS and context.intent_id is not None
    }
    long_delayed = {context.intent_id for context in contexts if context.kind == "long_delay"}
    return [
        context
        for context in contexts
        if not (context.kind == "node" and context.chain in unresponsive)
        and not (context.kind in _REPLACED_KINDS and context.intent_id in long_delayed)
        and not (context.kind in _SECONDARY_KINDS and context.intent_id in explained_ids)
    ]


def _with_refunds(unit: UnitOfWork, contexts: Sequence[AlertContext]) -> list[AlertContext]:
    """Give failed refunds a kind of their own."""
    failed = [
        context
        for context in contexts
        if context.kind == "transfer" and context.intent_id is not None
    ]
    txs = (
        unit.outbound_txs.list_unsettled(
            {context.intent_id for context in failed if context.intent_id}
        )
        if failed
        else []
    )
    refund_keys = {f"transfer:{t.id}" for t in txs if t.kind in _REFUND_KINDS}
    return [
        _with_kind(context, "refund") if context.alert.key in refund_keys else context
        for context in contexts
    ]


def _with_kind(context: AlertContext, kind: str) -> AlertContext:
    return replace(context, kind=kind)


def _to_group(kind: str, contexts: Sequence[AlertContext]) -> AlertGroup:
    info = describe_kind(kind)
    ordered = sorted(
        contexts, key=lambda context: (-context.micro_usd, context.alert.since, context.alert.key)
    )
    title = info.title if len(contexts) == 1 else info.plural_title
    return AlertGroup(kind, info.severity, title, tuple(ordered))

"""Alerts: their severity and titles, acknowledging and resolving them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus, MissingInput
from crossway.domain.roles import Permission
from crossway.ports.alert_repository import AlertFilter, ResolvedAlert
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork

MAX_ACTIVE_ALERTS = 1_000
MAX_PAGE_SIZE = 100
MAX_NOTE_CHARACTERS = 500


class Severity(StrEnum):
    """How urgent an alert is."""

    CRITICAL = "critical"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class AlertKind:
    """The severity and titles of a kind of alert. Alerts that are `resolved_manually` stay active
    until a person resolves them, the others until their cause is gone."""

    severity: Severity
    title: str
    plural_title: str
    resolved_manually: bool = False


_C, _W, _N = Severity.CRITICAL, Severity.WARNING, Severity.NOTICE
KINDS: Final[Mapping[str, AlertKind]] = MappingProxyType(
    {
        "stop": AlertKind(_C, "All outgoing money is stopped", "All outgoing money is stopped"),
        "refund": AlertKind(_C, "Refund failed", "Refunds failed"),
        "outside": AlertKind(
            _C, "Unbooked transaction", "Unbooked transactions",
            resolved_manually=True,
        ),
        "reconcile": AlertKind(_C, "Books and chains differ", "Books and chains differ"),
        "lost_commits": AlertKind(
            _C, "Database lost commits", "Database lost commits", resolved_manually=True
        ),
        "stock": AlertKind(_C, "Low inventory", "Low inventory"),
        "nonce": AlertKind(
            _C, "Transactions blocked by a nonce", "Transactions blocked by nonces"
        ),
        "gas": AlertKind(_C, "Relayer out of gas", "Relayer out of gas"),
        "price": AlertKind(_C, "Price not usable", "Prices not usable"),
        "returns": AlertKind(_C, "Returns wait for their allowance", "Returns wait for allowances"),
        "signer": AlertKind(_C, "Signer not responding", "Signers not responding"),
        "signing": AlertKind(_C, "Signature refused", "Signatures refused"),
        "agent": AlertKind(
            _C, "Relayer is not the coordinator's agent", "Relayers are not agents of coordinators"
        ),
        "coordinator": AlertKind(
            _C, "Refund waits for the coordinator", "Refunds wait for the coordinator"
        ),
        "halted": AlertKind(
            _C, "Bridge contradicts the chain", "Bridge contradicts the chain"
        ),
        "parked": AlertKind(_C, "Recipient cannot be paid", "Recipients cannot be paid"),
        "long_delay": AlertKind(
            _C, "Bridge transfer delayed for a day", "Bridge transfers delayed for a day"
        ),
        "bridge": AlertKind(_C, "Bridge takes no transactions", "Bridges take no transactions"),
        "transfer": AlertKind(_C, "Transaction failed", "Transactions failed"),
        "signatures": AlertKind(
            _W, "No payers' signatures on a chain", "No payers' signatures on chains",
            resolved_manually=True,
        ),
        "engine": AlertKind(_C, "Crossway component failing", "Crossway components failing"),
        "stuck": AlertKind(_C, "Payment overdue", "Payments overdue"),
        "forged": AlertKind(
            _C, "Node reported a deposit that does not exist",
            "Nodes reported deposits that do not exist",
        ),
        "unexplained": AlertKind(_W, "Deposit without a transfer", "Deposits without a transfer"),
        "doubted": AlertKind(_W, "Node contradicts the others", "Nodes contradict the others"),
        "chain": AlertKind(_W, "Chain not responding", "Chains not responding"),
        "wrong_chain": AlertKind(_W, "Node serves another chain", "Nodes serve another chain"),
        "node": AlertKind(_W, "Chain lagging", "Chains lagging"),
        "delayed": AlertKind(_W, "Bridge transfer delayed", "Bridge transfers delayed"),
        "unified": AlertKind(_C, "Low unified balance", "Low unified balances"),
        "funding_refused": AlertKind(
            _W, "Bridge does not move inventory", "Bridges do not move inventory",
            resolved_manually=True,
        ),
        "funding_overdue": AlertKind(
            _W, "Inventory transfer overdue", "Inventory transfers overdue"
        ),
        "unserved": AlertKind(
            _W, "Inventory is not refilled", "Inventory is not refilled"
        ),
        "unfilled": AlertKind(
            _W, "Bridge transfer not filled in time", "Bridge transfers not filled in time"
        ),
        "repeated": AlertKind(
            _W, "Money arrived a second time", "Money arrived a second time",
            resolved_manually=True,
        ),
        "claim": AlertKind(_W, "Repayment from escrow overdue", "Repayments from escrow overdue"),
        "ramp": AlertKind(_W, "Ramp order needs attention", "Ramp orders need attention"),
        "provider": AlertKind(_W, "Ramp provider not responding", "Ramp providers not responding"),
        "webhook": AlertKind(_W, "Webhook not delivering", "Webhooks not delivering"),
        "mail_server": AlertKind(
            _W, "Mail server takes no mails", "Mail servers take no mails"
        ),
        "mail": AlertKind(_W, "Mail not sent", "Mails not sent", resolved_manually=True),
        "reorg": AlertKind(_W, "Transaction reorganized", "Transactions reorganized"),
        "opening": AlertKind(
            _W, "Opening balances not recorded", "Opening balances not recorded"
        ),
        "address": AlertKind(_N, "New address for transfers", "New addresses for transfers"),
        "approval": AlertKind(_N, "Approval needed", "Approvals needed"),
        "loss": AlertKind(_W, "Route runs at a loss", "Routes run at a loss"),
        "taken_in": AlertKind(
            _N, "Opening balances taken in", "Opening balances taken in", resolved_manually=True
        ),
        "foreign": AlertKind(_N, "Unexpected deposit", "Unexpected deposits"),
    }
)  # fmt: skip
# Kinds whose alert has the same message as the transactions that wait for their cause to go.
WAITING_KINDS: Final = (
    "stock",
    "unified",
    "gas",
    "price",
    "returns",
    "agent",
    "coordinator",
    "bridge",
)
SEVERITY_ORDER: Final = tuple(Severity)


@dataclass(frozen=True, slots=True)
class AlertSummary:
    """The number of alerts by severity that nobody has acknowledged or snoozed, the newest of the
    most severe, and the numbers of active alerts that were acknowledged, and that are snoozed."""

    counts: Mapping[Severity, int]
    newest: Alert | None
    acknowledged: int
    snoozed: int


def display_kind(alert: Alert) -> str:
    """The kind under which an alert is shown; alerts about what nodes report have their own."""
    source = alert.key.partition(":")[0]
    if source == "disputed":
        return "doubted"
    return source if source in ("forged", "doubted") else alert.kind


def describe_kind(kind: str) -> AlertKind:
    """The severity and titles of a kind; an unknown kind is titled by its name."""
    title = kind.replace("_", " ").replace("-", " ").capitalize()
    return KINDS.get(kind) or AlertKind(Severity.WARNING, title, title)


def list_active_alerts(services: Services, caller: Principal) -> list[Alert]:
    """All active alerts, newest first."""
    caller.require_permission(Permission.VIEW)
    with services.store.read() as unit:
        return unit.alerts.list_active(limit=MAX_ACTIVE_ALERTS)


def summarize_alerts(alerts: Sequence[Alert], now: datetime) -> AlertSummary:
    """Summarize active alerts for the banner above every page."""
    awake = [alert for alert in alerts if not alert.is_snoozed(now)]
    unacknowledged = [alert for alert in awake if alert.acknowledged_at is None]
    severities = {
        alert.key: describe_kind(display_kind(alert)).severity for alert in unacknowledged
    }
    counts = {s: sum(1 for severity in severities.values() if severity is s) for s in Severity}
    most_severe = sorted(
        unacknowledged,
        # While nothing is signed, other alerts can wait.
        key=lambda a: (
            a.kind != "stop",
            SEVERITY_ORDER.index(severities[a.key]),
            _newest_first(a.since),
        ),
    )
    return AlertSummary(
        counts,
        most_severe[0] if most_severe else None,
        acknowledged=len(awake) - len(unacknowledged),
        snoozed=len(alerts) - len(awake),
    )


def acknowledge_alerts(
    services: Services, caller: Principal, keys: Collection[str], note: str
) -> int:
    """Acknowledge alerts with an optional note; audited. They leave the banner but stay listed
    until they are resolved. Returns how many were newly acknowledged."""
    caller.require_permission(Permission.OPERATE)
    note, now = _parse_note(note), services.clock.now()

    def work(unit: UnitOfWork) -> int:
        acknowledged_keys = unit.alerts.acknowledge(keys, caller.actor_name, note, now)
        if acknowledged_keys:
            _audit(unit, caller, "alerts acknowledged", acknowledged_keys, note, now)
        return len(acknowledged_keys)

    return services.store.write(work)


def resolve_alerts(services: Services, caller: Principal, keys: Collection[str], note: str) -> int:
    """Resolve alerts manually with a required note; audited. Raises `InvalidStatus` for alerts
    that resolve automatically. Returns how many were resolved."""
    caller.require_permission(Permission.OPERATE)
    note, now = _parse_note(note), services.clock.now()
    if not note:
        raise MissingInput("note is required: describe what was found, for the record")

    def work(unit: UnitOfWork) -> int:
        active = [a for a in unit.alerts.list_active(limit=MAX_ACTIVE_ALERTS) if a.key in set(keys)]
        if any(not describe_kind(display_kind(alert)).resolved_manually for alert in active):
            raise InvalidStatus("This alert resolves automatically when its cause is gone")
        resolved_keys = [alert.key for alert in active]
        unit.alerts.acknowledge(resolved_keys, caller.actor_name, note, now)
        unit.alerts.resolve(resolved_keys, now)
        if resolved_keys:
            _audit(unit, caller, "alerts resolved", resolved_keys, note, now)
        return len(resolved_keys)

    return services.store.write(work)


def list_resolved_alerts(
    services: Services, caller: Principal, alert_filter: AlertFilter, limit: int
) -> list[ResolvedAlert]:
    """A page of resolved alerts, newest first; continue with the last one's id as `before_id`."""
    caller.require_permission(Permission.VIEW)
    if not 1 <= limit <= MAX_PAGE_SIZE:
        raise InvalidInput(f"limit must be from 1 to {MAX_PAGE_SIZE}")
    with services.store.read() as unit:
        return unit.alerts.list_resolved(alert_filter, limit)


def _parse_note(note: str) -> str:
    note = note.strip()
    if len(note) > MAX_NOTE_CHARACTERS:
        raise InvalidInput(f"note must have at most {MAX_NOTE_CHARACTERS} characters")
    return note


def _audit(
    unit: UnitOfWork, caller: Principal, action: str, keys: Sequence[str], note: str, now: datetime
) -> None:
    detail = {"alerts": list(keys), "note": note}
    unit.audit_log.record(caller.actor_name, action, detail, now, f"alert:{keys[0]}")


def _newest_first(at: datetime) -> float:
    return -at.timestamp()

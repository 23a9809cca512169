"""Alerts on screen: the strip above every page, active alerts and resolved alerts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from crossway.dashboard.views.alert_triage import owner_cell, snoozed_badge
from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import format_duration, format_usd, to_millis
from crossway.dashboard.views.incidents import SEVERITIES, alerts_href, next_step
from crossway.dashboard.views.merchant_names import MERCHANT_COLUMN, name_cell
from crossway.domain.clients import Principal
from crossway.ports.alert_repository import AlertFilter, ResolvedAlert
from crossway.ports.services import Services
from crossway.usecases.operating import alerts as cases
from crossway.usecases.operating import incidents, merchants

ACTIVE_COLUMNS: Final = (
    Column("What", name="what"),
    Column("Why", name="why"),
    Column("Amount at risk", "right", wide=True, name="amount"),
    Column("Since", "right", name="since"),
    Column("Owner", name="owner"),
    Column("Merchant", wide=True, name=MERCHANT_COLUMN),
    Column("Next step", name="next"),
)
RESOLVED_COLUMNS: Final = (
    Column("What"),
    Column("Why"),
    Column("Raised", "right"),
    Column("Resolved", "right"),
    Column("Duration", "right"),
    Column("Owner"),
)
PAGE_SIZE: Final = 25
ACTIVE, RESOLVED = "Active", "Resolved"
ALL, ACKNOWLEDGED, UNACKNOWLEDGED = "All", "Acknowledged", "Unacknowledged"
ACKNOWLEDGEMENT: Final = {ALL: None, ACKNOWLEDGED: True, UNACKNOWLEDGED: False}


ActiveAlert = tuple[incidents.AlertGroup, incidents.AlertContext]


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of resolved alerts; `older_than` is the cursor of the next page."""

    rows: tuple[Row, ...]
    older_than: int | None


def build_strip(services: Services) -> dict[str, Any]:
    """The data of the alert strip: the number of unacknowledged alerts per severity, and the newest
    of the most severe ones with a link to its next step."""
    with services.store.read() as unit:
        alerts = unit.alerts.list_active(limit=cases.MAX_ACTIVE_ALERTS)
        # Alerts that another alert explains are not counted.
        contexts = incidents.list_contexts(unit, alerts) if alerts else []
    summary = cases.summarize_alerts([context.alert for context in contexts], services.clock.now())
    newest = next(
        (
            context
            for context in contexts
            if summary.newest and context.alert.key == summary.newest.key
        ),
        None,
    )
    counts = summary.counts.items()
    return {
        "href": alerts_href(),
        "aside": _describe_aside(summary),
        "counts": [_count_badge(SEVERITIES[of], number) for of, number in counts if number],
        "newest": None
        if newest is None
        else {
            "text": newest.alert.message,
            "href": next_step(newest).href,
            "next_step": next_step(newest).label,
            "at": to_millis(newest.alert.since),
        },
    }


def _describe_aside(summary: cases.AlertSummary) -> str:
    """The active alerts that the strip leaves out."""
    numbers = {"acknowledged": summary.acknowledged, "snoozed": summary.snoozed}
    return ", ".join(f"{number} {word}" for word, number in numbers.items() if number)


def _count_badge(severity: Badge, number: int) -> dict[str, Any]:
    plural = "s" if number != 1 and severity.text != "Critical" else ""
    text = f"{severity.text}{plural}"
    return {"n": number, "text": text, "color": severity.color, "icon": severity.icon}


def list_active(services: Services, caller: Principal, kind: str | None) -> Sequence[ActiveAlert]:
    """All active alerts, of one kind or all: the most severe first, snoozed ones last."""
    now = services.clock.now()
    found = [
        (group, context)
        for group in incidents.list_alert_groups(services, caller)
        if kind in (None, group.kind)
        for context in group.contexts
    ]
    return sorted(found, key=lambda one: one[1].alert.is_snoozed(now))


def build_active_rows(
    services: Services, found: Sequence[ActiveAlert], names: Mapping[str, str]
) -> tuple[Row, ...]:
    """Rows of these active alerts; `names` are those of merchants, of whom each may concern one."""
    now = services.clock.now()
    owners = merchants.find_clients(services, [context for _, context in found])
    return tuple(
        active_row(group, context, now, name_cell(names, owners.get(context.alert.key)))
        for group, context in found
    )


def active_row(
    group: incidents.AlertGroup, context: incidents.AlertContext, now: datetime, merchant: Cell
) -> Row:
    """An active alert, which leads to its next step; `merchant` is the one that it concerns."""
    alert, step = context.alert, next_step(context)
    severity = SEVERITIES[group.severity]
    return Row(
        key=alert.key,
        href=step.href,
        label=f"{alert.message} {step.label}",
        cells=(
            Cell(
                cases.describe_kind(group.kind).title,
                badges=(severity, *snoozed_badge(alert, now)),
            ),
            Cell(alert.message),
            Cell(f"≈ {format_usd(context.micro_usd)}", order=context.micro_usd)
            if context.micro_usd
            else Cell("–"),
            Cell(at=to_millis(alert.since)),
            owner_cell(alert),
            merchant,
            Cell(step.label),
        ),
    )


def unacknowledged(found: Sequence[ActiveAlert]) -> dict[str, str]:
    """Messages of those alerts that nobody has acknowledged, by key."""
    alerts = [context.alert for _, context in found]
    return {alert.key: alert.message for alert in alerts if alert.acknowledged_at is None}


def manually_resolvable(found: Sequence[ActiveAlert]) -> dict[str, str]:
    """Messages of those alerts that only a person can resolve, by key."""
    return {
        context.alert.key: context.alert.message
        for group, context in found
        if cases.describe_kind(group.kind).resolved_manually
    }


def load_resolved(
    services: Services,
    caller: Principal,
    kind: str | None,
    acknowledgement: str,
    before_id: int | None,
) -> ListPage:
    """One page of resolved alerts, newest first."""
    # Failed refunds are stored as failed transactions, forging nodes as failing nodes.
    stored = {"refund": "transfer", "forged": "node", "doubted": "node"}.get(kind or "", kind)
    alert_filter = AlertFilter(
        (stored,) if stored else (), ACKNOWLEDGEMENT.get(acknowledgement), before_id
    )
    alerts = cases.list_resolved_alerts(services, caller, alert_filter, PAGE_SIZE + 1)
    older = alerts[PAGE_SIZE - 1].id if len(alerts) > PAGE_SIZE else None
    return ListPage(tuple(_resolved_row(alert) for alert in alerts[:PAGE_SIZE]), older)


def _resolved_row(resolved: ResolvedAlert) -> Row:
    alert = resolved.alert
    kind = cases.describe_kind(cases.display_kind(alert))
    ended = alert.resolved_at or alert.last_seen_at
    severity = SEVERITIES[kind.severity]
    return Row(
        key=str(resolved.id),
        cells=(
            Cell(kind.title, badges=(Badge(severity.text, "gray", severity.icon),)),
            Cell(alert.message),
            Cell(at=to_millis(alert.since), as_="exact"),
            Cell(at=to_millis(ended), as_="exact"),
            Cell(format_duration((ended - alert.since).total_seconds())),
            owner_cell(alert),
        ),
    )


def list_kinds() -> Sequence[str]:
    """All kinds, the most severe first."""
    return sorted(
        cases.KINDS, key=lambda kind: cases.SEVERITY_ORDER.index(cases.KINDS[kind].severity)
    )


def kind_title(kind: str) -> str:
    """The display title of a kind, in the plural."""
    return cases.describe_kind(kind).plural_title

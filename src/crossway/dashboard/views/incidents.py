"""Active alerts grouped by cause, each with its next step and the page where it is taken."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import chain_name, format_usd, to_millis
from crossway.dashboard.views.links import (
    ACT_PARAM,
    LACK_PARAM,
    REDIRECT,
    chain_href,
    intent_href,
    on_either_end,
    order_href,
    page_href,
    payments_href,
    rebalancing_href,
    webhook_href,
)
from crossway.domain.catalogue import Catalogue
from crossway.domain.filters import ExceptionFlag, Filter, FilterField
from crossway.domain.intent import State
from crossway.domain.ramps import provider_name
from crossway.usecases.operating.alerts import Severity
from crossway.usecases.operating.incidents import AlertContext, AlertGroup

COLUMNS = (
    Column("What"),
    Column("Why"),
    Column("Amount at risk", "right", "Total value of the payments affected"),
    Column("Since", "right"),
    Column("Next step"),
)
MAX_ALERTS_PER_GROUP: Final = 4
SEVERITIES: Final[dict[Severity, Badge]] = {
    Severity.CRITICAL: Badge("Critical", "red", "error", "Funds are blocked or may be missing"),
    Severity.WARNING: Badge("Warning", "orange", "warning", "Something is not working as expected"),
    Severity.NOTICE: Badge("Notice", "blue", "info", "Resolves on its own, or can wait"),
}


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do, and the page where it is done."""

    label: str
    href: str


NEXT_STEPS: Final[dict[str, NextStep]] = {
    "stock": NextStep("Add inventory: Treasury", page_href("treasury")),
    "stop": NextStep("Release it with a second person: Treasury", page_href("treasury")),
    "approval": NextStep("Approve or decline it: Treasury", page_href("treasury")),
    "address": NextStep("Remove it if nobody knows it: Treasury", page_href("treasury")),
    "unified": NextStep("See the unified balance: Treasury", page_href("treasury")),
    "unserved": NextStep("See its policy and limits: Treasury", page_href("treasury")),
    "gas": NextStep("Top up gas: Chains", page_href("chains")),
    "price": NextStep("See open payments by token: Treasury", page_href("treasury")),
    "returns": NextStep("See the payments that wait: Payments", page_href("intents")),
    "outside": NextStep("Reconcile books and chains: Reconcile", page_href("reconcile")),
    "reconcile": NextStep("Review all differences: Reconcile", page_href("reconcile")),
    "nonce": NextStep("Check its node: Chains", page_href("chains")),
    "lost_commits": NextStep("Compare books and chains: Reconcile", page_href("reconcile")),
    "opening": NextStep("Record the opening balances: Reconcile", page_href("reconcile")),
    "loss": NextStep("See what it costs: Profit and loss", page_href("profit")),
    "taken_in": NextStep("Compare them with what you brought: Reconcile", page_href("reconcile")),
    "wrong_chain": NextStep("Correct its node's URL: Chains", page_href("chains")),
    "chain": NextStep("Check its node or disable the chain: Chains", page_href("chains")),
    "node": NextStep("Check its node: Chains", page_href("chains")),
    "doubted": NextStep("Check its node: Chains", page_href("chains")),
    "forged": NextStep("Disable the chain: Chains", page_href("chains")),
    "bridge": NextStep("See what waits: Payments", page_href("intents")),
    "agent": NextStep("See what waits: Payments", page_href("intents")),
    "signer": NextStep("See what waits: Payments", page_href("intents")),
    "provider": NextStep("Review its orders: Ramp orders", page_href("ramp_orders")),
}
_PAYMENT_NEXT_STEPS: Final[dict[str, str]] = {
    "refund": "Retry, or refund to another address",
    "transfer": "See the reason and refund",
    "signing": "Compare it with its terms",
    "coordinator": "See what the coordinator signs",
    "stuck": "See who acts next",
    "claim": "See what waits in escrow",
    "delayed": "See what it waits for",
    "long_delay": "See what it waits for",
    "halted": "Compare what was sent with what is attested",
    "parked": "See who may release it",
    "unfilled": "See when it is refunded",
    "funding_overdue": "See what it waits for",
    "funding_refused": "See what the bridge says",
    "repeated": "See what arrived",
    "foreign": "Return the deposit",
    "unexplained": "Check its refund",
    "reorg": "Check its status",
}


_STANDING: Final = "standing:"
_BLOCKED: Final = Filter(FilterField.EXCEPTION, (ExceptionFlag.STUCK.value,))
_IN_PROGRESS: Final = Filter(FilterField.STATE, (State.FUNDED.value, State.INITIATED.value))


def next_step(context: AlertContext) -> NextStep:
    """The next step for one alert, and the page where it is taken."""
    if context.order_id is not None:
        return NextStep(f"View order {context.order_id}", order_href(context.order_id))
    if context.webhook_id is not None:
        return NextStep("Resend what it missed: Webhook", webhook_href(context.webhook_id))
    if context.intent_id is not None:
        label = _PAYMENT_NEXT_STEPS.get(context.kind, "See what happened")
        # The dialog that sends a refused refund elsewhere is open when the page is.
        query = {ACT_PARAM: REDIRECT} if context.kind == "refund" else {}
        href = intent_href(context.intent_id, **query)
        return NextStep(f"{label}: payment #{context.intent_id}", href)
    if (number := context.rebalancing_id) is not None:
        what = "Approve or decline it" if context.kind == "approval" else "See how far it is"
        return NextStep(f"{what}: rebalancing #{number}", rebalancing_href(number))
    if context.alert.subject.startswith(_STANDING):
        label = f"See what came to the address: {_standing_deposit(context)}"
        return NextStep(label, page_href("standing_addresses"))
    step = NEXT_STEPS.get(context.kind) or NextStep("See the alert", alerts_href(context.kind))
    return replace(step, href=_focused_href(context, step.href))


def _focused_href(context: AlertContext, page: str) -> str:
    """The page with what the alert is about: the chain, its payments, or the token that lacks."""
    if page == "chains" and context.chain:
        return chain_href(context.chain)
    if page == "intents" and context.kind == "bridge":
        bridge, _, _ = context.alert.subject.partition(":")
        return payments_href(_BLOCKED, Filter(FilterField.BRIDGE, (bridge,)))
    if page == "intents" and context.chain:
        which = _IN_PROGRESS if context.kind == "signer" else _BLOCKED
        return payments_href(which, any_of=on_either_end(context.chain))
    if page == "treasury" and context.kind == "stock":
        return page_href("treasury", **{LACK_PARAM: f"{context.chain}:{context.symbol}"})
    return page


def alerts_href(kind: str = "") -> str:
    """The link to the alerts page, filtered by kind if given."""
    return page_href("alerts", kind=kind) if kind else page_href("alerts")


def build_rows(catalogue: Catalogue, groups: Sequence[AlertGroup]) -> tuple[Row, ...]:
    """Table rows: a group with one alert is one row; a larger group is a heading row followed by
    its most urgent alerts and links to the rest."""
    rows: list[Row] = []
    for group in groups:
        if len(group.contexts) > 1:
            rows.append(_group_row(group))
        rows += [
            _alert_row(catalogue, group, context)
            for context in group.contexts[:MAX_ALERTS_PER_GROUP]
        ]
    return tuple(rows)


def _group_row(group: AlertGroup) -> Row:
    count = len(group.contexts)
    remaining = count - MAX_ALERTS_PER_GROUP
    label = f"See all {count}" if remaining > 0 else "See all"
    return Row(
        key=f"cause-{group.kind}",
        href=alerts_href(group.kind),
        label=f"{group.title}: {count}",
        marked=True,
        cells=(
            Cell(
                f"{count} × {group.title}", badges=(_severity_badge(group.severity),), tone="strong"
            ),
            Cell(f"and {remaining} more" if remaining > 0 else ""),
            Cell(_format_amount_at_risk(group.micro_usd), tone="strong"),
            Cell(at=to_millis(group.since)),
            Cell(f"{label}: Alerts"),
        ),
    )


def _alert_row(catalogue: Catalogue, group: AlertGroup, context: AlertContext) -> Row:
    step, single = next_step(context), len(group.contexts) == 1
    alert = context.alert
    badges = (_severity_badge(group.severity),) if single else ()
    return Row(
        key=alert.key,
        href=step.href,
        label=f"{group.title}: {alert.message} {step.label}",
        cells=(
            Cell(group.title if single else _subject(catalogue, context), badges=badges),
            Cell(alert.message, sub=_impact_and_owner(context)),
            Cell(_format_amount_at_risk(context.micro_usd)),
            Cell(at=to_millis(alert.since)),
            Cell(step.label),
        ),
    )


def _standing_deposit(context: AlertContext) -> str:
    return f"standing deposit #{context.alert.subject.removeprefix(_STANDING)}"


def _subject(catalogue: Catalogue, context: AlertContext) -> str:
    if context.order_id is not None:
        return f"Order {context.order_id}"
    if context.intent_id is not None:
        return f"Payment #{context.intent_id}"
    if context.rebalancing_id is not None:
        return f"Rebalancing #{context.rebalancing_id}"
    if context.alert.subject.startswith(_STANDING):
        return _standing_deposit(context).capitalize()
    if context.chain not in catalogue.chains:
        # The subject is a provider, a component of Crossway or a webhook.
        return provider_name(context.chain) if context.kind == "provider" else context.alert.subject
    chain = chain_name(catalogue, context.chain)
    return f"{context.symbol} on {chain}" if context.symbol else chain


def _impact_and_owner(context: AlertContext) -> str:
    """How many payments are blocked, and who owns the alert."""
    count, owner = context.payments, context.alert.owner
    blocked = f"Blocks {count} payment{'' if count == 1 else 's'}." if count else ""
    return " ".join(part for part in (blocked, f"Owner: {owner}." if owner else "") if part)


def _severity_badge(severity: Severity) -> Badge:
    return SEVERITIES[severity]


def _format_amount_at_risk(micro_usd: int) -> str:
    return f"≈ {format_usd(micro_usd)}" if micro_usd else "–"

"""What needs a person in words, each with the screen where its remedy is."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from crossway.dashboard.views.cells import Cell, Chip, Color, Column, Row
from crossway.dashboard.views.figures import chain_name, millis, usd
from crossway.dashboard.views.links import intent_href, link, order_href, webhook_href
from crossway.domain.catalogue import Catalogue
from crossway.domain.ramps import provider_name
from crossway.usecases.operating.alarms import Severity
from crossway.usecases.operating.attention import Cause, Matter

COLUMNS = (
    Column("What"),
    Column("Why"),
    Column("Money", "right", "What the payments that hang on it are worth"),
    Column("Since", "right"),
    Column("Remedy"),
)
MOST_OF_A_CAUSE: Final = 4
SEVERITIES: Final[dict[Severity, Chip]] = {
    Severity.CRITICAL: Chip("Critical", "red", "error", "Money waits or may be missing"),
    Severity.WARNING: Chip("Warning", "orange", "warning", "Something does not go as it should"),
    Severity.NOTICE: Chip("Notice", "blue", "info", "It will end by itself, or can wait"),
}


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to do, and the screen where it is done."""

    label: str
    href: str


_OF_PLACES: Final[dict[str, Remedy]] = {
    "stock": Remedy("Refill the stock: Treasury", link("treasury")),
    "gas": Remedy("Send gas money: Chains", link("chains")),
    "outside": Remedy("Compare books and chains: Reconcile", link("reconcile")),
    "reconcile": Remedy("See every difference: Reconcile", link("reconcile")),
    "chain": Remedy("Look at its node, or switch it off: Chains", link("chains")),
    "node": Remedy("Look at its node: Chains", link("chains")),
    "forged": Remedy("Switch the chain off: Chains", link("chains")),
    "provider": Remedy("Look at its orders: Ramp orders", link("ramp_orders")),
}
_OF_PAYMENTS: Final[dict[str, str]] = {
    "refund": "Send it to another address, or try again",
    "transfer": "See why, and refund it",
    "stuck": "See who acts next",
    "claim": "See what the bridge owes",
    "foreign": "Return it",
    "reorg": "See where it stands",
}


def remedy(matter: Matter) -> Remedy:
    """What to do about one thing, and where."""
    if matter.order_id is not None:
        return Remedy(f"Open order {matter.order_id}", order_href(matter.order_id))
    if matter.webhook_id is not None:
        return Remedy("Switch it on again: Webhook", webhook_href(matter.webhook_id))
    if matter.intent_id is not None:
        words = _OF_PAYMENTS.get(matter.kind, "See what happened")
        return Remedy(f"{words}: payment #{matter.intent_id}", intent_href(matter.intent_id))
    return _OF_PLACES.get(matter.kind) or Remedy("See the alarm", alarms_href(matter.kind))


def alarms_href(kind: str = "") -> str:
    """The list of alarms, all or those of a kind."""
    return link("alarms", kind=kind) if kind else link("alarms")


def rows(catalogue: Catalogue, causes: Sequence[Cause]) -> tuple[Row, ...]:
    """One line for a cause of one thing; a cause of many has a line of its own above its most
    pressing ones, and says where the rest is."""
    found: list[Row] = []
    for cause in causes:
        if len(cause.matters) > 1:
            found.append(_head(cause))
        found += [_line(catalogue, cause, matter) for matter in cause.matters[:MOST_OF_A_CAUSE]]
    return tuple(found)


def _head(cause: Cause) -> Row:
    number = len(cause.matters)
    rest = number - MOST_OF_A_CAUSE
    words = f"See all {number}" if rest > 0 else "See them together"
    return Row(
        key=f"cause-{cause.kind}",
        href=alarms_href(cause.kind),
        label=f"{cause.title}: {number}",
        marked=True,
        cells=(
            Cell(f"{number} × {cause.title}", chips=(_chip(cause.severity),), tone="strong"),
            Cell(f"and {rest} more" if rest > 0 else ""),
            Cell(_money(cause.micro_usd), tone="strong"),
            Cell(at=millis(cause.since)),
            Cell(f"{words}: Alarms"),
        ),
    )


def _line(catalogue: Catalogue, cause: Cause, matter: Matter) -> Row:
    way, alone = remedy(matter), len(cause.matters) == 1
    alarm = matter.alarm
    chips = (_chip(cause.severity),) if alone else ()
    return Row(
        key=alarm.key,
        href=way.href,
        label=f"{cause.title}: {alarm.message} {way.label}",
        cells=(
            Cell(cause.title if alone else _subject(catalogue, matter), chips=chips),
            Cell(alarm.message, sub=_notes(matter)),
            Cell(_money(matter.micro_usd)),
            Cell(at=millis(alarm.since)),
            Cell(way.label),
        ),
    )


def _subject(catalogue: Catalogue, matter: Matter) -> str:
    if matter.order_id is not None:
        return f"Order {matter.order_id}"
    if matter.intent_id is not None:
        return f"Payment #{matter.intent_id}"
    if matter.chain not in catalogue.chains:
        # A provider, a part of Crossway, or a webhook.
        return provider_name(matter.chain) if matter.kind == "provider" else matter.alarm.subject
    where = chain_name(catalogue, matter.chain)
    return f"{matter.symbol} on {where}" if matter.symbol else where


def _notes(matter: Matter) -> str:
    """How many payments wait for it, and who looks after it."""
    number, who = matter.payments, matter.alarm.acknowledged_by
    waits = f"Holds up {number} payment{'' if number == 1 else 's'}." if number else ""
    return " ".join(part for part in (waits, f"{who} looks after it." if who else "") if part)


def _chip(severity: Severity) -> Chip:
    return SEVERITIES[severity]


def _money(micro_usd: int) -> str:
    return f"≈ {usd(micro_usd)}" if micro_usd else "–"


def color(severity: Severity) -> Color:
    """The colour of a severity."""
    return SEVERITIES[severity].color

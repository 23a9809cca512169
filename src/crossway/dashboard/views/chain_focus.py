"""One chain on top of the Chains page: its active alerts and the payments that are under way."""

from dataclasses import dataclass, replace
from typing import Final

from crossway.dashboard.views import intents
from crossway.dashboard.views.cells import Cell, Column, Row
from crossway.dashboard.views.formatting import to_millis
from crossway.dashboard.views.incidents import SEVERITIES
from crossway.dashboard.views.links import on_either_end, payments_href
from crossway.domain.clients import Principal
from crossway.domain.filters import Filter, FilterField, FilterSet
from crossway.domain.intent import State
from crossway.ports.services import Services
from crossway.usecases.operating import alerts, incidents

ALERT_COLUMNS: Final = (Column("Alert"), Column("Why"), Column("Since", "right"))
MAX_PAYMENTS: Final = 10
_UNDER_WAY: Final = (State.FUNDED, State.INITIATED)


@dataclass(frozen=True, slots=True)
class PaymentsUnderWay:
    """The newest payments under way over a chain, their number in words, and the whole list."""

    rows: tuple[Row, ...]
    count: str
    href: str


def build_alert_rows(services: Services, caller: Principal, chain: str) -> tuple[Row, ...]:
    """Rows of the active alerts about a chain, the most severe first."""
    groups = incidents.list_alert_groups(services, caller)
    return tuple(
        Row(
            key=context.alert.key,
            cells=(
                Cell(alerts.describe_kind(group.kind).title, badges=(SEVERITIES[group.severity],)),
                Cell(context.alert.message),
                Cell(at=to_millis(context.alert.since)),
            ),
        )
        for group in groups
        for context in group.contexts
        if context.chain == chain
    )


def load_payments(services: Services, caller: Principal, chain: str) -> PaymentsUnderWay:
    """The funded and started payments from or to a chain, of both modes."""
    filters = FilterSet(
        (Filter(FilterField.STATE, tuple(state.value for state in _UNDER_WAY)),),
        on_either_end(chain),
    )
    page = intents.load_page(services, replace(caller, mode=None), filters, None)
    href = payments_href(*filters.all_of, any_of=filters.any_of)
    return PaymentsUnderWay(page.rows[:MAX_PAYMENTS], page.count, href)

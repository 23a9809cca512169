"""The response health of each bridge on screen."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.corridors import OFF
from crossway.dashboard.views.custody import label_custody
from crossway.dashboard.views.formatting import format_approx_usd, format_duration
from crossway.domain.quotes import bridge_title
from crossway.usecases.pricing.corridor_quotes import BridgeStatus, CorridorSummary

COLUMNS = (
    Column("Bridge"),
    Column("Custody", hint="Whom the payer trusts from start to payout"),
    Column("State"),
    Column("Responses", "right", "Successful requests of this process in the last hour"),
    Column("Errors", "right", "Failed requests in the last hour"),
    Column("Median latency", "right", "Half of the responses arrived within this time"),
    Column("p95 latency", "right", "95 % of the responses arrived within this time"),
    Column("Routes", "right"),
    Column("Last error"),
)


def build_rows(
    states: Sequence[BridgeStatus], corridors: Sequence[CorridorSummary]
) -> tuple[Row, ...]:
    """One row per bridge."""
    carried: dict[str, int] = defaultdict(int)
    for c in corridors:
        carried[c.route.bridge] += c.micro_usd
    return tuple(_row(state, carried) for state in states)


def _row(state: BridgeStatus, carried: Mapping[str, int]) -> Row:
    health = state.health
    badge = Badge("No data", "gray", "help", "No requests in the last hour")
    if state.off is not None:
        badge = OFF
    elif health.errors and not health.answers:
        badge = Badge("Down", "red", "error")
    elif health.errors * 20 > health.answers:
        badge = Badge("Degraded", "orange", "warning", "More than 5 % of the requests failed")
    elif health.answers:
        badge = Badge("Healthy", "green", "check_circle")
    ago = state.last_error_seconds_ago
    return Row(
        state.name,
        (
            Cell(bridge_title(state.name), sub=f"{format_approx_usd(carried[state.name])} volume"),
            Cell(label_custody(state.custody).capitalize()),
            Cell(badges=(badge,), sub=state.off.reason if state.off else ""),
            Cell(f"{health.answers:,}"),
            Cell(f"{health.errors:,}"),
            Cell(_format_latency(health.p50_seconds)),
            Cell(_format_latency(health.p95_seconds)),
            Cell(f"{state.routes:,}"),
            Cell(
                "–" if ago is None else health.last_error,
                sub="" if ago is None else f"{format_duration(ago)} ago",
            ),
        ),
    )


def _format_latency(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{seconds * 1_000:.3g} ms" if seconds < 1 else f"{seconds:.1f} s"

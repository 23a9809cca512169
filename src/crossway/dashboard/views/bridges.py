"""The response health of each bridge on screen."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.corridors import OFF
from crossway.dashboard.views.custody import label_custody
from crossway.dashboard.views.formatting import format_approx_usd, format_duration
from crossway.dashboard.views.marks import mark_bridge
from crossway.domain.quotes import BridgeName, bridge_title
from crossway.usecases.pricing.corridor_quotes import BridgeStatus, CorridorSummary

COLUMNS = (
    Column("Bridge"),
    Column("Custody", hint="Whom the payer trusts from start to payout"),
    Column("State"),
    Column("Responses", "right", "Quotes that this process got from its service in the last hour"),
    Column("Errors", "right", "Requests for quotes that failed in the last hour"),
    Column(
        "Latency",
        "right",
        "Median and p95 of these requests as measured, those answered from a cache included",
    ),
    Column(
        "Time to payout",
        "right",
        "Median and p95 from complete deposit to payout, of payments over it in the period above",
    ),
    Column("Routes", "right"),
    Column("Last error"),
)
_IN_PROCESS = "Answers from figures in this process: no service is asked, and none is measured"
MODEL = Badge("Model", "gray", "calculate", _IN_PROCESS)
OWN = Badge("Own inventory", "gray", "inventory_2", _IN_PROCESS)


def build_rows(
    states: Sequence[BridgeStatus], corridors: Sequence[CorridorSummary]
) -> tuple[Row, ...]:
    """One row per bridge."""
    carried: dict[str, int] = defaultdict(int)
    for c in corridors:
        carried[c.route.bridge] += c.micro_usd
    return tuple(_row(state, carried) for state in states)


def _describe_volume(micro_usd: int) -> str:
    return f"{format_approx_usd(micro_usd)} volume" if micro_usd else "no volume"


def _row(state: BridgeStatus, carried: Mapping[str, int]) -> Row:
    health, ago = state.health, state.last_error_seconds_ago
    measured = not state.in_process
    return Row(
        state.name,
        (
            Cell(
                bridge_title(state.name),
                sub=_describe_volume(carried[state.name]),
                marks=mark_bridge(state.name),
            ),
            Cell(label_custody(state.custody).capitalize()),
            Cell(badges=(state_badge(state),), sub=state.off.reason if state.off else ""),
            Cell(f"{health.answers:,}" if measured else "–"),
            Cell(f"{health.errors:,}" if measured else "–"),
            _quantiles_cell(_format_latency, health.p50_seconds, health.p95_seconds)
            if measured
            else Cell("–"),
            _quantiles_cell(format_duration, state.paid_p50_seconds, state.paid_p95_seconds),
            Cell(f"{state.routes:,}"),
            Cell(
                "–" if ago is None else health.last_error,
                sub="" if ago is None else f"{format_duration(ago)} ago",
            ),
        ),
    )


def state_badge(state: BridgeStatus) -> Badge:
    """The state of a bridge as this process measures it; red where nothing was answered."""
    health = state.health
    if state.off is not None:
        return OFF
    if state.in_process:
        return OWN if state.name == BridgeName.INVENTORY else MODEL
    if health.errors and not health.answers:
        return Badge("Down", "red", "error")
    if health.errors * 20 > health.answers:
        return Badge("Degraded", "orange", "warning", "More than 5% of the requests failed")
    if health.answers:
        return Badge("Healthy", "green", "check_circle")
    return Badge("No data", "gray", "help", "No requests in the last hour")


def _quantiles_cell(write: Callable[[float], str], p50: float | None, p95: float | None) -> Cell:
    """A median with its p95; a dash where nothing was measured."""
    if p50 is None or p95 is None:
        return Cell("–")
    return Cell(write(p50), sub=f"p95 {write(p95)}")


def _format_latency(seconds: float) -> str:
    return f"{seconds * 1_000:.3g} ms" if seconds < 1 else f"{seconds:.1f} s"

"""How each bridge answers, on screen."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.corridors import OFF
from crossway.dashboard.views.figures import about_usd, duration
from crossway.domain.quotes import bridge_title
from crossway.usecases.pricing.corridors import BridgeState, Corridor

COLUMNS = (
    Column("Bridge"),
    Column("State"),
    Column("Answers", "right", "To real questions of this process in the last hour"),
    Column("Failures", "right", "In the last hour"),
    Column("Usual latency", "right", "Half of the answers came within this time"),
    Column("Slowest 5 %", "right", "95 of 100 answers came within this time"),
    Column("Routes", "right"),
    Column("Last failure"),
)


def rows(states: Sequence[BridgeState], corridors: Sequence[Corridor]) -> tuple[Row, ...]:
    """How each bridge answers."""
    carried: dict[str, int] = defaultdict(int)
    for c in corridors:
        carried[c.route.bridge] += c.micro_usd
    return tuple(_bridge(state, carried) for state in states)


def _bridge(state: BridgeState, carried: Mapping[str, int]) -> Row:
    health = state.health
    chip = Chip("Not asked", "gray", "help", "No question in the last hour")
    if state.off is not None:
        chip = OFF
    elif health.errors and not health.answers:
        chip = Chip("Fails", "red", "error")
    elif health.errors * 20 > health.answers:
        chip = Chip("Unsteady", "orange", "warning", "More than 5 % of the answers failed")
    elif health.answers:
        chip = Chip("Well", "green", "check_circle")
    ago = state.last_error_seconds_ago
    return Row(
        state.name,
        (
            Cell(bridge_title(state.name), sub=f"{about_usd(carried[state.name])} carried"),
            Cell(chips=(chip,), sub=state.off.reason if state.off else ""),
            Cell(f"{health.answers:,}"),
            Cell(f"{health.errors:,}"),
            Cell(_latency(health.p50_seconds)),
            Cell(_latency(health.p95_seconds)),
            Cell(f"{state.routes:,}"),
            Cell("–" if ago is None else health.last_error,
                 sub="" if ago is None else f"{duration(ago)} ago"),
        ),
    )  # fmt: skip


def _latency(seconds: float | None) -> str:
    if seconds is None:
        return "–"
    return f"{seconds * 1_000:.3g} ms" if seconds < 1 else f"{seconds:.1f} s"

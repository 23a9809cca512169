"""The health of every chain and the next step where there is a problem."""

from collections.abc import Sequence

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import (
    chain_cell,
    format_duration,
    group_thousands,
)
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import format_units
from crossway.usecases.operating.overview import ChainStatus

COLUMNS = (
    Column("Chain"),
    Column("State"),
    Column("Height", "right", "Latest block, with the latest final block below"),
    Column("Lag", "right", "Age of the latest block"),
    Column(
        "Confirmations",
        "right",
        "Confirmations required for small, normal and large deposits",
        wide=True,
    ),
    Column("Node latency", "right", "Response time of the last request"),
    Column("Relayer's gas", "right", "Gas balance and the number of transactions it covers"),
    Column("Next step"),
)
FEW_TRANSACTIONS = 100
SLOW_MS = 1_000


def build_rows(
    catalogue: Catalogue, statuses: Sequence[ChainStatus], chosen: str | None = None
) -> tuple[Row, ...]:
    """Rows of all chains: the chosen one first, then those with problems, then disabled ones."""
    ordered = sorted(
        statuses,
        key=lambda one: (
            one.chain != chosen,
            not one.problem,
            not one.disabled_reason,
            not is_gas_low(one),
            one.chain,
        ),
    )
    return tuple(_row(catalogue, status, status.chain == chosen) for status in ordered)


def summarize(statuses: Sequence[ChainStatus]) -> str:
    """One sentence about the health of all chains."""
    unresponsive = sum(1 for status in statuses if status.height is None)
    with_problem = sum(1 for status in statuses if status.problem) - unresponsive
    off = sum(1 for status in statuses if status.disabled_reason)
    parts = [
        f"{number} {label}"
        for number, label in (
            (unresponsive, "not responding"),
            (with_problem, "with a problem"),
            (off, "disabled"),
        )
        if number
    ]
    return (
        f"{len(statuses)} chains: {', '.join(parts)}."
        if parts
        else f"All {len(statuses)} chains healthy."
    )


def _row(catalogue: Catalogue, status: ChainStatus, marked: bool) -> Row:
    chain = catalogue.chains.get(status.chain)
    depths = chain.confirmations if chain else None
    is_responding = status.height is not None
    return Row(
        key=status.chain,
        cells=(
            chain_cell(catalogue, status.chain),
            Cell(badges=_badges(status), sub=status.problem or status.disabled_reason),
            Cell(
                f"{status.height:,}" if status.height is not None else "–",
                sub=f"final {status.finalized:,}" if status.finalized is not None else "",
            ),
            Cell(
                "–" if status.lag_seconds is None else format_duration(max(status.lag_seconds, 0))
            ),
            Cell(f"{depths.fast} / {depths.normal} / {depths.large}" if depths else "–"),
            Cell(
                f"{status.response_ms:,} ms" if status.response_ms is not None else "–",
                tone="bad" if (status.response_ms or 0) > SLOW_MS else "",
            ),
            Cell(_format_gas(catalogue, status), sub=_format_runway(status)),
            Cell(_next_step(status, is_responding)),
        ),
        marked=marked,
    )


def _badges(status: ChainStatus) -> tuple[Badge, ...]:
    off = (Badge("Disabled", "gray", "power_off", "Not quoted and not used for new payments"),)
    if status.height is None:
        state = Badge("Not responding", "red", "error")
    elif status.problem:
        state = Badge("Problem", "orange", "warning")
    elif is_gas_low(status):
        state = Badge("Low gas", "yellow", "local_gas_station")
    else:
        state = Badge("Healthy", "green", "check_circle")
    return (state, *(off if status.disabled_reason else ()))


def is_gas_low(status: ChainStatus) -> bool:
    """Whether the relayer's gas pays for few more transactions."""
    return status.gas_runway is not None and status.gas_runway < FEW_TRANSACTIONS


def _format_gas(catalogue: Catalogue, status: ChainStatus) -> str:
    chain = catalogue.chains.get(status.chain)
    if chain is None or status.relayer_gas_units is None:
        return "–"
    units = format_units(status.relayer_gas_units, chain.native_decimals)
    short_balance = units[: units.find(".") + 5] if "." in units else units
    return f"{group_thousands(short_balance)} {chain.native_symbol}"


def _format_runway(status: ChainStatus) -> str:
    if status.gas_runway is None:
        return ""
    if status.gas_runway > 1_000_000:
        return "over 1,000,000 transactions"
    return f"{status.gas_runway:,} transaction{'' if status.gas_runway == 1 else 's'}"


def _next_step(status: ChainStatus, known: bool) -> str:
    if not known:
        return "Check its node. Payments are waiting; disable the chain below if this persists."
    if status.gas_runway == 0:
        return "Send gas to the relayer's address. Transactions wait until it arrives."
    if status.problem:
        return "Its node is behind. Compare it with a block explorer or use another node."
    if is_gas_low(status):
        return "Top up the relayer's gas soon."
    return "Enable it again below when the problem is solved." if status.disabled_reason else "–"

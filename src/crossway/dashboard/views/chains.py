"""The health of every chain and the next step where there is a problem."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import (
    chain_cell,
    chain_name,
    format_duration,
    group_thousands,
)
from crossway.dashboard.views.links import chain_href
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import format_units
from crossway.usecases.operating.overview import ChainProblem, ChainStatus

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


@dataclass(frozen=True, slots=True)
class _Problem:
    """How a problem is shown, and what is done about it."""

    badge: Badge
    next_step: str


PROBLEMS: Final[Mapping[ChainProblem, _Problem]] = MappingProxyType(
    {
        ChainProblem.SILENT: _Problem(
            Badge("Not responding", "red", "error", "None of its nodes answers"),
            "Check its node. Payments are waiting; disable the chain if this persists.",
        ),
        ChainProblem.WRONG_CHAIN: _Problem(
            Badge("Wrong chain", "red", "wrong_location", "A node serves another chain"),
            "Correct the URL of that node in the chain's profile. Nothing it says is believed.",
        ),
        ChainProblem.FORGED: _Problem(
            Badge("Forged deposits", "red", "gpp_bad", "A node reported what no block has"),
            "Disable the chain and replace the node that lies. Nothing of it was credited.",
        ),
        ChainProblem.CONTRADICTED: _Problem(
            Badge("Contradicted", "orange", "compare_arrows", "A node contradicts the others"),
            "Compare that node with a block explorer and replace it. The others are believed.",
        ),
        ChainProblem.LAGGING: _Problem(
            Badge("Lagging", "orange", "warning", "Its newest block is old"),
            "Its node is behind. Compare it with a block explorer or use another node.",
        ),
        ChainProblem.NO_GAS: _Problem(
            Badge("No gas", "red", "local_gas_station", "The relayer cannot pay a fee"),
            "Send gas to the relayer's address. Transactions wait until it arrives.",
        ),
    }
)


def build_rows(
    catalogue: Catalogue, statuses: Sequence[ChainStatus], first: str = ""
) -> tuple[Row, ...]:
    """Rows of all chains: the one asked for first, then those with problems and disabled ones."""
    ordered = sorted(
        statuses,
        key=lambda one: (
            one.chain != first,
            not one.problem,
            not one.disabled_reason,
            not is_gas_low(one),
            one.chain,
        ),
    )
    return tuple(_row(catalogue, status, status.chain == first) for status in ordered)


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
    return Row(
        key=status.chain,
        href=chain_href(status.chain),
        label=f"{chain_name(catalogue, status.chain)}: its alerts, payments and switch",
        marked=marked,
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
            Cell(_next_step(status)),
        ),
    )


def _badges(status: ChainStatus) -> tuple[Badge, ...]:
    off = (Badge("Disabled", "gray", "power_off", "Not quoted and not used for new payments"),)
    if status.cause is not ChainProblem.NONE:
        state = PROBLEMS[status.cause].badge
    elif is_gas_low(status):
        state = Badge("Low gas", "yellow", "local_gas_station")
    else:
        state = Badge("Healthy", "green", "check_circle")
    return (state, *(off if status.disabled_reason else ()))


def is_gas_low(status: ChainStatus) -> bool:
    """Whether the relayer's gas pays for only a few more transactions."""
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


def _next_step(status: ChainStatus) -> str:
    if status.cause is not ChainProblem.NONE:
        return PROBLEMS[status.cause].next_step
    if is_gas_low(status):
        return "Top up the relayer's gas soon."
    return "Enable it again below when the problem is solved." if status.disabled_reason else "–"

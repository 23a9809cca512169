"""How every chain stands, and what to do where something is wrong."""

from collections.abc import Sequence

from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.figures import chain_name, duration, grouped
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import format_units
from crossway.usecases.operating.operations import ChainStatus

COLUMNS = (
    Column("Chain"),
    Column("State"),
    Column("Height", "right", "The newest block, and below it the newest that is final"),
    Column("Behind", "right", "How old the newest block is by our clock"),
    Column(
        "Confirmations", "right",
        "Blocks that a deposit waits for: of small, of usual and of large worth", wide=True,
    ),
    Column("Node", "right", "How long its answer took just now"),
    Column("Relayer's gas", "right", "What it holds, and for how many transactions that is enough"),
    Column("What to do"),
)  # fmt: skip
FEW_TRANSACTIONS = 100
SLOW_MS = 1_000


def rows(catalogue: Catalogue, of: Sequence[ChainStatus]) -> tuple[Row, ...]:
    """Every chain at a glance, those with a problem first, then those that are off."""
    ordered = sorted(of, key=lambda one: (not one.problem, not one.off, not _low(one), one.chain))
    return tuple(_row(catalogue, status) for status in ordered)


def summary(of: Sequence[ChainStatus]) -> str:
    """One sentence about all of them."""
    silent = sum(1 for one in of if one.height is None)
    troubled = sum(1 for one in of if one.problem) - silent
    off = sum(1 for one in of if one.off)
    parts = [
        f"{number} {words}"
        for number, words in (
            (silent, "without an answer"),
            (troubled, "with a problem"),
            (off, "switched off"),
        )
        if number
    ]
    return f"{len(of)} chains: {', '.join(parts)}." if parts else f"All {len(of)} chains are well."


def _row(catalogue: Catalogue, status: ChainStatus) -> Row:
    chain = catalogue.chains.get(status.chain)
    depths = chain.confirmations if chain else None
    known = status.height is not None
    return Row(
        key=status.chain,
        cells=(
            Cell(chain_name(catalogue, status.chain)),
            Cell(chips=_chips(status), sub=status.problem or status.off),
            Cell(
                f"{status.height:,}" if status.height is not None else "–",
                sub=f"final {status.finalized:,}" if status.finalized is not None else "",
            ),
            Cell("–" if status.lag_seconds is None else duration(max(status.lag_seconds, 0))),
            Cell(f"{depths.fast} / {depths.normal} / {depths.large}" if depths else "–"),
            Cell(f"{status.answer_ms:,} ms" if status.answer_ms is not None else "–",
                 tone="bad" if (status.answer_ms or 0) > SLOW_MS else ""),
            Cell(_gas(catalogue, status), sub=_runway(status)),
            Cell(_remedy(status, known)),
        ),
    )  # fmt: skip


def _chips(status: ChainStatus) -> tuple[Chip, ...]:
    off = (Chip("Off", "gray", "power_off", "Not quoted and not used for new payments"),)
    if status.height is None:
        state = Chip("No answer", "red", "error")
    elif status.problem:
        state = Chip("Problem", "orange", "warning")
    elif _low(status):
        state = Chip("Gas is low", "yellow", "local_gas_station")
    else:
        state = Chip("Well", "green", "check_circle")
    return (state, *(off if status.off else ()))


def _low(status: ChainStatus) -> bool:
    return status.runway is not None and status.runway < FEW_TRANSACTIONS


def _gas(catalogue: Catalogue, status: ChainStatus) -> str:
    chain = catalogue.chains.get(status.chain)
    if chain is None or status.relayer_gas_units is None:
        return "–"
    units = format_units(status.relayer_gas_units, chain.native_decimals)
    brief = units[: units.find(".") + 5] if "." in units else units
    return f"{grouped(brief)} {chain.native_symbol}"


def _runway(status: ChainStatus) -> str:
    if status.runway is None:
        return ""
    if status.runway > 1_000_000:
        return "over a million transactions"
    return f"{status.runway:,} transaction{'' if status.runway == 1 else 's'}"


def _remedy(status: ChainStatus, known: bool) -> str:
    if not known:
        return "Look at its node. Payments wait; if it stays silent, switch the chain off below."
    if status.runway == 0:
        return "Send gas money to the relayer's address. Transactions wait until it is there."
    if status.problem:
        return "Its node is behind: compare it with an explorer, or switch to another node."
    if _low(status):
        return "Top up the relayer's gas soon."
    return "Switch it on again below when the reason is gone." if status.off else "–"

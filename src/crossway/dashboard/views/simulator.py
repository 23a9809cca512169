"""The simulator on screen: the clock, the chains' faults and the balances of an address."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from crossway.dashboard.views.bridge_sandbox import list_active_faults, list_bridges
from crossway.dashboard.views.cells import Cell, Column, Detail, Row
from crossway.dashboard.views.formatting import (
    amount_cell,
    chain_cell,
    chain_name,
    format_duration,
)
from crossway.dashboard.views.marks import mark_token
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.typed_amounts import parse_typed_amount
from crossway.ports.services import Services
from crossway.usecases.simulator.chain_controls import SimulatedBalance

HOLDING_COLUMNS = (Column("Chain"), Column("Token"), Column("Balance", "right"))
ACTIVE_FAULT_LABELS: Mapping[str, str] = {
    "outage_seconds": "Outage for",
    "drop_next": "Drops the next transactions",
    "revert_next": "Reverts the next transactions",
    "slow_blocks": "No new blocks for",
    "fee_factor": "Fees multiplied by",
    "lie": "Node behaviour",
    "refuse": "Addresses that reject transfers",
}
NODE_BEHAVIOURS: Mapping[str, str] = {
    "": "correct",
    "forged": "reports forged deposits",
    "chain_id": "wrong chain ID",
    "stale": "stale head",
    "missed_logs": "one of two nodes leaves out deposits",
    "no_logs": "no node reports deposits",
    "time_ahead": "one of two nodes reports a time a day ahead",
    "height_ahead": "one of two nodes reports a block far ahead",
}
FAULT_LABELS: Mapping[str, str] = {
    "outageSeconds": "Outage for … seconds",
    "reorgDepth": "Reorganize the last … blocks",
    "dropNext": "Drop the next … transactions",
    "revertNext": "Revert the next … transactions",
    "slowBlocks": "Skip the next … blocks",
    "feeFactor": "Multiply fees by …",
    "takeNonce": "Use up the relayer's next nonce",
    "lie": "Node behaviour",
    "refuse": "Addresses that reject transfers",
    "accept": "Addresses that accept transfers again",
}


@dataclass(frozen=True, slots=True)
class ClockState:
    """The service's time, its offset from the system clock, and whether it is frozen."""

    now: datetime
    ahead: timedelta
    frozen: bool

    @property
    def is_adjusted(self) -> bool:
        """Whether it differs from the system clock."""
        return self.frozen or abs(self.ahead.total_seconds()) >= 1

    @property
    def description(self) -> str:
        """`running, 1 h 0 min ahead`."""
        is_apart = abs(self.ahead.total_seconds()) >= 1
        return ("frozen" if self.frozen else "running") + (f", {self._apart}" if is_apart else "")

    @property
    def label(self) -> str:
        """The most important of it, for the header: `Clock 1 h 0 min ahead` or `Clock frozen`."""
        return "Clock frozen" if self.frozen else f"Clock {self._apart}"

    @property
    def _apart(self) -> str:
        seconds = self.ahead.total_seconds()
        return f"{format_duration(abs(seconds))} {'ahead' if seconds > 0 else 'behind'}"


def read_clock(services: Services) -> ClockState | None:
    """The simulated clock; None in the live environment."""
    if services.sandbox is None:
        return None
    ahead, frozen = services.sandbox.clock()
    return ClockState(services.clock.now(), timedelta(seconds=ahead), frozen)


def build_clock_details(clock: ClockState) -> tuple[Detail, ...]:
    """Details of the clock."""
    return (
        Detail("Service time", Cell(at=1, as_="clock", tone="strong")),
        Detail("Clock", Cell(clock.description)),
    )


def list_faults(services: Services, chain: str) -> tuple[Detail, ...]:
    """The active faults of a chain."""
    if services.sandbox is None:
        return ()
    active = services.sandbox.faults(chain)
    return tuple(
        Detail(
            ACTIVE_FAULT_LABELS.get(name, name.replace("_", " ").capitalize()),
            Cell(_format_fault(name, value)),
        )
        for name, value in active.items()
        if value not in (None, 0, 0.0, "", (), [], {}, False)
    )


def list_active_changes(services: Services, caller: Principal) -> tuple[Detail, ...]:
    """The clock if adjusted, and the active faults of each chain and bridge."""
    clock, changes = read_clock(services), []
    if clock is not None and clock.is_adjusted:
        changes.append(Detail("Clock", Cell(clock.description)))
    for chain in services.chains:
        faults = [f"{fact.label}: {fact.cell.text}" for fact in list_faults(services, chain)]
        if faults:
            changes.append(Detail(chain_name(services.catalogue, chain), Cell("; ".join(faults))))
    for bridge, title in list_bridges().items():
        faults = [f"{d.label}: {d.cell.text}" for d in list_active_faults(services, caller, bridge)]
        if faults:
            changes.append(Detail(title, Cell("; ".join(faults))))
    return tuple(changes)


def _format_fault(name: str, value: object) -> str:
    if name.endswith("seconds") and isinstance(value, (int, float)):
        return format_duration(value)
    if name == "lie":
        return NODE_BEHAVIOURS.get(str(value), str(value))
    if isinstance(value, (list, tuple, set, frozenset)):
        return ", ".join(map(str, value))
    return str(value)


def build_fault_body(fault: str, typed: str) -> dict[str, Any]:
    """The request body that sets one fault; `typed` is the form's input."""
    if fault == "takeNonce":
        return {"takeNonce": True}
    if fault == "lie":
        return {"lie": next(lie for lie, label in NODE_BEHAVIOURS.items() if label == typed)}
    if fault in ("refuse", "accept"):
        return {fault: [part.strip() for part in typed.split(",") if part.strip()]}
    text = typed.strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidInput("Enter a whole number such as 3; 0 clears the fault")
    return {fault: int(text)}


def build_relayer_balance(
    services: Services, chain: str, symbol: str, typed: str
) -> dict[str, Any]:
    """The request body that sets the relayer's balance of one token to a typed amount."""
    chain_info = services.catalogue.chains[chain]
    token = services.catalogue.tokens.get((chain, symbol))
    decimals = token.decimals if token else chain_info.native_decimals
    units = parse_typed_amount("Amount", typed, decimals, symbol)
    return {"balances": {"relayer": {symbol: str(units)}}}


def parse_units(services: Services, chain: str, symbol: str, typed: str) -> str:
    """A typed amount in the smallest units of a token, as text."""
    token = services.catalogue.token(chain, symbol)
    return str(parse_typed_amount("Amount", typed, token.decimals, symbol))


def build_holding_rows(services: Services, balances: Sequence[SimulatedBalance]) -> tuple[Row, ...]:
    """Rows of an address's balances on all simulated chains."""
    return tuple(
        Row(
            f"{holding.chain}-{holding.token}",
            (
                chain_cell(services.catalogue, holding.chain),
                Cell(
                    holding.symbol,
                    copy=holding.token,
                    value_name="token address",
                    marks=mark_token(holding.symbol),
                ),
                amount_cell(holding.amount, holding.decimals, holding.symbol),
            ),
        )
        for holding in balances
    )

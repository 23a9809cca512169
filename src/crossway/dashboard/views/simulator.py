"""The simulated network's switches: its clock, its chains' faults, and what an address holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from crossway.dashboard.views.cells import Cell, Column, Fact, Row
from crossway.dashboard.views.figures import amount, chain_name, duration
from crossway.domain.errors import InvalidInput
from crossway.domain.money import parse_decimal
from crossway.ports.services import Services
from crossway.usecases.network.sandbox import Holding

HOLDING_COLUMNS = (Column("Chain"), Column("Token"), Column("Holds", "right"))
FAULT_WORDS: Mapping[str, str] = {
    "outage_seconds": "Gives no answer for",
    "drop_next": "Drops the next transactions",
    "revert_next": "Reverts the next transactions",
    "slow_blocks": "Makes no blocks for",
    "fee_factor": "Fees multiplied by",
    "lie": "Its node lies",
    "refuse": "Addresses that refuse transfers",
}
LIES: Mapping[str, str] = {
    "": "tells the truth",
    "forged": "shows forged deposits",
    "chain_id": "is on another chain",
    "stale": "shows an old head",
}
FAULTS: Mapping[str, str] = {
    "outageSeconds": "Give no answer for … seconds",
    "reorgDepth": "Undo the last … blocks",
    "dropNext": "Drop the next … transactions",
    "revertNext": "Revert the next … transactions",
    "slowBlocks": "Make no block for … blocks",
    "feeFactor": "Multiply fees by …",
    "takeNonce": "Use up the relayer's next nonce",
    "lie": "Let the node lie",
    "refuse": "Addresses that refuse transfers",
    "accept": "Addresses that accept again",
}


@dataclass(frozen=True, slots=True)
class ClockFace:
    """The service's time, how far ahead of the machine it is, and whether it stands still."""

    now: datetime
    ahead: timedelta
    frozen: bool

    @property
    def moved(self) -> bool:
        """Whether it differs from the machine's own clock."""
        return self.frozen or abs(self.ahead.total_seconds()) >= 1

    @property
    def words(self) -> str:
        """`running, 1 h 0 min ahead`."""
        seconds = self.ahead.total_seconds()
        apart = f", {duration(abs(seconds))} {'ahead' if seconds > 0 else 'behind'}"
        return ("frozen" if self.frozen else "running") + (apart if abs(seconds) >= 1 else "")


def clock(services: Services) -> ClockFace | None:
    """The simulated clock; None on a live network."""
    if services.sandbox is None:
        return None
    ahead, frozen = services.sandbox.clock()
    return ClockFace(services.clock.now(), timedelta(seconds=ahead), frozen)


def clock_facts(face: ClockFace) -> tuple[Fact, ...]:
    """The clock as facts."""
    return (
        Fact("Service time", Cell(at=1, as_="clock", tone="strong")),
        Fact("Clock", Cell(face.words)),
    )


def faults(services: Services, chain: str) -> tuple[Fact, ...]:
    """The faults that are active on a chain, in words."""
    if services.sandbox is None:
        return ()
    active = services.sandbox.faults(chain)
    return tuple(
        Fact(FAULT_WORDS.get(name, name.replace("_", " ").capitalize()), Cell(_said(name, value)))
        for name, value in active.items()
        if value not in (None, 0, 0.0, "", (), [], {}, False)
    )


def unusual(services: Services) -> tuple[Fact, ...]:
    """The clock where it is moved or stands, and every fault that is active, chain by chain."""
    face, found = clock(services), []
    if face is not None and face.moved:
        found.append(Fact("Clock", Cell(face.words)))
    for chain in services.chains:
        words = [f"{fact.label}: {fact.cell.text}" for fact in faults(services, chain)]
        if words:
            found.append(Fact(chain_name(services.catalogue, chain), Cell("; ".join(words))))
    return tuple(found)


def _said(name: str, value: object) -> str:
    if name.endswith("seconds") and isinstance(value, (int, float)):
        return duration(value)
    if name == "lie":
        return LIES.get(str(value), str(value))
    if isinstance(value, (list, tuple, set, frozenset)):
        return ", ".join(map(str, value))
    return str(value)


def fault_body(fault: str, typed: str) -> dict[str, Any]:
    """One fault as wire.md §7 writes it; `typed` is what stands in the form's field."""
    if fault == "takeNonce":
        return {"takeNonce": True}
    if fault == "lie":
        return {"lie": next(lie for lie, words in LIES.items() if words == typed)}
    if fault in ("refuse", "accept"):
        return {fault: [part.strip() for part in typed.split(",") if part.strip()]}
    text = typed.strip()
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise InvalidInput("Type a whole number, such as 3; 0 ends the fault")
    return {fault: int(text)}


def relayer_balance(services: Services, chain: str, symbol: str, typed: str) -> dict[str, Any]:
    """The fault that sets what the relayer owns of one token, from an amount as people write it."""
    on = services.catalogue.chains[chain]
    token = services.catalogue.tokens.get((chain, symbol))
    decimals = token.decimals if token else on.native_decimals
    units = parse_decimal("Amount", typed.strip(), decimals)
    return {"balances": {"relayer": {symbol: str(units)}}}


def units_of(services: Services, chain: str, symbol: str, typed: str) -> str:
    """An amount as people write it, in the smallest units of a token, as text."""
    token = services.catalogue.token(chain, symbol)
    return str(parse_decimal("Amount", typed.strip(), token.decimals))


def holdings(services: Services, held: Sequence[Holding]) -> tuple[Row, ...]:
    """What an address holds on every simulated chain."""
    return tuple(
        Row(
            f"{holding.chain}-{holding.token}",
            (
                Cell(chain_name(services.catalogue, holding.chain)),
                Cell(holding.symbol, copy=holding.token, what="token address"),
                Cell(amount(holding.units, holding.decimals, holding.symbol)),
            ),
        )
        for holding in held
    )

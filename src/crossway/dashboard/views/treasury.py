"""The relayer's inventory on screen: shortages first, then all chains and tokens."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import (
    chain_name,
    format_approx_usd,
    format_short_amount,
    format_usd,
)
from crossway.dashboard.views.marks import mark_chains, mark_token
from crossway.domain.catalogue import Catalogue
from crossway.domain.ledger import is_unified
from crossway.usecases.money.inventory import COVER_DAYS, GasBalance, Inventory, InventoryPosition
from crossway.usecases.money.inventory_records import FLOW_DAYS

LOW_GAS = 1_000
# Less below a target is no shortage.
_LEAST_MICRO_USD = 1_000_000
MAX_BARS = 24
INVENTORY_COLUMNS = (
    Column("Chain"),
    Column("Token"),
    Column("On chain", "right"),
    Column("Reserved", "right", "Payouts of started payments that are not made yet"),
    Column("Waiting", "right", "Payouts of funded payments that wait to be started"),
    Column("Available", "right", "On chain less reserved"),
    Column("Expected", "right", "In escrow for payouts that were made"),
    Column("On bridges", "right", "Left from here over a bridge, of payments and of our own, and "
           "not arrived yet"),
    Column("Target", "right", f"Set by a policy or by hand, else {COVER_DAYS} days of payouts at "
           f"the pace of the last {FLOW_DAYS}"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Kpi:
    """One KPI with its explanation."""

    label: str
    value: str
    help: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One chain's inventory of a token in dollars: available, reserved, expected and target."""

    name: str
    available: float
    reserved: float
    expected: float
    target: float
    short: bool


def filter_stocks(
    catalogue: Catalogue, inventory: Inventory, testnets: bool
) -> list[InventoryPosition]:
    """The inventory on mainnets or on testnets."""
    return [s for s in inventory.positions if catalogue.chains[s.token.chain].testnet == testnets]


def build_kpis(
    catalogue: Catalogue, inventory: Inventory, positions: Sequence[InventoryPosition]
) -> list[Kpi]:
    """The KPI row of the treasury."""
    chains = {stock.token.chain for stock in positions}
    gas = [one.runway for one in inventory.gas if one.is_relayer and one.chain in chains]
    short = sum(_is_short(stock) for stock in positions)
    return [
        Kpi("On chain, USD", _format_total_usd(s.micro_usd(s.balance) for s in positions),
               "The relayer's holdings at today's prices"),
        Kpi("Reserved, USD", _format_total_usd(s.micro_usd(s.reserved) for s in positions),
               "Payouts of started payments that are not made yet"),
        Kpi("Waiting, USD", _format_total_usd(s.micro_usd(s.waiting) for s in positions),
               "Payouts of funded payments that wait to be started"),
        Kpi("Expected, USD", _format_total_usd(s.micro_usd(s.expected) for s in positions),
               "In escrow for payouts that were made"),
        Kpi("Overdue, USD", _format_total_usd(s.micro_usd(s.overdue) for s in positions),
               "Part of the expected amount that is past the bridge's due time"),
        Kpi("On bridges, USD", _format_total_usd(s.micro_usd(s.on_bridges) for s in positions),
               "Left a chain over a bridge and not arrived yet, by the books"),
        Kpi("Locations short", f"{short:,}",
               "Tokens on a chain for which payments wait, or that are below their target"),
        Kpi("Gas runway (tx)", f"{min(gas):,}" if gas else "–",
               "Transactions the relayer's gas covers, on the chain with the least"),
    ]  # fmt: skip


def _format_total_usd(parts: object) -> str:
    values = [part for part in parts if part is not None]  # type: ignore[attr-defined]
    total = sum(values)
    return (
        f"{total // 1_000_000:,}"
        if abs(total) >= 10**10
        else format_usd(total).removesuffix(" USD")
    )


def _is_short(stock: InventoryPosition) -> bool:
    """Whether payments wait for it, however little, or it is below its target by a dollar."""
    return bool(stock.missing) or _is_below_target(stock)


def _is_below_target(stock: InventoryPosition) -> bool:
    value = stock.micro_usd(stock.shortfall)
    return stock.shortfall > stock.missing and (value is None or value >= _LEAST_MICRO_USD)


def _worst_first(stock: InventoryPosition) -> tuple[bool, bool, int, int]:
    """The sort key: what payments wait for, then what is below its target, then by value."""
    shortage = stock.micro_usd(stock.shortfall) or 0
    balance = stock.micro_usd(stock.balance) or 0
    return not stock.missing, not _is_below_target(stock), -shortage, -balance


def list_shortages(
    catalogue: Catalogue, inventory: Inventory, positions: Sequence[InventoryPosition]
) -> list[str]:
    """Sentences about what needs attention: what payments wait for, then the largest shortage."""
    ordered = sorted(positions, key=_worst_first)
    sentences = [
        f"{_describe_position(catalogue, position)}: payments wait for "
        f"{_format_lack(position, position.missing)}."
        for position in ordered
        if position.missing
    ]
    sentences += [
        f"{_describe_position(catalogue, position)}: payouts of "
        f"{_format_amount(position, position.waiting + position.reserved)} are due, and what is "
        "there is unknown."
        for position in ordered
        if position.balance is None and position.waiting + position.reserved
    ]
    sentences += [
        f"{_describe_position(catalogue, position)} is below its target by "
        f"{_format_lack(position, position.shortfall)}."
        for position in ordered
        if _is_below_target(position)
    ]
    chains = {position.token.chain for position in positions}
    sentences += [
        _describe_gas(catalogue, gas)
        for gas in sorted(inventory.gas, key=lambda gas: gas.runway)
        if gas.runway < LOW_GAS and gas.chain in chains
    ]
    return sentences


def _describe_gas(catalogue: Catalogue, gas: GasBalance) -> str:
    name, lasts = chain_name(catalogue, gas.chain), f"lasts for {gas.runway:,} transactions."
    if gas.is_relayer:
        return f"{name}: gas {lasts}"
    return f"{name}: gas of account {gas.account} {lasts} Without any, others send in its place."


def describe_unavailable(catalogue: Catalogue, inventory: Inventory) -> str:
    """A sentence about the chains whose balances are unavailable; empty without any."""
    names = ", ".join(
        chain_name(catalogue, unavailable.subject) for unavailable in inventory.unavailable
    )
    return f"Balances unavailable: {names} not responding." if names else ""


def _describe_position(catalogue: Catalogue, stock: InventoryPosition) -> str:
    return f"{stock.token.symbol} on {chain_name(catalogue, stock.token.chain)}"


def _format_lack(stock: InventoryPosition, units: int) -> str:
    value = stock.micro_usd(units)
    known = "no price" if value is None else format_approx_usd(value)
    return f"{_format_amount(stock, units)} ({known})"


def _format_amount(stock: InventoryPosition, units: int) -> str:
    return format_short_amount(units, stock.token.decimals, stock.token.symbol)


def build_rows(
    catalogue: Catalogue,
    positions: Sequence[InventoryPosition],
    symbol: str | None,
    everything: bool,
) -> tuple[Row, ...]:
    """Rows of the inventory in use, or all of it; what payments wait for and shortages first."""
    matching = [s for s in positions if (not symbol or s.token.symbol == symbol)]
    matching = [s for s in matching if everything or symbol or s.is_active] or matching
    ordered = sorted(matching, key=_worst_first)
    return tuple(_row(catalogue, stock) for stock in ordered)


def _row(catalogue: Catalogue, stock: InventoryPosition) -> Row:
    badges: tuple[Badge, ...] = ()
    if stock.balance is None:
        badges = (Badge("Not responding", "orange", "cloud_off"),)
    elif stock.missing:
        badges = (Badge("Payments wait", "red", "error"),)
    elif _is_below_target(stock):
        badges = (Badge("Below target", "red", "trending_down"),)
    overdue = f"{_format_amount(stock, stock.overdue)} overdue" if stock.overdue else ""
    target_source = f"set by {stock.target_set_by}" if stock.target_set_by else "automatic"
    if is_unified(stock.token.chain):
        target_source = "unified balance" if not stock.target_set_by else target_source
    return Row(
        f"{stock.token.chain}:{stock.token.symbol}",
        (
            Cell(_place_name(catalogue, stock), marks=mark_chains(stock.token.chain)),
            Cell(stock.token.symbol, badges=badges, marks=mark_token(stock.token.symbol)),
            _amount_cell(stock, stock.balance),
            _reserved_cell(stock),
            _amount_cell(stock, stock.waiting),
            _amount_cell(stock, stock.available),
            Cell(
                _format_amount_or_dash(stock, stock.expected),
                sub=overdue,
                tone="bad" if overdue else "",
            ),
            _amount_cell(stock, stock.on_bridges),
            Cell(_format_amount_or_dash(stock, stock.target), sub=target_source),
        ),
        marked=_is_short(stock),
    )


def _place_name(catalogue: Catalogue, stock: InventoryPosition) -> str:
    if is_unified(stock.token.chain):
        return "Circle Gateway"
    return chain_name(catalogue, stock.token.chain)


def _reserved_cell(stock: InventoryPosition) -> Cell:
    """What is reserved, and how much of it a bridge is bringing."""
    if not stock.brought:
        return _amount_cell(stock, stock.reserved)
    brought = f"bridges bring {_format_amount(stock, stock.brought)}"
    return Cell(_format_amount_or_dash(stock, stock.reserved), sub=brought)


def _amount_cell(stock: InventoryPosition, units: int | None) -> Cell:
    if units is None:
        return Cell("unknown")
    usd_value = stock.micro_usd(units)
    return Cell(
        _format_amount_or_dash(stock, units),
        sub="" if usd_value is None or not units else format_approx_usd(usd_value),
    )


def _format_amount_or_dash(stock: InventoryPosition, units: int) -> str:
    return _format_amount(stock, units) if units else "–"


def build_bars(
    catalogue: Catalogue, positions: Sequence[InventoryPosition], symbol: str
) -> list[Bar]:
    """One bar per chain for a token, shortages first."""
    matching = [s for s in positions if s.token.symbol == symbol and s.balance is not None]
    ordered = sorted(matching, key=_worst_first)
    return [
        Bar(
            _place_name(catalogue, s),
            _to_dollars(s, max(0, s.available or 0)),
            _to_dollars(s, min(s.reserved, s.balance or 0)),
            _to_dollars(s, s.expected),
            _to_dollars(s, s.target),
            _is_short(s),
        )
        for s in ordered[:MAX_BARS]
    ]


def describe_bars(symbol: str, bars: Sequence[Bar]) -> str:
    """What the bars show, and which chains are not among them."""
    without = sum(not bar.target for bar in bars)
    if without == len(bars):
        return f"{symbol}: value in USD by chain."
    others = f" Those without a target ({without}) are in the table alone." if without else ""
    return f"{symbol}: what each chain has in per cent of its target.{others}"


def _to_dollars(stock: InventoryPosition, units: int) -> float:
    return round((stock.micro_usd(units) or 0) / 1_000_000, 2)


def list_inventory_symbols(positions: Sequence[InventoryPosition]) -> list[str]:
    """The tokens in the inventory by total value, USDC first."""
    totals: dict[str, int] = {}
    for stock in positions:
        value = (stock.micro_usd(stock.balance) or 0) + (10**12 if stock.is_active else 0)
        totals[stock.token.symbol] = totals.get(stock.token.symbol, 0) + value
    return sorted(totals, key=lambda symbol: (symbol != "USDC", -totals[symbol], symbol))

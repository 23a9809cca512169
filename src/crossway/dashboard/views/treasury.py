"""The relayer's stock on screen: what is short first, then every chain and token."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.figures import (
    about_usd,
    brief_amount,
    chain_name,
    usd,
)
from crossway.domain.catalogue import Catalogue
from crossway.usecases.money.treasury import COVER_DAYS, FLOW_DAYS, Inventory, Stock

LOW_GAS = 1_000
MOST_BARS = 24
STOCK_COLUMNS = (
    Column("Chain"),
    Column("Token"),
    Column("On chain", "right"),
    Column("Reserved", "right", "Payouts agreed on that are not made yet"),
    Column("Free", "right", "On chain without what is reserved"),
    Column("Expected back", "right", "Owed by bridges for payouts made"),
    Column("Target", "right", f"Set by a person, else {COVER_DAYS} days of payouts at the pace of "
           f"the last {FLOW_DAYS}"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Figure:
    """One number of the first row, with what it counts."""

    label: str
    value: str
    help: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One chain's stock of a token in whole dollars: what is free, reserved, expected, wanted."""

    name: str
    free: float
    reserved: float
    expected: float
    target: float
    short: bool


def of_network(catalogue: Catalogue, inventory: Inventory, testnets: bool) -> list[Stock]:
    """The stocks of mainnets or of test networks."""
    return [s for s in inventory.stocks if catalogue.chains[s.token.chain].testnet == testnets]


def figures(catalogue: Catalogue, inventory: Inventory, stocks: Sequence[Stock]) -> list[Figure]:
    """What all of it is worth, in a row."""
    chains = {stock.token.chain for stock in stocks}
    gas = [one.runway for one in inventory.gas if one.chain in chains]
    short = sum(bool(_lack(stock)) for stock in stocks)
    return [
        Figure("On chain, USD", _sum(s.micro_usd(s.there) for s in stocks),
               "What the relayer holds, at today's prices"),
        Figure("Reserved, USD", _sum(s.micro_usd(s.reserved) for s in stocks),
               "Payouts agreed on that are not made yet"),
        Figure("Expected back, USD", _sum(s.micro_usd(s.expected) for s in stocks),
               "What bridges owe for payouts that were made"),
        Figure("Overdue, USD", _sum(s.micro_usd(s.overdue) for s in stocks),
               "Of what is expected: past the time that the bridge had said"),
        Figure("Short of target", f"{short:,}", "Tokens on a chain that are short of their target"),
        Figure("Gas, transactions", f"{min(gas):,}" if gas else "–",
               "For how many transactions the coins last on the chain with the least"),
    ]  # fmt: skip


def _sum(parts: object) -> str:
    known = [part for part in parts if part is not None]  # type: ignore[attr-defined]
    total = sum(known)
    return f"{total // 1_000_000:,}" if abs(total) >= 10**10 else usd(total).removesuffix(" USD")


def _lack(stock: Stock) -> int:
    """What is short, in micro-USD; dust is not short."""
    worth = stock.micro_usd(stock.short) or 0
    return worth if worth >= 1_000_000 else 0


def shortages(catalogue: Catalogue, inventory: Inventory, stocks: Sequence[Stock]) -> list[str]:
    """What needs a person, the largest lack first, in sentences."""
    found = [
        f"{_on(catalogue, one)} is short of its target by {_amount(one, one.short)} "
        f"({about_usd(_lack(one))})."
        for one in sorted(stocks, key=_lack, reverse=True)
        if _lack(one)
    ]
    found += [
        f"{_on(catalogue, one)}: more is promised than is there, by "
        f"{_amount(one, -(one.free or 0))}."
        for one in stocks
        if (one.free or 0) < 0
    ]
    chains = {stock.token.chain for stock in stocks}
    found += [
        f"{chain_name(catalogue, gas.chain)}: coins for fees last for {gas.runway:,} transactions."
        for gas in sorted(inventory.gas, key=lambda gas: gas.runway)
        if gas.runway < LOW_GAS and gas.chain in chains
    ]
    return found


def silent(catalogue: Catalogue, inventory: Inventory) -> str:
    """Chains that gave no answer, as a sentence; empty when all did."""
    names = ", ".join(chain_name(catalogue, left.subject) for left in inventory.silent)
    return f"No answer from {names}: what is there is unknown, not gone." if names else ""


def _on(catalogue: Catalogue, stock: Stock) -> str:
    return f"{stock.token.symbol} on {chain_name(catalogue, stock.token.chain)}"


def _amount(stock: Stock, units: int) -> str:
    return brief_amount(units, stock.token.decimals, stock.token.symbol)


def rows(
    catalogue: Catalogue, stocks: Sequence[Stock], symbol: str | None, everything: bool
) -> tuple[Row, ...]:
    """Every stock that is used or wanted (or all), the shortest first, then by worth."""
    shown = [s for s in stocks if (not symbol or s.token.symbol == symbol)]
    shown = [s for s in shown if everything or symbol or s.busy] or shown
    ordered = sorted(shown, key=lambda s: (-_lack(s), -(s.micro_usd(s.there) or 0)))
    return tuple(_row(catalogue, stock) for stock in ordered)


def _row(catalogue: Catalogue, stock: Stock) -> Row:
    chips: tuple[Chip, ...] = ()
    if stock.there is None:
        chips = (Chip("No answer", "orange", "cloud_off"),)
    elif (stock.free or 0) < 0:
        chips = (Chip("Overdrawn", "red", "error"),)
    elif _lack(stock):
        chips = (Chip("Short", "red", "trending_down"),)
    late = f"{_amount(stock, stock.overdue)} overdue" if stock.overdue else ""
    by = f"set by {stock.target_by}" if stock.target_by else "from flows"
    return Row(
        f"{stock.token.chain}:{stock.token.symbol}",
        (
            Cell(chain_name(catalogue, stock.token.chain)),
            Cell(stock.token.symbol, chips=chips),
            _money(stock, stock.there),
            _money(stock, stock.reserved),
            _money(stock, stock.free),
            Cell(_number(stock, stock.expected), sub=late, tone="bad" if late else ""),
            Cell(_number(stock, stock.target), sub=by),
        ),
        marked=bool(_lack(stock)),
    )


def _money(stock: Stock, units: int | None) -> Cell:
    if units is None:
        return Cell("unknown")
    worth = stock.micro_usd(units)
    return Cell(_number(stock, units), sub="" if worth is None or not units else about_usd(worth))


def _number(stock: Stock, units: int) -> str:
    return _amount(stock, units) if units else "–"


def bars(catalogue: Catalogue, stocks: Sequence[Stock], symbol: str) -> list[Bar]:
    """One bar a chain for a token, what is short first."""
    of = [s for s in stocks if s.token.symbol == symbol and s.there is not None]
    ordered = sorted(of, key=lambda s: (-_lack(s), -(s.micro_usd(s.there) or 0)))
    return [
        Bar(
            chain_name(catalogue, s.token.chain),
            _dollars(s, max(0, s.free or 0)),
            _dollars(s, min(s.reserved, s.there or 0)),
            _dollars(s, s.expected),
            _dollars(s, s.target),
            bool(_lack(s)),
        )
        for s in ordered[:MOST_BARS]
    ]


def _dollars(stock: Stock, units: int) -> float:
    return round((stock.micro_usd(units) or 0) / 1_000_000, 2)


def symbols(stocks: Sequence[Stock]) -> list[str]:
    """The tokens there are, those that are worth most in all first, USDC before all."""
    worth: dict[str, int] = {}
    for stock in stocks:
        held = (stock.micro_usd(stock.there) or 0) + (10**12 if stock.busy else 0)
        worth[stock.token.symbol] = worth.get(stock.token.symbol, 0) + held
    return sorted(worth, key=lambda symbol: (symbol != "USDC", -worth[symbol], symbol))

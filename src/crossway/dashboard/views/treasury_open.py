"""Gas, claims open with bridges and suggested moves on screen."""

from collections.abc import Mapping, Sequence

from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.figures import (
    about_usd,
    amount,
    brief_amount,
    chain_name,
    duration,
    grouped,
    millis,
    usd,
)
from crossway.dashboard.views.links import intent_href
from crossway.dashboard.views.treasury import LOW_GAS
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import format_units
from crossway.domain.quotes import bridge_title
from crossway.ports.treasury_records import Claim
from crossway.usecases.money.exposure import Exposure
from crossway.usecases.money.rebalancing import Move
from crossway.usecases.money.treasury import Gas, Inventory, Stock

NO_GAS = 100
MOST_CLAIMS = 100
GAS_COLUMNS = (
    Column("Chain"),
    Column("State"),
    Column("Coins for fees", "right"),
    Column("One transaction", "right"),
    Column("Lasts for", "right"),
)
CLAIM_COLUMNS = (
    Column("Payment"),
    Column("Bridge"),
    Column("Amount", "right"),
    Column("Since"),
    Column("Due"),
    Column("State"),
)
EXPOSURE_COLUMNS = (
    Column("Payments"),
    Column("From"),
    Column("To"),
    Column("Agreed at", "right"),
    Column("Gain or loss now", "right", "What they bring less what they cost, at today's prices"),
)
MOVE_COLUMNS = (
    Column("Move"),
    Column("From"),
    Column("To"),
    Column("Bridge"),
    Column("Costs", "right"),
    Column("Takes", "right"),
)


def gas_rows(catalogue: Catalogue, inventory: Inventory, testnets: bool) -> tuple[Row, ...]:
    """Every chain's coins for fees, the least first."""
    ordered = sorted(inventory.gas, key=lambda gas: gas.runway)
    shown = [gas for gas in ordered if catalogue.chains[gas.chain].testnet == testnets]
    return tuple(_gas(catalogue, gas) for gas in shown)


def _gas(catalogue: Catalogue, gas: Gas) -> Row:
    state = Chip("Enough", "green", "check_circle")
    if gas.runway < NO_GAS:
        state = Chip("Almost none", "red", "error")
    elif gas.runway < LOW_GAS:
        state = Chip("Low", "orange", "warning")
    return Row(
        gas.chain,
        (
            Cell(chain_name(catalogue, gas.chain)),
            Cell(chips=(state,)),
            Cell(brief_amount(gas.units, gas.decimals, gas.symbol)),
            Cell(f"{grouped(_brief(gas.fee_units, gas.decimals))} {gas.symbol}"),
            Cell(f"{gas.runway:,} transactions"),
        ),
    )


def _brief(units: int, decimals: int) -> str:
    """A small amount by its first three digits that count."""
    whole, _, fraction = format_units(units, decimals).partition(".")
    leading = len(fraction) - len(fraction.lstrip("0"))
    return f"{whole}.{fraction[: leading + 3]}" if fraction else whole


def claim_rows(
    catalogue: Catalogue, claims: Sequence[Claim], prices: Mapping[tuple[str, str], Stock], now: int
) -> tuple[Row, ...]:
    """What bridges owe, what is due first; a line opens its payment."""
    return tuple(_claim(catalogue, claim, prices, now) for claim in claims[:MOST_CLAIMS])


def _claim(
    catalogue: Catalogue, claim: Claim, prices: Mapping[tuple[str, str], Stock], now: int
) -> Row:
    token, late = catalogue.by_address.get((claim.chain, claim.token)), millis(claim.due) < now
    text = f"{claim.units:,} units"
    if token is not None:
        text = amount(claim.units, token.decimals, token.symbol)
    stock = prices.get((claim.chain, claim.token))
    worth = stock.micro_usd(claim.units) if stock else None
    state = Chip("Overdue", "red", "error") if late else Chip("On time", "blue", "schedule")
    return Row(
        str(claim.intent_id),
        (
            Cell(f"#{claim.intent_id}", sub=f"on {chain_name(catalogue, claim.chain)}"),
            Cell(bridge_title(claim.bridge) if claim.bridge else "Within the chain"),
            Cell(text, sub="" if worth is None else about_usd(worth)),
            Cell(at=millis(claim.since)),
            Cell(at=millis(claim.due), as_="left" if not late else "ago"),
            Cell(chips=(state,), sub=claim.reason),
        ),
        href=intent_href(claim.intent_id),
        label=f"Payment {claim.intent_id}",
    )


def move_rows(catalogue: Catalogue, moves: Sequence[Move]) -> tuple[Row, ...]:
    """What rebalancing would be needed, and what it would cost."""
    return tuple(
        Row(
            f"move-{index}",
            (
                Cell(brief_amount(m.units, m.token.decimals, m.token.symbol),
                     sub=about_usd(m.micro_usd)),
                Cell(chain_name(catalogue, m.token.chain)),
                Cell(chain_name(catalogue, m.to.chain)),
                Cell(bridge_title(m.bridge) if m.bridge else "None", sub=m.why_not),
                Cell(usd(m.fee_micro_usd) if m.bridge else "–"),
                Cell(duration(m.seconds) if m.bridge else "–"),
            ),
        )
        for index, m in enumerate(moves)
    )  # fmt: skip


def exposure_rows(catalogue: Catalogue, exposures: Sequence[Exposure]) -> tuple[Row, ...]:
    """Open payments whose terms hold while the prices move, the greatest loss first."""
    return tuple(
        Row(
            f"exposure-{index}",
            (
                Cell(f"{one.payments:,}", sub="under way" if one.committed else "not paid yet"),
                Cell(f"{one.symbol_in} on {chain_name(catalogue, one.source_chain)}"),
                Cell(f"{one.symbol_out} on {chain_name(catalogue, one.destination_chain)}"),
                Cell(usd(one.agreed_micro_usd)),
                _gain(one.gain_micro_usd),
            ),
        )
        for index, one in enumerate(exposures)
    )


def _gain(micro_usd: int | None) -> Cell:
    if micro_usd is None:
        return Cell("unknown", sub="no price")
    sign, word = ("-", "loss") if micro_usd < 0 else ("", "gain")
    return Cell(f"{sign}{usd(abs(micro_usd))}", sub=word, tone="bad" if micro_usd < 0 else "")

"""Gas, open repayments from escrow, returns and price exposure on screen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.formatting import (
    amount_cell,
    bridge_cell,
    chain_cell,
    chain_name,
    format_approx_usd,
    format_usd,
    group_thousands,
    to_millis,
)
from crossway.dashboard.views.links import intent_href
from crossway.dashboard.views.marks import mark_chains, mark_token
from crossway.dashboard.views.treasury import LOW_GAS
from crossway.domain.catalogue import Catalogue
from crossway.domain.money import format_units
from crossway.domain.return_budget import ReturnBudget
from crossway.ports.treasury_repository import BridgeReceivable
from crossway.usecases.money.inventory import GasBalance, Inventory, InventoryPosition
from crossway.usecases.money.price_exposure import Exposure
from crossway.usecases.pricing.exposure_limit import TokenExposure

CRITICAL_GAS = 100
MAX_CLAIMS = 100
GAS_COLUMNS = (
    Column("Chain"),
    Column("State"),
    Column("Gas balance", "right"),
    Column("Cost per transaction", "right"),
    Column("Runway", "right"),
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
    Column("Agreed value", "right", "Of the payouts"),
    Column(
        "Unrealized gain or loss",
        "right",
        "Deposits without fees less payouts, at today's prices; the spread is in it",
    ),
)
RETURN_COLUMNS = (
    Column("Chain"),
    Column("Left for returns", "right", "What refunds and returns may cost now"),
    Column("From fees", "right", "Each started payment's fee brings a share of a refund"),
    Column("From the allowance", "right", "CROSSWAY_RETURN_ALLOWANCE_USD, refills in a day"),
)


def build_gas_rows(catalogue: Catalogue, inventory: Inventory, testnets: bool) -> tuple[Row, ...]:
    """Rows of the gas balances, the shortest runway first."""
    ordered = sorted(inventory.gas, key=lambda gas: gas.runway)
    balances = [gas for gas in ordered if catalogue.chains[gas.chain].testnet == testnets]
    return tuple(_gas_row(catalogue, gas) for gas in balances)


def _gas_row(catalogue: Catalogue, gas: GasBalance) -> Row:
    state = Badge("Sufficient", "green", "check_circle")
    # Where a gas account has none, others send in its place.
    if gas.runway < CRITICAL_GAS and gas.is_relayer:
        state = Badge("Critical", "red", "error")
    elif gas.runway < LOW_GAS:
        state = Badge("Low", "orange", "warning")
    whose = "" if gas.is_relayer else f"gas account {gas.account}"
    return Row(
        f"{gas.chain}:{gas.account}",
        (
            chain_cell(catalogue, gas.chain, whose),
            Cell(badges=(state,)),
            amount_cell(gas.amount, gas.decimals, gas.symbol),
            Cell(
                f"{group_thousands(_format_significant(gas.fee_units, gas.decimals))} {gas.symbol}"
            ),
            Cell(f"{gas.runway:,} transactions"),
        ),
    )


def _format_significant(units: int, decimals: int) -> str:
    """A small amount with three significant digits."""
    integer_part, _, fraction = format_units(units, decimals).partition(".")
    leading = len(fraction) - len(fraction.lstrip("0"))
    return f"{integer_part}.{fraction[: leading + 3]}" if fraction else integer_part


def build_claim_rows(
    catalogue: Catalogue,
    claims: Sequence[BridgeReceivable],
    prices: Mapping[tuple[str, str], InventoryPosition],
    now: int,
) -> tuple[Row, ...]:
    """Rows of open repayments from escrow, the earliest due first; a row opens its payment."""
    return tuple(_claim_row(catalogue, claim, prices, now) for claim in claims[:MAX_CLAIMS])


def _claim_row(
    catalogue: Catalogue,
    claim: BridgeReceivable,
    prices: Mapping[tuple[str, str], InventoryPosition],
    now: int,
) -> Row:
    token, is_overdue = (
        catalogue.by_address.get((claim.chain, claim.token)),
        to_millis(claim.due) < now,
    )
    amount = Cell(f"{claim.amount:,} units")
    if token is not None:
        amount = amount_cell(claim.amount, token.decimals, token.symbol)
    stock = prices.get((claim.chain, claim.token))
    usd_value = stock.micro_usd(claim.amount) if stock else None
    state = Badge("Overdue", "red", "error") if is_overdue else Badge("On time", "blue", "schedule")
    return Row(
        str(claim.intent_id),
        (
            Cell(
                f"#{claim.intent_id}",
                sub=f"on {chain_name(catalogue, claim.chain)}",
                marks=mark_chains(claim.chain),
            ),
            bridge_cell(claim.bridge, "Same chain"),
            replace(amount, sub="" if usd_value is None else format_approx_usd(usd_value)),
            Cell(at=to_millis(claim.since)),
            Cell(at=to_millis(claim.due), as_="left" if not is_overdue else "ago"),
            Cell(badges=(state,), sub=claim.reason),
        ),
        href=intent_href(claim.intent_id),
        label=f"Payment {claim.intent_id}",
    )


def build_exposure_rows(catalogue: Catalogue, exposures: Sequence[Exposure]) -> tuple[Row, ...]:
    """Rows of open payments exposed to price changes, the largest loss first."""
    return tuple(
        Row(
            f"exposure-{index}",
            (
                Cell(
                    f"{exposure.payments:,}",
                    sub="in progress" if exposure.committed else "not paid yet",
                ),
                _token_on_chain_cell(catalogue, exposure.symbol_in, exposure.source_chain),
                _token_on_chain_cell(catalogue, exposure.symbol_out, exposure.destination_chain),
                Cell(format_usd(exposure.agreed_micro_usd)),
                _gain_cell(exposure.gain_micro_usd),
            ),
        )
        for index, exposure in enumerate(exposures)
    )


def _token_on_chain_cell(catalogue: Catalogue, symbol: str, chain: str) -> Cell:
    return Cell(f"{symbol} on {chain_name(catalogue, chain)}", marks=mark_token(symbol))


def build_return_rows(catalogue: Catalogue, budgets: Sequence[ReturnBudget]) -> tuple[Row, ...]:
    """Rows of what returns may still cost by chain, the least first."""
    return tuple(
        Row(
            f"returns-{budget.chain}",
            (
                chain_cell(catalogue, budget.chain),
                Cell(format_usd(budget.micro_usd), tone="" if budget.micro_usd > 0 else "bad"),
                Cell(format_usd(budget.earned_micro_usd)),
                Cell(format_usd(budget.allowance_micro_usd)),
            ),
        )
        for budget in sorted(budgets, key=lambda budget: budget.micro_usd)
    )


def describe_limits(exposures: Sequence[TokenExposure]) -> list[str]:
    """How much of each token's limit open payments take, one sentence a token."""
    return [
        f"{format_usd(exposure.micro_usd)} of open payments depend on the price of "
        f"{exposure.symbol}; "
        + (
            "there is no limit."
            if exposure.limit_micro_usd is None
            else f"new ones are refused above {format_usd(exposure.limit_micro_usd)}."
        )
        for exposure in exposures
    ]


def _gain_cell(micro_usd: int | None) -> Cell:
    if micro_usd is None:
        return Cell("unknown", sub="no price")
    sign, word = ("-", "loss") if micro_usd < 0 else ("", "gain")
    return Cell(
        f"{sign}{format_usd(abs(micro_usd))}", sub=word, tone="bad" if micro_usd < 0 else ""
    )

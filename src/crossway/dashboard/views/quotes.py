"""Ways to pay compared: one destination against every source chain, and why some are missing."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.figures import amount, chain_name, duration, usd
from crossway.dashboard.views.links import link
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.clients import Caller
from crossway.domain.money import format_units
from crossway.domain.quotes import Comparison, PaymentOption, SourceOption, bridge_title
from crossway.ports.services import Services
from crossway.usecases.pricing import quotes

CHEAPEST = Chip("Cheapest", "green", "savings")
FASTEST = Chip("Fastest", "blue", "bolt")
SAME_CHAIN = "Same chain, no bridge"
COLUMNS = (
    Column("Payer pays from"),
    Column("Deposits", "right"),
    Column("Fee", "right"),
    Column("Usual time", "right"),
)
MISSING_COLUMNS = (Column("Not offered"), Column("Why"))


@dataclass(frozen=True, slots=True)
class Point:
    """One way to pay on the chart of fee against time."""

    name: str
    seconds: int
    fee_usd: float
    mark: str


@dataclass(frozen=True, slots=True)
class Compared:
    """The whole screen of one comparison."""

    rows: tuple[Row, ...]
    missing: tuple[Row, ...]
    points: tuple[Point, ...]
    symbols: tuple[str, ...]
    headline: str


def compared(
    services: Services, caller: Caller, destination: str, symbol: str, text: str, pay_with: str
) -> Compared:
    """Ask all bridges and lay the answers side by side; a `Refusal` says what is wrong."""
    token = services.catalogue.token(destination, symbol)
    answer = quotes.multi_source(services, caller, destination, text.strip(), token.address)
    return laid_out(services.catalogue, answer, pay_with)


def laid_out(catalogue: Catalogue, answer: Comparison, pay_with: str) -> Compared:
    """The comparison as rows, the cheapest and the fastest way marked."""
    cheapest, fastest = answer.cheapest, quickest(answer.options)
    rows = tuple(
        _row(catalogue, answer, option, pay_with, _chips(option, cheapest, fastest))
        for option in answer.options
    )
    symbols = {payment.symbol for option in answer.options for payment in option.options}
    return Compared(
        rows=rows,
        missing=tuple(
            Row(left.subject, (Cell(chain_name(catalogue, left.subject)), Cell(left.reason)))
            for left in answer.missing
        ),
        points=tuple(
            Point(
                chain_name(catalogue, option.source),
                option.fill_seconds,
                option.fee_micro_usd / 1_000_000,
                "cheapest" if option == cheapest else "fastest" if option == fastest else "",
            )
            for option in answer.options
        ),
        symbols=tuple(sorted(symbols, key=lambda s: (s != "USDC", s.lower()))),
        headline=_headline(catalogue, cheapest, fastest),
    )


def quickest(options: Sequence[SourceOption]) -> SourceOption | None:
    """The option with the least usual time, the cheaper one where two are equal."""
    return min(options, key=lambda o: (o.fill_seconds, o.fee_micro_usd), default=None)


def _chips(
    option: SourceOption, cheapest: SourceOption | None, fastest: SourceOption | None
) -> tuple[Chip, ...]:
    marks = ((CHEAPEST, cheapest), (FASTEST, fastest))
    return tuple(chip for chip, marked in marks if option is marked)


def _row(
    catalogue: Catalogue,
    answer: Comparison,
    option: SourceOption,
    pay_with: str,
    chips: tuple[Chip, ...],
) -> Row:
    payment = _payment(option, pay_with)
    return Row(
        key=option.source,
        href=_take(catalogue, answer, option, payment),
        label=f"Make a payment from {chain_name(catalogue, option.source)}",
        marked=bool(chips),
        cells=(
            Cell(
                chain_name(catalogue, option.source),
                sub=f"by {bridge_title(option.bridge)}" if option.bridge else SAME_CHAIN,
                chips=chips,
                tone="strong",
            ),
            _deposit(option, payment, pay_with),
            Cell(usd(option.fee_micro_usd, 4), sub=_split(answer, option)),
            Cell(duration(option.fill_seconds)),
        ),
    )


def _take(
    catalogue: Catalogue, answer: Comparison, option: SourceOption, payment: PaymentOption | None
) -> str:
    """The form of a new payment, filled in with this way to pay."""
    query = {
        "source": chain_name(catalogue, option.source),
        "to_chain": chain_name(catalogue, answer.destination),
        "token_out": answer.out_symbol,
        "amount": format_units(answer.amount_units, answer.out_decimals),
    }
    if payment is not None:
        query["token_in"] = payment.symbol
    return link("new_intent", **query)


def _payment(option: SourceOption, symbol: str) -> PaymentOption | None:
    return next((payment for payment in option.options if payment.symbol == symbol), None)


def _deposit(option: SourceOption, payment: PaymentOption | None, symbol: str) -> Cell:
    others = len(option.options) - (payment is not None)
    more = f"or {others} other token{'s' if others != 1 else ''}" if others else ""
    if payment is None:
        return Cell(f"no {symbol} there", sub=more)
    return Cell(amount(payment.deposit_units, payment.decimals, payment.symbol), sub=more)


def _split(answer: Comparison, option: SourceOption) -> str:
    """The fee in its parts, in the token that arrives; parts of nothing are left out."""
    parts = (
        ("service", option.service_fee_units),
        ("bridge", option.bridge_fee_units),
        ("app", option.app_fee_units),
    )
    return ", ".join(
        f"{name} {amount(units, answer.out_decimals, '').strip()}" for name, units in parts if units
    )


def _headline(
    catalogue: Catalogue, cheapest: SourceOption | None, fastest: SourceOption | None
) -> str:
    if cheapest is None or fastest is None:
        return "No chain can pay this now."
    words = (
        f"Cheapest from {chain_name(catalogue, cheapest.source)}: {usd(cheapest.fee_micro_usd, 4)}."
    )
    if fastest is cheapest:
        return f"{words} It is the fastest too: {duration(fastest.fill_seconds)}."
    return (
        f"{words} Fastest from {chain_name(catalogue, fastest.source)}:"
        f" {duration(fastest.fill_seconds)}."
    )


def destinations(services: Services, testnets: bool) -> list[Chain]:
    """The configured chains, mainnets first; test networks only where they may be used."""
    known = [c for c in services.catalogue.chains.values() if c.id in services.chains]
    return sorted(
        (c for c in known if testnets or not c.testnet), key=lambda c: (c.testnet, c.name.lower())
    )

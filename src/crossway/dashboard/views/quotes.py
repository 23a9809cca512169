"""The quote comparison: one destination against every source chain, and excluded chains."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.custody import (
    describe_bridge,
    describe_trust,
    label_custody,
    transfer_fee_label,
)
from crossway.dashboard.views.estimates import NO_PAYMENT, explain_estimate, label_estimate
from crossway.dashboard.views.fee_time import ChartPoint, build_points
from crossway.dashboard.views.formatting import (
    amount_cell,
    chain_cell,
    chain_name,
    format_amount,
    format_duration,
    format_usd,
)
from crossway.dashboard.views.links import page_href
from crossway.dashboard.views.marks import mark_chains
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.clients import Principal
from crossway.domain.money import format_units
from crossway.domain.quotes import Comparison, PaymentOption, SourceOption
from crossway.domain.typed_amounts import to_plain_decimal
from crossway.ports.services import Services
from crossway.usecases.pricing import multi_source

CHEAPEST = Badge("Cheapest", "green", "savings")
FASTEST = Badge("Fastest", "blue", "bolt")
SAME_CHAIN = "Same chain, no bridge"
COLUMNS = (
    Column("Payer pays from"),
    Column("Amount due", "right"),
    Column("Fee", "right"),
    Column("Estimated time", "right"),
)
MISSING_COLUMNS = (Column("Unavailable"), Column("Reason"))


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """The data of the comparison page."""

    rows: tuple[Row, ...]
    missing: tuple[Row, ...]
    points: tuple[ChartPoint, ...]
    symbols: tuple[str, ...]
    headline: str
    trust: str


def load_comparison(
    services: Services,
    caller: Principal,
    destination: str,
    symbol: str,
    amount_text: str,
    pay_with: str,
) -> ComparisonView:
    """Quote all source chains and build the comparison; raises a `DomainError` for bad input."""
    token = services.catalogue.token(destination, symbol)
    amount = to_plain_decimal("Amount", amount_text, symbol)
    comparison = multi_source.quote_multi_source(
        services, caller, destination, amount, token.address, with_estimates=True
    )
    return build_comparison(services.catalogue, comparison, pay_with)


def build_comparison(catalogue: Catalogue, comparison: Comparison, pay_with: str) -> ComparisonView:
    """One row for each chain, for the token that the payer pays with: the chains that have it
    first, the cheapest and the fastest of their quotes marked. Estimates are in no chart."""
    by_chain: dict[str, list[SourceOption]] = {}
    for option in comparison.options:
        by_chain.setdefault(option.source, []).append(option)
    shown = [_option_of_chain(options, pay_with) for options in by_chain.values()]
    payable = [option for option in shown if _find_payment(option, pay_with)]
    quoted = [option for option in payable if not option.estimate_reason]
    cheapest = min(quoted, key=lambda o: (o.fee_micro_usd, o.fill_seconds), default=None)
    fastest = find_fastest(quoted)
    rows = tuple(
        _row(
            catalogue,
            comparison,
            by_chain[option.source],
            option,
            pay_with,
            _mark_badges(option, cheapest, fastest),
        )
        for option in sorted(shown, key=lambda option: option not in payable)
    )
    symbols = {payment.symbol for option in comparison.options for payment in option.options}
    return ComparisonView(
        rows=rows,
        missing=_missing_rows(catalogue, comparison),
        points=build_points(catalogue, quoted, cheapest, fastest),
        symbols=tuple(sorted(symbols, key=lambda s: (s != "USDC", s.lower()))),
        headline=_headline(catalogue, pay_with, cheapest, fastest, bool(payable)),
        trust=_describe_trust(catalogue, cheapest, fastest),
    )


def _describe_trust(
    catalogue: Catalogue, cheapest: SourceOption | None, fastest: SourceOption | None
) -> str:
    """Whom the payer trusts with the cheapest and with the fastest option."""
    sentences: dict[str, str] = {}
    for option in (cheapest, fastest):
        if option is not None:
            trust = describe_trust(option.custody, option.trusted_seconds)
            chain = chain_name(catalogue, option.source)
            sentences.setdefault(trust, f"From {chain}: {trust[0].lower()}{trust[1:]}.")
    return " ".join(sentences.values())


def _missing_rows(catalogue: Catalogue, comparison: Comparison) -> tuple[Row, ...]:
    return tuple(
        Row(left.subject, (chain_cell(catalogue, left.subject), Cell(left.reason)))
        for left in comparison.excluded
    )


def _option_of_chain(options: Sequence[SourceOption], pay_with: str) -> SourceOption:
    """The option of a chain with this token, else its first one."""
    return next((option for option in options if _find_payment(option, pay_with)), options[0])


def find_fastest(options: Sequence[SourceOption]) -> SourceOption | None:
    """The option with the shortest estimated time, the cheaper one of equals."""
    return min(options, key=lambda o: (o.fill_seconds, o.fee_micro_usd), default=None)


def _mark_badges(
    option: SourceOption, cheapest: SourceOption | None, fastest: SourceOption | None
) -> tuple[Badge, ...]:
    marks = ((CHEAPEST, cheapest), (FASTEST, fastest))
    return tuple(badge for badge, marked in marks if option is marked)


def _row(
    catalogue: Catalogue,
    comparison: Comparison,
    of_chain: Sequence[SourceOption],
    option: SourceOption,
    pay_with: str,
    badges: tuple[Badge, ...],
) -> Row:
    payment = _find_payment(option, pay_with)
    return Row(
        key=option.source,
        href=_new_payment_href(catalogue, comparison, option, payment),
        label=f"Make a payment from {chain_name(catalogue, option.source)}",
        marked=bool(badges),
        cells=(
            Cell(
                chain_name(catalogue, option.source),
                sub=_describe_way(option) if payment else "",
                badges=badges,
                tone="strong",
                marks=mark_chains(option.source),
            ),
            _amount_due_cell(of_chain, payment, pay_with),
            *_price_cells(comparison, option, payment),
        ),
    )


def _new_payment_href(
    catalogue: Catalogue,
    comparison: Comparison,
    option: SourceOption,
    payment: PaymentOption | None,
) -> str:
    """The link to the form of a new payment, prefilled with this option."""
    query = {
        "source": chain_name(catalogue, option.source),
        "to_chain": chain_name(catalogue, comparison.destination),
        "token_out": comparison.out_symbol,
        "amount": format_units(comparison.amount, comparison.out_decimals),
    }
    if payment is not None:
        query["token_in"] = payment.symbol
    return page_href("new_intent", **query)


def _find_payment(option: SourceOption, symbol: str) -> PaymentOption | None:
    return next((payment for payment in option.options if payment.symbol == symbol), None)


def _describe_way(option: SourceOption) -> str:
    return describe_bridge(option.bridge) if option.bridge else SAME_CHAIN


def _price_cells(
    comparison: Comparison, option: SourceOption, payment: PaymentOption | None
) -> tuple[Cell, Cell]:
    """Fee and time of the token paid with; none where the chain does not have it."""
    if payment is None:
        return Cell("–"), Cell("–")
    return (
        _fee_cell(comparison, option),
        Cell(
            format_duration(option.fill_seconds),
            sub=label_custody(option.custody),
            hint=describe_trust(option.custody, option.trusted_seconds),
        ),
    )


def _fee_cell(comparison: Comparison, option: SourceOption) -> Cell:
    if option.estimate_reason:
        return Cell(
            f"≈ {format_usd(option.fee_micro_usd, 4)}",
            sub=label_estimate(option.bridge or ""),
            hint=explain_estimate(option.estimate_reason),
        )
    return Cell(format_usd(option.fee_micro_usd, 4), sub=_format_fee_split(comparison, option))


def _amount_due_cell(
    of_chain: Sequence[SourceOption], payment: PaymentOption | None, symbol: str
) -> Cell:
    count = sum(len(option.options) for option in of_chain) - (payment is not None)
    alternatives = f"or {count} other token{'s' if count != 1 else ''}" if count else ""
    if payment is None:
        return Cell(f"{symbol} unavailable", sub=alternatives)
    return amount_cell(payment.deposit_amount, payment.decimals, payment.symbol, alternatives)


def _format_fee_split(comparison: Comparison, option: SourceOption) -> str:
    """The parts of the fee in the destination token; zero parts are left out."""
    parts = (
        ("service", option.service_fee_units),
        (transfer_fee_label(option.bridge or ""), option.bridge_fee_units),
        ("app", option.app_fee_units),
    )
    return ", ".join(
        f"{name} {format_amount(units, comparison.out_decimals, comparison.out_symbol)}"
        for name, units in parts
        if units
    )


def _headline(
    catalogue: Catalogue,
    pay_with: str,
    cheapest: SourceOption | None,
    fastest: SourceOption | None,
    has_estimates: bool,
) -> str:
    if cheapest is None or fastest is None:
        if has_estimates:
            return f"No bridge quotes {pay_with} now: the fees below are estimates. {NO_PAYMENT}"
        return f"No chain can pay this amount with {pay_with} now."
    fee = format_usd(cheapest.fee_micro_usd, 4)
    text = f"Cheapest from {chain_name(catalogue, cheapest.source)}: {fee}."
    if fastest is cheapest:
        return f"{text} It is also the fastest: {format_duration(fastest.fill_seconds)}."
    return (
        f"{text} Fastest from {chain_name(catalogue, fastest.source)}:"
        f" {format_duration(fastest.fill_seconds)}."
    )


def list_destinations(services: Services, testnets: bool) -> list[Chain]:
    """The configured chains, mainnets first; testnets only where they are allowed."""
    chains = [c for c in services.catalogue.chains.values() if c.id in services.chains]
    return sorted(
        (c for c in chains if testnets or not c.testnet), key=lambda c: (c.testnet, c.name.lower())
    )

"""The comparison of ramp providers: amounts, fees, times and payment channels."""

from collections.abc import Mapping
from dataclasses import dataclass

from crossway.dashboard.views.cells import Badge, Cell, Column, Row
from crossway.dashboard.views.custody import describe_bridge, label_custody
from crossway.dashboard.views.fiat import format_fee_share, format_fiat, format_rate
from crossway.dashboard.views.formatting import chain_name, format_amount, format_duration
from crossway.dashboard.views.links import prefilled_href
from crossway.dashboard.views.marks import mark_provider
from crossway.domain.clients import Principal
from crossway.domain.payment_channels import Channel, ChannelType
from crossway.domain.ramps import Direction
from crossway.domain.typed_amounts import to_plain_decimal
from crossway.ports.services import Services
from crossway.usecases.ramps import quotes as ramp_quotes
from crossway.usecases.ramps.provider_quotes import RampQuote
from crossway.usecases.ramps.quote_params import RampQuoteRequest
from crossway.usecases.ramps.quotes import RampComparison

CHEAPEST = Badge("Cheapest", "green", "savings")
RECOMMENDED = Badge(
    "Recommended", "blue", "thumb_up", hint="Lowest cost with a passed identity check"
)
DIRECTIONS: Mapping[str, str] = {
    Direction.ON: "Buy crypto (on-ramp)",
    Direction.OFF: "Sell crypto (off-ramp)",
}
CHANNEL_TYPES: Mapping[ChannelType, str] = {
    ChannelType.BANK_TRANSFER: "Bank transfer",
    ChannelType.CARD: "Card",
    ChannelType.MOBILE_MONEY: "Mobile money",
    ChannelType.WALLET: "Wallet",
}
CHANNEL_COLUMNS = (
    Column("Provider"),
    Column("Channel"),
    Column("Limits", "right"),
    Column("Fee", "right"),
    Column("Required fields", wide=True),
)
EXCLUDED_COLUMNS = (Column("Provider"), Column("Reason"))


@dataclass(frozen=True, slots=True)
class QuoteForm:
    """The form's input as typed."""

    direction: str
    currency: str
    country: str
    amount: str
    symbol: str
    chain: str
    email: str = ""
    direct_only: bool = False

    @property
    def plain_amount(self) -> str:
        """The amount as a plain decimal number. Raises `InvalidInput`."""
        return to_plain_decimal("Amount", self.amount, self.symbol)

    def to_request(self) -> RampQuoteRequest:
        """The request of the use case."""
        on = self.direction == Direction.ON
        return RampQuoteRequest(
            direction=self.direction,
            currency=self.currency,
            amount=self.plain_amount,
            destination_chain=self.chain if on else None,
            source_chain=None if on else self.chain,
            symbol=self.symbol,
            country=self.country,
            direct_only=self.direct_only,
            email=self.email.strip() or None,
        )


@dataclass(frozen=True, slots=True)
class FeePart:
    """One provider's fees in whole currency units, for the chart."""

    provider: str
    provider_fee: float
    rest: float


@dataclass(frozen=True, slots=True)
class ComparisonView:
    """The data of the comparison page."""

    headline: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    channels: tuple[Row, ...]
    excluded: tuple[Row, ...]
    fee_parts: tuple[FeePart, ...]
    empty_reason: str


def load_comparison(services: Services, caller: Principal, form: QuoteForm) -> ComparisonView:
    """Quote all providers and build the comparison; raises a `DomainError` for bad input."""
    comparison = ramp_quotes.compare_quotes(services, caller, form.to_request())
    on = form.direction == Direction.ON
    return ComparisonView(
        headline=_headline(comparison),
        columns=_columns(on),
        rows=tuple(_row(services, quote, comparison, form) for quote in comparison.quotes),
        channels=tuple(_channel_row(q, c) for q in comparison.quotes for c in q.channels),
        excluded=tuple(
            Row(excluded.subject, (Cell(excluded.subject), Cell(excluded.reason)))
            for excluded in comparison.excluded
        ),
        fee_parts=tuple(map(_fee_part, comparison.quotes)),
        empty_reason=_empty_reason(comparison, form),
    )


def _columns(on: bool) -> tuple[Column, ...]:
    return (
        Column("Provider"),
        Column("Customer pays", "right"),
        Column("Customer gets", "right"),
        Column("Total fees", "right", hint="Against the reference rate, with bridge and service"),
        Column("Estimated time", "right"),
        Column("Route", wide=True),
    )


def _headline(comparison: RampComparison) -> str:
    if not comparison.quotes:
        return ""
    best = comparison.quotes[0]
    total_fees = format_fiat(best.total_fees_minor, best.currency.digits, best.currency.code)
    text = f"{best.title} is cheapest: {total_fees} in total fees"
    if comparison.recommended not in (None, best):
        text += (
            f"; {comparison.recommended.title} is recommended because the identity check is passed"
        )
    return f"{text}."


def _row(services: Services, quote: RampQuote, comparison: RampComparison, form: QuoteForm) -> Row:
    money = format_fiat(quote.fiat_minor, quote.currency.digits, quote.currency.code)
    rate_text = format_rate(quote.rate_micro, quote.currency.code)
    is_on_ramp = quote.direction is Direction.ON
    received = format_amount(quote.crypto_units, quote.decimals, quote.token.symbol)
    deposit = format_amount(quote.gross_units, quote.token.decimals, quote.token.symbol)
    pays, receives = (money, received) if is_on_ramp else (deposit, money)
    marks = ((CHEAPEST, comparison.quotes[0]), (RECOMMENDED, comparison.recommended))
    badges = tuple(badge for badge, marked in marks if quote is marked)
    return Row(
        key=quote.provider,
        href=new_order_href(form, quote.provider),
        label=f"Open an order with {quote.title}",
        marked=quote is comparison.recommended,
        cells=(
            Cell(
                quote.title,
                sub=_describe_channels(quote),
                badges=badges,
                tone="strong",
                marks=mark_provider(quote.provider),
            ),
            Cell(pays, sub=rate_text if is_on_ramp else "", tone="strong" if is_on_ramp else ""),
            Cell(
                receives, sub="" if is_on_ramp else rate_text, tone="" if is_on_ramp else "strong"
            ),
            Cell(
                format_fiat(quote.total_fees_minor, quote.currency.digits, quote.currency.code),
                sub=format_fee_share(quote.total_fees_minor, quote.fiat_minor),
            ),
            Cell(format_duration(quote.seconds)),
            _route_cell(services, quote),
        ),
    )


def new_order_href(form: QuoteForm, provider: str) -> str:
    """The link to the form of a new order, prefilled without personal data: URLs are stored and
    logged, so the e-mail address is passed in the session."""
    return prefilled_href(
        "ramp_order_new",
        type=form.direction,
        provider=provider,
        currency=form.currency,
        country=form.country,
        amount=form.plain_amount,
        symbol=form.symbol,
        chain=form.chain,
    )


def _describe_channels(quote: RampQuote) -> str:
    kinds = {CHANNEL_TYPES[channel.type] for channel in quote.channels}
    hosted = "" if all(c.direct for c in quote.channels) else ", on the provider's own page"
    return ", ".join(sorted(kinds)) + hosted


def _route_cell(services: Services, quote: RampQuote) -> Cell:
    destination = chain_name(services.catalogue, quote.token.chain)
    theirs = chain_name(services.catalogue, quote.ramp_token.chain)
    if quote.intent_quote.bridge is None:
        return Cell(destination, sub="No bridge")
    ends = (theirs, destination) if quote.direction is Direction.ON else (destination, theirs)
    carried = quote.intent_quote
    assert carried.bridge is not None
    how = f"{describe_bridge(carried.bridge)}, {label_custody(carried.custody)}"
    return Cell(" → ".join(ends), sub=how)


def _channel_row(quote: RampQuote, channel: Channel) -> Row:
    digits, code = quote.currency.digits, quote.currency.code
    minimum = format_fiat(channel.min_minor, digits, "").strip()
    maximum = format_fiat(channel.max_minor, digits, code)
    required_fields = ", ".join(field.label for field in channel.fields if field.required)
    return Row(
        f"{quote.provider}-{channel.id}",
        (
            Cell(quote.title),
            Cell(channel.name, sub="" if channel.direct else "On the provider's own page"),
            Cell(f"{minimum} to {maximum}"),
            Cell(_format_fee(channel, digits, code)),
            Cell(required_fields or "nothing"),
        ),
    )


def _format_fee(channel: Channel, digits: int, code: str) -> str:
    parts = []
    if channel.fee_fixed_minor:
        parts.append(format_fiat(channel.fee_fixed_minor, digits, code))
    if channel.fee_bps:
        parts.append(format_fee_share(channel.fee_bps, 10_000))
    return " + ".join(parts) or "none"


def _fee_part(quote: RampQuote) -> FeePart:
    """The parts of the fees; a rate better than the reference makes the rest negative."""
    scale, fees = 10**quote.currency.digits, quote.total_fees_minor
    return FeePart(quote.title, quote.fee_minor / scale, (fees - quote.fee_minor) / scale)


def _empty_reason(comparison: RampComparison, form: QuoteForm) -> str:
    if comparison.excluded:
        return "See the reasons of each provider below."
    limitation = " without a redirect" if form.direct_only else ""
    return f"No provider serves {form.currency} in this direction{limitation}."

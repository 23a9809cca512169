"""Ramp providers compared: what the user pays and gets, what it costs, how and how fast."""

from collections.abc import Mapping
from dataclasses import dataclass

from crossway.dashboard.views.cells import Cell, Chip, Column, Row
from crossway.dashboard.views.fiat import fiat_amount, percent, rate
from crossway.dashboard.views.figures import amount, chain_name, duration
from crossway.dashboard.views.links import start_link
from crossway.domain.channels import Channel, ChannelType
from crossway.domain.clients import Caller
from crossway.domain.quotes import bridge_title
from crossway.domain.ramps import Direction
from crossway.ports.services import Services
from crossway.usecases.ramps import quotes as ramp_quotes
from crossway.usecases.ramps.prices import RampQuote
from crossway.usecases.ramps.questions import RampQuestion
from crossway.usecases.ramps.quotes import RampComparison

CHEAPEST = Chip("Cheapest", "green", "savings")
RECOMMENDED = Chip("Recommended", "blue", "thumb_up", hint="By cost and passed identity checks")
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
    Column("Its fee", "right"),
    Column("Asks for", wide=True),
)
LEFT_OUT_COLUMNS = (Column("Gave no quote"), Column("Why"))


@dataclass(frozen=True, slots=True)
class Asked:
    """What the form holds, as it was typed."""

    direction: str
    currency: str
    country: str
    amount: str
    symbol: str
    chain: str
    email: str = ""
    direct_only: bool = False

    def question(self) -> RampQuestion:
        """The same as the use case takes it."""
        on = self.direction == Direction.ON
        return RampQuestion(
            direction=self.direction,
            currency=self.currency,
            amount=self.amount.strip(),
            destination_chain=self.chain if on else None,
            source_chain=None if on else self.chain,
            symbol=self.symbol,
            country=self.country,
            direct_only=self.direct_only,
            email=self.email.strip() or None,
        )


@dataclass(frozen=True, slots=True)
class Part:
    """What one provider's fees are made of, in whole units of the currency, for a chart."""

    provider: str
    provider_fee: float
    rest: float


@dataclass(frozen=True, slots=True)
class Compared:
    """The whole screen of one comparison."""

    headline: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    channels: tuple[Row, ...]
    left_out: tuple[Row, ...]
    parts: tuple[Part, ...]
    nobody: str


def compared(services: Services, caller: Caller, asked: Asked) -> Compared:
    """Ask every provider and lay the answers side by side; a `Refusal` says what is wrong."""
    found = ramp_quotes.quotes(services, caller, asked.question())
    on = asked.direction == Direction.ON
    return Compared(
        headline=_headline(found),
        columns=_columns(on),
        rows=tuple(_row(services, quote, found, asked) for quote in found.quotes),
        channels=tuple(_channel(q, c) for q in found.quotes for c in q.channels),
        left_out=tuple(
            Row(left.subject, (Cell(left.subject), Cell(left.reason))) for left in found.left_out
        ),
        parts=tuple(map(_part, found.quotes)),
        nobody=_nobody(found, asked),
    )


def _columns(on: bool) -> tuple[Column, ...]:
    return (
        Column("Provider"),
        Column("User pays", "right"),
        Column("User gets", "right"),
        Column("All fees", "right", hint="Against the reference rate, bridge and service included"),
        Column("Usual time", "right"),
        Column("Way of the crypto", wide=True),
    )


def _headline(found: RampComparison) -> str:
    if not found.quotes:
        return ""
    best = found.quotes[0]
    cost = fiat_amount(best.total_fees_minor, best.currency.digits, best.currency.code)
    words = f"{best.title} is cheapest: {cost} in all fees"
    if found.recommended not in (None, best):
        words += f"; {found.recommended.title} is recommended, its identity check is passed"
    return f"{words}."


def _row(services: Services, quote: RampQuote, found: RampComparison, asked: Asked) -> Row:
    money = fiat_amount(quote.fiat_minor, quote.currency.digits, quote.currency.code)
    local = rate(quote.rate_micro, quote.currency.code)
    on = quote.direction is Direction.ON
    gets = amount(quote.crypto_units, quote.decimals, quote.token.symbol)
    gives = amount(quote.gross_units, quote.token.decimals, quote.token.symbol)
    pays, receives = (money, gets) if on else (gives, money)
    marks = ((CHEAPEST, found.quotes[0]), (RECOMMENDED, found.recommended))
    chips = tuple(chip for chip, marked in marks if quote is marked)
    return Row(
        key=quote.provider,
        href=order_href(asked, quote.provider),
        label=f"Open an order with {quote.title}",
        marked=quote is found.recommended,
        cells=(
            Cell(quote.title, sub=_kinds(quote), chips=chips, tone="strong"),
            Cell(pays, sub=local if on else "", tone="strong" if on else ""),
            Cell(receives, sub="" if on else local, tone="" if on else "strong"),
            Cell(
                fiat_amount(quote.total_fees_minor, quote.currency.digits, quote.currency.code),
                sub=percent(quote.total_fees_minor, quote.fiat_minor),
            ),
            Cell(duration(quote.seconds)),
            _way(services, quote),
        ),
    )


def order_href(asked: Asked, provider: str) -> str:
    """The form of a new order with this provider, filled in but for what is personal: addresses
    of pages are kept and logged. The e-mail address goes along in the session."""
    return start_link(
        "ramp_order_new",
        type=asked.direction,
        provider=provider,
        currency=asked.currency,
        country=asked.country,
        amount=asked.amount.strip(),
        symbol=asked.symbol,
        chain=asked.chain,
    )


def _kinds(quote: RampQuote) -> str:
    kinds = {CHANNEL_TYPES[channel.type] for channel in quote.channels}
    hosted = "" if all(c.direct for c in quote.channels) else ", on the provider's own page"
    return ", ".join(sorted(kinds)) + hosted


def _way(services: Services, quote: RampQuote) -> Cell:
    mine = chain_name(services.catalogue, quote.token.chain)
    theirs = chain_name(services.catalogue, quote.ramp_token.chain)
    if quote.routed.offer is None:
        return Cell(mine, sub="No bridge")
    ends = (theirs, mine) if quote.direction is Direction.ON else (mine, theirs)
    return Cell(" → ".join(ends), sub=f"by {bridge_title(quote.routed.offer.bridge)}")


def _channel(quote: RampQuote, channel: Channel) -> Row:
    digits, code = quote.currency.digits, quote.currency.code
    least = fiat_amount(channel.min_minor, digits, "").strip()
    most = fiat_amount(channel.max_minor, digits, code)
    asks = ", ".join(field.label for field in channel.fields if field.required)
    return Row(
        f"{quote.provider}-{channel.id}",
        (
            Cell(quote.title),
            Cell(channel.name, sub="" if channel.direct else "On the provider's own page"),
            Cell(f"{least} to {most}"),
            Cell(_fee(channel, digits, code)),
            Cell(asks or "nothing"),
        ),
    )


def _fee(channel: Channel, digits: int, code: str) -> str:
    parts = []
    if channel.fee_fixed_minor:
        parts.append(fiat_amount(channel.fee_fixed_minor, digits, code))
    if channel.fee_bps:
        parts.append(percent(channel.fee_bps, 10_000))
    return " + ".join(parts) or "none"


def _part(quote: RampQuote) -> Part:
    """The fees in their parts; a rate better than the reference makes the rest negative."""
    scale, fees = 10**quote.currency.digits, quote.total_fees_minor
    return Part(quote.title, quote.fee_minor / scale, (fees - quote.fee_minor) / scale)


def _nobody(found: RampComparison, asked: Asked) -> str:
    if found.left_out:
        return "Every provider that serves this was asked; the reasons are below."
    how = " without leaving for a provider's page" if asked.direct_only else ""
    return f"No provider serves {asked.currency} in this direction{how}."

"""The guided form of a ramp order: its choices, its price, what is wrong with it, the order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from crossway.dashboard.views import kyc as kyc_view
from crossway.dashboard.views.cells import Cell, Fact
from crossway.dashboard.views.fiat import fiat_amount, percent, rate
from crossway.dashboard.views.figures import amount, chain_name, duration, grouped
from crossway.dashboard.views.ramp_quotes import Asked
from crossway.domain.channels import Channel, Field
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.identity import read_email
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.domain.quotes import bridge_title
from crossway.domain.ramps import Direction, RampOrder
from crossway.ports.services import Services
from crossway.usecases.payments.terms import payable
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps.prices import RampQuote
from crossway.usecases.ramps.quotes import quote_for_order
from crossway.usecases.ramps.terms import NewOrder

EXAMPLE_EMAIL = "ada@example.com"


@dataclass(frozen=True, slots=True)
class Draft:
    """The form as it stands; `wallet` receives the crypto of an on-ramp, sends an off-ramp's."""

    asked: Asked
    provider: str
    channel: Channel
    wallet: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def on(self) -> bool:
        """Whether local money becomes crypto."""
        return self.asked.direction == Direction.ON


def providers(services: Services, direction: str, currency: str, country: str) -> dict[str, str]:
    """Those that serve a corridor in this direction, with their names for people."""
    return {
        one.name.value: one.capabilities.title
        for one in services.ramps
        if one.capabilities.channels_for(Direction(direction), currency, country)
    }


def channels(
    services: Services, provider: str, direction: str, currency: str, country: str
) -> dict[str, Channel]:
    """A provider's channels there, by their ids."""
    can = next(one.capabilities for one in services.ramps if one.name == provider)
    return {one.id: one for one in can.channels_for(Direction(direction), currency, country)}


def priced(services: Services, caller: Caller, draft: Draft) -> RampQuote:
    """What the order would cost now; a `Refusal` says why it cannot be."""
    question = replace(draft.asked.question(), channel=draft.channel.id)
    return quote_for_order(services, caller, question, draft.provider)


def price_facts(services: Services, quote: RampQuote) -> tuple[Fact, ...]:
    """The price as the form shows it before anything is opened."""
    digits, code = quote.currency.digits, quote.currency.code
    local = Cell(fiat_amount(quote.fiat_minor, digits, code), tone="strong")
    crypto = amount(quote.crypto_units, quote.decimals, quote.token.symbol)
    fees = fiat_amount(quote.total_fees_minor, digits, code)
    gross = amount(quote.gross_units, quote.token.decimals, quote.token.symbol)
    on = quote.direction is Direction.ON
    moved = (Fact("User pays", local), Fact("User gets", Cell(crypto)))
    if not on:
        moved = (Fact("User deposits", Cell(gross, tone="strong")), Fact("User gets", local))
    return (
        *moved,
        Fact("All fees in it", Cell(fees, percent(quote.total_fees_minor, quote.fiat_minor))),
        Fact("Provider's rate", Cell(rate(quote.rate_micro, code))),
        Fact("Way of the crypto", _way(services, quote)),
        Fact("Usual time", Cell(f"about {duration(quote.seconds)} once paid")),
    )


def _way(services: Services, quote: RampQuote) -> Cell:
    mine = chain_name(services.catalogue, quote.token.chain)
    theirs = chain_name(services.catalogue, quote.ramp_token.chain)
    if quote.routed.offer is None:
        return Cell(mine, "no bridge")
    ends = (theirs, mine) if quote.direction is Direction.ON else (mine, theirs)
    return Cell(" → ".join(ends), f"by {bridge_title(quote.routed.offer.bridge)}")


def button(draft: Draft, quote: RampQuote | None) -> str:
    """The button, named by its effect."""
    kind = "on-ramp" if draft.on else "off-ramp"
    if quote is None:
        return f"Open an {kind} order"
    local = fiat_amount(quote.fiat_minor, quote.currency.digits, quote.currency.code)
    crypto = f"{grouped(draft.asked.amount.strip())} {draft.asked.symbol}"
    if draft.on:
        return f"Open an on-ramp order: the user pays {local} for {crypto}"
    return f"Open an off-ramp order: the user gets {local} for {crypto}"


def standing(
    services: Services, caller: Caller, draft: Draft, quote: RampQuote
) -> kyc_view.Panel | None:
    """Where the person stands for this very order; None without a whole e-mail address."""
    email, asked = draft.asked.email.strip(), draft.asked
    if not email or email_complaint(email):
        return None
    worth = format_units(quote.worth_micro_usd, MICRO_USD_DECIMALS)
    return kyc_view.panel(
        services, caller, draft.provider, email, asked.country, asked.currency, worth
    )


def field_complaint(asked: Field, typed: str) -> str:
    """What is wrong with a channel's field as it stands; nothing while it is still empty."""
    if not typed.strip():
        return ""
    said = _refusal(lambda: asked.read(typed))
    return said.replace(f"fields.{asked.key}", asked.label).removesuffix(f": {asked.label}")


def email_complaint(typed: str) -> str:
    """What is wrong with an e-mail address; nothing while it is still empty."""
    return _refusal(lambda: read_email(typed, "E-mail")) if typed.strip() else ""


def wallet_complaint(services: Services, chain: str, typed: str) -> str:
    """What is wrong with a wallet's address; nothing while it is still empty."""
    if not typed.strip():
        return ""
    known = services.catalogue.chains[chain]
    return _refusal(lambda: payable(services, known, typed.strip(), "The address"))


def _refusal(read: Callable[[], object]) -> str:
    try:
        read()
    except InvalidInput as refusal:
        return str(refusal)
    return ""


def create(services: Services, caller: Caller, draft: Draft) -> RampOrder:
    """Open the order. Raises `InvalidInput` with everything that is wrong or missing."""
    if wrong := _wrong(services, draft):
        raise InvalidInput("; ".join(wrong))
    asked = draft.asked
    return ramp_orders.create(
        services,
        caller,
        NewOrder(
            direction=asked.direction,
            provider=draft.provider,
            currency=asked.currency,
            country=asked.country,
            amount=asked.amount.strip(),
            symbol=asked.symbol,
            destination_chain=asked.chain if draft.on else None,
            source_chain=None if draft.on else asked.chain,
            recipient=draft.wallet.strip() if draft.on else None,
            sender=None if draft.on else draft.wallet.strip(),
            email=asked.email.strip() or None,
            channel=draft.channel.id,
            fields={key: value for key, value in draft.fields.items() if value.strip()},
        ),
    )


def _wrong(services: Services, draft: Draft) -> list[str]:
    """Every complaint of the form, in its order."""
    email, wallet = draft.asked.email, draft.wallet
    found = [email_complaint(email), wallet_complaint(services, draft.asked.chain, wallet)]
    if draft.channel.direct and not email.strip():
        found.append("E-mail: say for whom the order is")
    if not wallet.strip():
        whose = "gets the crypto" if draft.on else "sends the crypto, and gets it back"
        found.append(f"Wallet: say which address {whose}")
    for one in draft.channel.fields:
        typed = draft.fields.get(one.key, "")
        found.append(field_complaint(one, typed))
        if one.required and not typed.strip():
            found.append(f"{one.label}: this is required")
    return [words for words in found if words]


def example_fields(channel: Channel) -> dict[str, str]:
    """Values of the right form for trying things out."""
    return {one.key: one.options[0].value if one.options else one.example for one in channel.fields}

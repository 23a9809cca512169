"""The form of a new ramp order: its choices, price, validation and the created order."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from crossway.dashboard.views import kyc as kyc_view
from crossway.dashboard.views.cells import Cell, Detail
from crossway.dashboard.views.custody import describe_bridge, label_custody
from crossway.dashboard.views.fiat import format_fee_share, format_fiat, format_rate
from crossway.dashboard.views.formatting import (
    chain_name,
    format_amount,
    format_duration,
    group_thousands,
)
from crossway.dashboard.views.ramp_quotes import QuoteForm
from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.kyc_fields import parse_email
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.domain.payment_channels import Channel, Field
from crossway.domain.ramps import Direction, RampOrder
from crossway.ports.services import Services
from crossway.usecases.chains.payable_addresses import parse_payable_address
from crossway.usecases.ramps import orders as ramp_orders
from crossway.usecases.ramps.create_order import CreateOrderRequest
from crossway.usecases.ramps.provider_quotes import RampQuote
from crossway.usecases.ramps.quotes import get_quote_for_order

EXAMPLE_EMAIL = "ada@example.com"


@dataclass(frozen=True, slots=True)
class Draft:
    """The form's input; `wallet` receives the crypto of an on-ramp or sends it for an off-ramp."""

    form: QuoteForm
    provider: str
    channel: Channel
    wallet: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)

    @property
    def on(self) -> bool:
        """Whether this is an on-ramp (fiat to crypto)."""
        return self.form.direction == Direction.ON


def list_providers(
    services: Services, direction: str, currency: str, country: str
) -> dict[str, str]:
    """The providers that serve a corridor in this direction, with display names."""
    return {
        provider.name.value: provider.capabilities.title
        for provider in services.ramps
        if provider.capabilities.channels_for(Direction(direction), currency, country)
    }


def list_channels(
    services: Services, provider: str, direction: str, currency: str, country: str
) -> dict[str, Channel]:
    """A provider's payment channels in a corridor, by id."""
    capabilities = next(
        channel.capabilities for channel in services.ramps if channel.name == provider
    )
    return {
        channel.id: channel
        for channel in capabilities.channels_for(Direction(direction), currency, country)
    }


def price_draft(services: Services, caller: Principal, draft: Draft) -> RampQuote:
    """The current quote of the order; raises a `DomainError` when there is none."""
    request = replace(draft.form.to_request(), channel=draft.channel.id)
    return get_quote_for_order(services, caller, request, draft.provider)


def build_price_details(services: Services, quote: RampQuote) -> tuple[Detail, ...]:
    """The quote as shown beside the form."""
    digits, code = quote.currency.digits, quote.currency.code
    local = Cell(format_fiat(quote.fiat_minor, digits, code), tone="strong")
    crypto = format_amount(quote.crypto_units, quote.decimals, quote.token.symbol)
    fees = format_fiat(quote.total_fees_minor, digits, code)
    gross = format_amount(quote.gross_units, quote.token.decimals, quote.token.symbol)
    is_on_ramp = quote.direction is Direction.ON
    moved = (Detail("Customer pays", local), Detail("Customer gets", Cell(crypto)))
    if not is_on_ramp:
        deposit = Detail("Customer deposits", Cell(gross, tone="strong"))
        moved = (deposit, Detail("Customer gets", local))
    return (
        *moved,
        Detail(
            "Total fees included",
            Cell(fees, format_fee_share(quote.total_fees_minor, quote.fiat_minor)),
        ),
        Detail("Provider's rate", Cell(format_rate(quote.rate_micro, code))),
        Detail("Route", _route_cell(services, quote)),
        Detail("Estimated time", Cell(f"about {format_duration(quote.seconds)} after payment")),
    )


def _route_cell(services: Services, quote: RampQuote) -> Cell:
    destination = chain_name(services.catalogue, quote.token.chain)
    theirs = chain_name(services.catalogue, quote.ramp_token.chain)
    if quote.intent_quote.bridge is None:
        return Cell(destination, "no bridge")
    ends = (theirs, destination) if quote.direction is Direction.ON else (destination, theirs)
    carried = quote.intent_quote
    assert carried.bridge is not None
    how = f"{describe_bridge(carried.bridge)}, {label_custody(carried.custody)}"
    return Cell(" → ".join(ends), how)


def button_label(draft: Draft, quote: RampQuote | None) -> str:
    """The label of the submit button, with the amounts."""
    kind = "on-ramp" if draft.on else "off-ramp"
    if quote is None:
        return f"Open an {kind} order"
    local = format_fiat(quote.fiat_minor, quote.currency.digits, quote.currency.code)
    crypto = f"{group_thousands(draft.form.plain_amount)} {draft.form.symbol}"
    if draft.on:
        return f"Open an on-ramp order: the customer pays {local} for {crypto}"
    return f"Open an off-ramp order: the customer gets {local} for {crypto}"


def load_kyc_panel(
    services: Services, caller: Principal, draft: Draft, quote: RampQuote
) -> kyc_view.Panel | None:
    """The customer's KYC status for this order; None without a valid e-mail address."""
    email, form = draft.form.email.strip(), draft.form
    if not email or validate_email(email):
        return None
    usd_value = format_units(quote.value_micro_usd, MICRO_USD_DECIMALS)
    return kyc_view.load_panel(
        services, caller, draft.provider, email, form.country, form.currency, usd_value
    )


def validate_field(channel_field: Field, typed: str) -> str:
    """The error of a channel's field; empty while nothing is typed."""
    if not typed.strip():
        return ""
    error = _error_message(lambda: channel_field.parse(typed))
    return error.replace(f"fields.{channel_field.key}", channel_field.label).removesuffix(
        f": {channel_field.label}"
    )


def validate_email(typed: str) -> str:
    """The error of an e-mail address; empty while nothing is typed."""
    return _error_message(lambda: parse_email(typed, "E-mail")) if typed.strip() else ""


def validate_wallet(services: Services, chain: str, typed: str) -> str:
    """The error of a wallet address; empty while nothing is typed."""
    if not typed.strip():
        return ""
    configured = services.catalogue.chains[chain]
    return _error_message(
        lambda: parse_payable_address(services, configured, typed.strip(), "The address")
    )


def _error_message(read: Callable[[], object]) -> str:
    try:
        read()
    except InvalidInput as refusal:
        return str(refusal)
    return ""


def create_order(services: Services, caller: Principal, draft: Draft) -> RampOrder:
    """Create the order. Raises `InvalidInput` with all errors of the form."""
    if errors := _validate(services, draft):
        raise InvalidInput("; ".join(errors))
    form = draft.form
    return ramp_orders.create_order(
        services,
        caller,
        CreateOrderRequest(
            direction=form.direction,
            provider=draft.provider,
            currency=form.currency,
            country=form.country,
            amount=form.plain_amount,
            symbol=form.symbol,
            destination_chain=form.chain if draft.on else None,
            source_chain=None if draft.on else form.chain,
            recipient=draft.wallet.strip() if draft.on else None,
            sender=None if draft.on else draft.wallet.strip(),
            email=form.email.strip() or None,
            channel=draft.channel.id,
            fields={key: value for key, value in draft.fields.items() if value.strip()},
        ),
    )


def _validate(services: Services, draft: Draft) -> list[str]:
    """All errors of the form, in the order of its fields."""
    email, wallet = draft.form.email, draft.wallet
    errors = [validate_email(email), validate_wallet(services, draft.form.chain, wallet)]
    if draft.channel.direct and not email.strip():
        errors.append("E-mail: enter the customer's e-mail address")
    if not wallet.strip():
        whose = "receives the crypto" if draft.on else "sends the crypto and gets refunds"
        errors.append(f"Wallet: enter the address that {whose}")
    for channel_field in draft.channel.fields:
        typed = draft.fields.get(channel_field.key, "")
        errors.append(validate_field(channel_field, typed))
        if channel_field.required and not typed.strip():
            errors.append(f"{channel_field.label}: this is required")
    return [error for error in errors if error]


def example_fields(channel: Channel) -> dict[str, str]:
    """Valid example values of a channel's fields."""
    return {
        channel_field.key: channel_field.options[0].value
        if channel_field.options
        else channel_field.example
        for channel_field in channel.fields
    }

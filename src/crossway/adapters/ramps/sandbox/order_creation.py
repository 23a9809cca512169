"""Creating a sandbox order: validation, payment instructions, addresses and deadlines."""

import re
from dataclasses import replace
from hashlib import sha256

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.simulated.blocks.derivation import derive_address
from crossway.adapters.ramps.sandbox.behaviour import BPS, Behaviour
from crossway.adapters.ramps.sandbox.orders import Order, derive_reference
from crossway.domain.errors import InvalidInput
from crossway.domain.money import format_units
from crossway.domain.payment_channels import ChannelType, parse_fields
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Capabilities, OrderRequest

# The simulated provider page is part of our own dashboard, so that no link leads off this machine.
PAGE = "/widget"
ALL_ZEROS = re.compile(r"0{4,}\Z")


def build_order(
    capabilities: Capabilities, family: str, request: OrderRequest, behaviour: Behaviour, now: float
) -> Order:
    """The provider's order for a request; deterministic except for the times."""
    reference = derive_reference(capabilities.name, request.reference)
    is_on_ramp = request.direction is Direction.ON
    extra_bps = behaviour.overcharge_bps if is_on_ramp else -behaviour.overcharge_bps
    fiat_minor = request.fiat_minor * (BPS + extra_bps) // BPS
    pay_by = now + request.channel.pay_seconds
    return Order(
        reference=reference,
        provider=capabilities.name,
        direction=request.direction,
        fiat_minor=fiat_minor,
        chain=request.token.chain,
        token=request.token.address,
        amount=request.amount,
        to_address=request.to_address,
        refund_address=derive_refund_address(capabilities, family)
        if is_on_ramp
        else _canonical_or_empty(family, request.refund_address),
        pay_to="" if is_on_ramp else derive_address(family, f"ramp {reference}"),
        widget_url=widget_url(reference) if is_on_ramp and not request.channel.direct else "",
        instructions=_instructions(capabilities, request, reference, fiat_minor),
        pay_by=pay_by,
        closes_at=pay_by + request.channel.deliver_seconds,
    )


def as_refused(order: Order, reason: str) -> Order:
    """The same order, permanently refused."""
    return replace(order, refusal_reason=reason)


def find_refusal_reason(capabilities: Capabilities, request: OrderRequest) -> str:
    """Why the provider refuses an order; empty when it accepts it.

    It refuses a field of at least four digits that are all zeros, as an unknown account.
    """
    channels = capabilities.channels_for(request.direction, request.currency.code, request.country)
    if request.channel.id not in {channel.id for channel in channels}:
        return (
            f"{capabilities.title} has no channel {request.channel.id} for {request.currency.code}"
        )
    if not any(
        (token.chain, token.address) == (request.token.chain, request.token.address)
        for token in capabilities.tokens
    ):
        return (
            f"{capabilities.title} does not serve {request.token.symbol} on {request.token.chain}"
        )
    if request.channel.direct:
        try:
            fields = parse_fields(request.channel, request.fields)
        except InvalidInput as refusal:
            return str(refusal)
        for key, value in fields.items():
            if ALL_ZEROS.match(value):
                return f"{capabilities.title} knows no account with this {key}"
    return ""


def derive_refund_address(capabilities: Capabilities, family: str) -> str:
    """The address on chains of a family that receives crypto returned to this provider."""
    return derive_address(family, f"ramp {capabilities.name} returns")


def _canonical_or_empty(family: str, address: str) -> str:
    """The canonical address, or empty when it is invalid on chains of this family."""
    try:
        return canonical_address(family, address)
    except ValueError:
        return ""


def widget_url(reference: str) -> str:
    """The URL of the provider's page for an order."""
    return f"{PAGE}?reference={reference}"


def _instructions(
    capabilities: Capabilities, request: OrderRequest, reference: str, fiat_minor: int
) -> dict[str, str]:
    """Payment instructions, label to value; an off-ramp is paid at its intent's address."""
    currency = request.currency
    amount = f"{format_units(fiat_minor, currency.digits, currency.digits)} {currency.code}"
    if request.direction is Direction.OFF:
        return {"Payout": amount, "Reference": reference}
    if not request.channel.direct:
        return {"Amount": amount, "Reference": reference}
    digits = str(int(sha256(f"{capabilities.name} {request.channel.id}".encode()).hexdigest(), 16))
    recipient = {
        ChannelType.BANK_TRANSFER: {
            "Bank": f"{capabilities.title} Settlement Bank (simulated)",
            "Account name": f"{capabilities.title} Collections",
            "Account number": digits[:10],
        },
        ChannelType.MOBILE_MONEY: {
            "Operator": f"{request.channel.name} (simulated)",
            "Paybill number": digits[:6],
            "Account number": reference,
        },
        ChannelType.CARD: {"Card payment": f"{capabilities.title} (simulated)"},
        ChannelType.WALLET: {"Wallet": f"{capabilities.title} wallet {digits[:8]} (simulated)"},
    }[request.channel.type]
    return {**recipient, "Amount": amount, "Reference": reference}

"""What a sandbox provider answers to a new order: how to pay it, where, and until when."""

import re
from dataclasses import replace
from hashlib import sha256

from crossway.adapters.chains.addresses import canonical
from crossway.adapters.chains.simulated.identities import made_address
from crossway.adapters.ramps.sandbox.behaviour import MOST_BPS, Behaviour
from crossway.adapters.ramps.sandbox.orders import Order, reference_of
from crossway.domain.channels import ChannelType, read_fields
from crossway.domain.errors import InvalidInput
from crossway.domain.money import format_units
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Capabilities, Opening

# Where the person at the simulator plays the provider's customer: a page of our own dashboard, so
# that no link of the sandbox leads off this machine.
PAGE = "/widget"
ALL_ZEROS = re.compile(r"0{4,}\Z")


def order_of(can: Capabilities, family: str, asked: Opening, how: Behaviour, now: float) -> Order:
    """The order as this provider takes it, a function of what was asked but for the time."""
    reference = reference_of(can.name, asked.reference)
    on = asked.direction is Direction.ON
    more = how.overcharge_bps if on else -how.overcharge_bps
    fiat_minor = asked.fiat_minor * (MOST_BPS + more) // MOST_BPS
    pay_by = now + asked.channel.pay_seconds
    return Order(
        reference=reference,
        provider=can.name,
        direction=asked.direction,
        fiat_minor=fiat_minor,
        chain=asked.token.chain,
        token=asked.token.address,
        units=asked.units,
        to_address=asked.to_address,
        refund_address=refund_address(can, family) if on else _there(family, asked.refund_address),
        pay_to="" if on else made_address(family, f"ramp {reference}"),
        widget_url=widget_url(reference) if on and not asked.channel.direct else "",
        instructions=_instructions(can, asked, reference, fiat_minor),
        pay_by=pay_by,
        closes_at=pay_by + asked.channel.deliver_seconds,
    )


def refused(order: Order, reason: str) -> Order:
    """The same order as one that the provider does not take, now or ever."""
    return replace(order, refused=reason)


def objection(can: Capabilities, asked: Opening) -> str:
    """Why the provider does not take an order; empty when it does.

    It refuses a field of at least four digits that are all zeros: no such account exists.
    """
    mine = can.channels_for(asked.direction, asked.currency.code, asked.country)
    if asked.channel.id not in {channel.id for channel in mine}:
        return f"{can.title} has no channel {asked.channel.id} for {asked.currency.code}"
    if not any(
        (token.chain, token.address) == (asked.token.chain, asked.token.address)
        for token in can.tokens
    ):
        return f"{can.title} does not serve {asked.token.symbol} on {asked.token.chain}"
    if asked.channel.direct:
        try:
            read = read_fields(asked.channel, asked.fields)
        except InvalidInput as refusal:
            return str(refusal)
        for key, value in read.items():
            if ALL_ZEROS.match(value):
                return f"{can.title} knows no account with this {key}"
    return ""


def refund_address(can: Capabilities, family: str) -> str:
    """Where crypto goes back to that this provider paid, on chains of a family."""
    return made_address(family, f"ramp {can.name} returns")


def _there(family: str, address: str) -> str:
    """An address, if it is one on chains of this family; nothing where crypto would be lost."""
    try:
        return canonical(family, address)
    except ValueError:
        return ""


def widget_url(reference: str) -> str:
    """The provider's page for an order."""
    return f"{PAGE}?reference={reference}"


def _instructions(
    can: Capabilities, asked: Opening, reference: str, fiat_minor: int
) -> dict[str, str]:
    """How the user pays, label to value; an off-ramp is paid at the address of its intent."""
    money = asked.currency
    amount = f"{format_units(fiat_minor, money.digits, money.digits)} {money.code}"
    if asked.direction is Direction.OFF:
        return {"Payout": amount, "Reference": reference}
    if not asked.channel.direct:
        return {"Amount": amount, "Reference": reference}
    number = str(int(sha256(f"{can.name} {asked.channel.id}".encode()).hexdigest(), 16))
    paid_to = {
        ChannelType.BANK_TRANSFER: {
            "Bank": f"{can.title} Settlement Bank (simulated)",
            "Account name": f"{can.title} Collections",
            "Account number": number[:10],
        },
        ChannelType.MOBILE_MONEY: {
            "Operator": f"{asked.channel.name} (simulated)",
            "Paybill number": number[:6],
            "Account number": reference,
        },
        ChannelType.CARD: {"Card payment": f"{can.title} (simulated)"},
        ChannelType.WALLET: {"Wallet": f"{can.title} wallet {number[:8]} (simulated)"},
    }[asked.channel.type]
    return {**paid_to, "Amount": amount, "Reference": reference}

"""Sandbox quotes: the reference rate, the provider's spread and its channels' fees."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from crossway.adapters.ramps.sandbox.behaviour import BPS, Behaviour
from crossway.domain.fiat import RATE_SCALE, Currency, Rate
from crossway.domain.money import format_units
from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Capabilities, ProviderQuote, ProviderQuoteRequest, ProviderRejected

QUOTE_SECONDS = 60


def build_quote(
    capabilities: Capabilities,
    rate: Rate | None,
    request: ProviderQuoteRequest,
    channels: Sequence[Channel],
    behaviour: Behaviour,
    now: datetime,
) -> ProviderQuote:
    """A quote through the cheapest of these channels that accepts the amount; every token counts
    as a US dollar. Raises `ProviderRejected`."""
    code = request.currency.code
    if rate is None or (request.token.chain, request.token.symbol) not in {
        (token.chain, token.symbol) for token in capabilities.tokens
    }:
        coin = f"{request.token.symbol} on {request.token.chain}"
        raise ProviderRejected(f"{capabilities.title} does not serve {code} with {coin}")
    rate_micro = provider_rate(capabilities, rate, request.direction, behaviour)
    value_minor = _value_minor(request, rate_micro)
    priced_channels = [
        (*apply_fee(channel, request.direction, value_minor), channel)
        for channel in _serving_channels(capabilities, request, channels)
    ]
    in_limits = [
        entry
        for entry in priced_channels
        if max(entry[2].min_minor, 1) <= entry[0] <= entry[2].max_minor
    ]
    if not in_limits:
        raise ProviderRejected(_limits_message(capabilities, request.currency, priced_channels))
    sign = 1 if request.direction is Direction.ON else -1
    in_limits.sort(key=lambda entry: (sign * entry[0], entry[2].id))
    fiat_minor, fee_minor, _ = in_limits[0]
    return ProviderQuote(
        fiat_minor=fiat_minor,
        fee_minor=fee_minor,
        rate_micro=rate_micro,
        channels=tuple(channel for _, _, channel in in_limits),
        quote_id=_quote_id(capabilities, request, fiat_minor, now),
        expires_at=now + timedelta(seconds=QUOTE_SECONDS),
    )


def provider_rate(
    capabilities: Capabilities, rate: Rate, direction: Direction, behaviour: Behaviour
) -> int:
    """The reference rate in millionths per USD, worsened for the user by the spread."""
    spread_bps = capabilities.spreads_bps.get(rate.currency, capabilities.spreads_bps.get("", 0))
    signed_bps = spread_bps if direction is Direction.ON else -spread_bps
    scaled = rate.micro_per_usd * (BPS + signed_bps) * (BPS + behaviour.rate_bps)
    round_up = direction is Direction.ON
    return max(-(-scaled // BPS**2) if round_up else scaled // BPS**2, 1)


def apply_fee(channel: Channel, direction: Direction, value_minor: int) -> tuple[int, int]:
    """The amount that the user pays (on-ramp) or receives (off-ramp) through a channel for crypto
    of this value, and the channel's fee in it, both in minor units."""
    if direction is Direction.OFF:
        fee_minor = channel.fee_minor(value_minor)
        return value_minor - fee_minor, fee_minor
    net_bps = BPS - channel.fee_bps
    paid_minor = -(-(value_minor + channel.fee_fixed_minor) * BPS // net_bps)
    while paid_minor - channel.fee_minor(paid_minor) < value_minor:
        paid_minor += 1
    return paid_minor, paid_minor - value_minor


def _serving_channels(
    capabilities: Capabilities, request: ProviderQuoteRequest, channels: Sequence[Channel]
) -> list[Channel]:
    """These channels as far as the provider offers them for the request. Raises
    `ProviderRejected` when it offers none."""
    code, country = request.currency.code, request.country
    offered = capabilities.channels_for(request.direction, code, country)
    channel_ids = {channel.id for channel in offered}
    serving = [channel for channel in channels if channel.id in channel_ids]
    if not serving:
        raise ProviderRejected(f"{capabilities.title} has no such channel for {code} in {country}")
    return serving


def _value_minor(request: ProviderQuoteRequest, rate_micro: int) -> int:
    """The value of the crypto in minor units, rounded against the user."""
    numerator = request.amount * rate_micro * 10**request.currency.digits
    denominator = 10**request.token.decimals * RATE_SCALE
    return int(
        -(-numerator // denominator)
        if request.direction is Direction.ON
        else numerator // denominator
    )


def _limits_message(
    capabilities: Capabilities,
    currency: Currency,
    priced_channels: Sequence[tuple[int, int, Channel]],
) -> str:
    minimum = min(channel.min_minor for _, _, channel in priced_channels)
    maximum = max(channel.max_minor for _, _, channel in priced_channels)
    low, high = (
        format_units(minor, currency.digits, currency.digits) for minor in (minimum, maximum)
    )
    return f"{capabilities.title} takes orders from {low} to {high} {currency.code}"


def _quote_id(
    capabilities: Capabilities, request: ProviderQuoteRequest, fiat_minor: int, now: datetime
) -> str:
    parts = (
        capabilities.name,
        request.direction,
        request.currency.code,
        request.country,
        request.token.chain,
        request.token.symbol,
        str(request.amount),
        str(fiat_minor),
        now.isoformat(),
    )
    return f"quote-{sha256(' '.join(parts).encode()).hexdigest()[:24]}"

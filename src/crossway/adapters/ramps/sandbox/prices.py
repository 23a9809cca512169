"""What a sandbox provider asks and pays: the reference rate, its spread, its channels' fees."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256

from crossway.adapters.ramps.sandbox.behaviour import MOST_BPS, Behaviour
from crossway.domain.channels import Channel
from crossway.domain.fiat import RATE_SCALE, Currency, Rate
from crossway.domain.money import format_units
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Ask, Capabilities, Priced, ProviderRefused

QUOTE_SECONDS = 60


def price(
    can: Capabilities,
    rate: Rate | None,
    ask: Ask,
    channels: Sequence[Channel],
    how: Behaviour,
    now: datetime,
) -> Priced:
    """The price by the cheapest of these channels that takes the amount, each of them with a token
    that counts as a dollar. Raises `ProviderRefused` in words."""
    code = ask.currency.code
    if rate is None or (ask.token.chain, ask.token.symbol) not in {
        (token.chain, token.symbol) for token in can.tokens
    }:
        raise ProviderRefused(
            f"{can.title} does not serve {code} with {ask.token.symbol} on {ask.token.chain}"
        )
    own = {channel.id for channel in can.channels_for(ask.direction, code, ask.country)}
    serving = [channel for channel in channels if channel.id in own]
    if not serving:
        raise ProviderRefused(f"{can.title} has no such channel for {code} in {ask.country}")
    rate_micro = provider_rate(can, rate, ask.direction, how)
    worth = _worth(ask, rate_micro)
    priced = [(*with_fee(channel, ask.direction, worth), channel) for channel in serving]
    fitting = [one for one in priced if max(one[2].min_minor, 1) <= one[0] <= one[2].max_minor]
    if not fitting:
        raise ProviderRefused(_outside(can, ask.currency, priced))
    dearer = 1 if ask.direction is Direction.ON else -1
    fitting.sort(key=lambda one: (dearer * one[0], one[2].id))
    fiat, fee, _ = fitting[0]
    return Priced(
        fiat_minor=fiat,
        fee_minor=fee,
        rate_micro=rate_micro,
        channels=tuple(channel for _, _, channel in fitting),
        quote_id=_quote_id(can, ask, fiat, now),
        expires_at=now + timedelta(seconds=QUOTE_SECONDS),
    )


def provider_rate(can: Capabilities, rate: Rate, direction: Direction, how: Behaviour) -> int:
    """Millionths of the currency per USD: the reference, worse for the user by the spread."""
    spread = can.spreads_bps.get(rate.currency, can.spreads_bps.get("", 0))
    signed = spread if direction is Direction.ON else -spread
    scaled = rate.micro_per_usd * (MOST_BPS + signed) * (MOST_BPS + how.rate_bps)
    up = direction is Direction.ON
    return max(-(-scaled // MOST_BPS**2) if up else scaled // MOST_BPS**2, 1)


def with_fee(channel: Channel, direction: Direction, worth_minor: int) -> tuple[int, int]:
    """What the user pays (on-ramp) or gets (off-ramp) by a channel for crypto of this worth, and
    the fee in between: what the channel takes of the amount that the user pays or is owed."""
    if direction is Direction.OFF:
        fee = channel.fee_minor(worth_minor)
        return worth_minor - fee, fee
    kept = MOST_BPS - channel.fee_bps
    paid = -(-(worth_minor + channel.fee_fixed_minor) * MOST_BPS // kept)
    while paid - channel.fee_minor(paid) < worth_minor:
        paid += 1
    return paid, paid - worth_minor


def _worth(ask: Ask, rate_micro: int) -> int:
    """Minor units that the crypto is worth at a rate, rounded against the user."""
    top = ask.units * rate_micro * 10**ask.currency.digits
    bottom = 10**ask.token.decimals * RATE_SCALE
    return int(-(-top // bottom) if ask.direction is Direction.ON else top // bottom)


def _outside(can: Capabilities, money: Currency, priced: Sequence[tuple[int, int, Channel]]) -> str:
    least = min(channel.min_minor for _, _, channel in priced)
    most = max(channel.max_minor for _, _, channel in priced)
    low, high = (format_units(minor, money.digits, money.digits) for minor in (least, most))
    return f"{can.title} takes orders from {low} to {high} {money.code}"


def _quote_id(can: Capabilities, ask: Ask, fiat_minor: int, now: datetime) -> str:
    parts = (
        can.name,
        ask.direction,
        ask.currency.code,
        ask.country,
        ask.token.chain,
        ask.token.symbol,
        str(ask.units),
        str(fiat_minor),
        now.isoformat(),
    )
    return f"quote-{sha256(' '.join(parts).encode()).hexdigest()[:24]}"

"""Every channel of every provider works in the sandbox, with the data as it is shipped."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.adapters.ramps.capabilities import load_capabilities
from crossway.adapters.ramps.sandbox.behaviour import Behaviour
from crossway.adapters.ramps.sandbox.order_creation import find_objection
from crossway.adapters.ramps.sandbox.quotes import build_quote
from crossway.catalogue.fiat import load_fiat
from crossway.domain.fiat import fiat_of_usd, usd_of_fiat
from crossway.domain.kyc import KycType
from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import Capabilities, Document, OrderRequest, ProviderQuoteRequest
from crossway.ports.sandbox import RampFaults
from tests.ramps import EMAIL, Ramp
from tests.services import NOW
from tests.simulation import catalogue

FIAT = load_fiat()
ALL = {name: load_capabilities(name, catalogue(), FIAT) for name in ProviderName}
# The others verify on a page of their own.
VERIFYING = {name: can for name, can in ALL.items() if can.kyc_mode != "widget"}
CHANNELS = [(can, channel) for can in ALL.values() for channel in can.channels]


@pytest.mark.parametrize(
    ("can", "channel"), CHANNELS, ids=[f"{can.name}-{channel.id}" for can, channel in CHANNELS]
)
def test_an_order_by_every_channel_is_priced_and_taken(can: Capabilities, channel: Channel) -> None:
    currency = FIAT.corridors[channel.currency].currency
    rate = FIAT.rates[channel.currency]
    worth = usd_of_fiat((channel.min_minor + channel.max_minor) // 2, rate, currency.digits)
    for token in can.tokens:
        units = worth * 10**token.decimals // 10**6
        for country in channel.countries:
            ask = ProviderQuoteRequest(channel.direction, currency, country, token, units)
            made = build_quote(can, rate, ask, [channel], Behaviour(), NOW)
            assert channel.min_minor <= made.fiat_minor <= channel.max_minor
            on = channel.direction is Direction.ON
            net = made.fiat_minor - made.fee_minor if on else made.fiat_minor + made.fee_minor
            # No spread of ours is as wide as this.
            assert abs(net - fiat_of_usd(worth, rate, currency.digits)) * 20 < net
            fields = {
                one.key: one.options[0].value if one.options else one.example
                for one in channel.fields
            }
            opening = OrderRequest(
                reference="order",
                direction=channel.direction,
                currency=currency,
                country=country,
                channel=channel,
                token=token,
                amount=units,
                fiat_minor=made.fiat_minor,
                fee_minor=made.fee_minor,
                to_address="",
                refund_address="",
                email="",
                fields=fields,
            )
            assert find_objection(can, opening) == ""
            assert made.expires_at - NOW == timedelta(seconds=60)


@pytest.fixture(params=VERIFYING.values(), ids=VERIFYING.keys())
def shipped(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ramp]:
    """A provider that verifies by what is handed in, with its own data."""
    made = Ramp(f"sqlite:///{tmp_path / 'ramps.db'}", request.param)
    yield made
    made.simulation.close()


def test_whoever_hands_in_all_that_is_asked_passes_every_tier(shipped: Ramp) -> None:
    shipped.switches.inject_faults(shipped.name, RampFaults(kyc="approve"))
    for country, tiers in shipped.can.tiers.items():
        asked = [one for tier in tiers for one in tier.requirements]
        documents = [Document(one.key, "image/png", b"") for one in asked if one.type == "document"]
        fields = {one.key: "A7654321" for one in asked if one.type != "document"}
        email = f"{country}{EMAIL}"
        shipped.provider.submit_kyc(email, country, fields, documents)
        assert shipped.provider.get_kyc_status(email, country).passed is KycType.ADVANCED

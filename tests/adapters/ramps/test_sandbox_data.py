"""Every channel of every provider works in the sandbox with the shipped data."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from crossway.adapters.ramps.capabilities import load_capabilities
from crossway.adapters.ramps.sandbox.behaviour import Behaviour
from crossway.adapters.ramps.sandbox.order_creation import find_refusal_reason
from crossway.adapters.ramps.sandbox.quotes import build_quote
from crossway.catalogue.fiat import load_fiat
from crossway.domain.fiat import fiat_of_usd, usd_of_fiat
from crossway.domain.kyc import KycType
from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import Capabilities, Document, OrderRequest, ProviderQuoteRequest
from crossway.ports.sandbox import RampFaults
from tests.ramps import EMAIL, USER, SandboxRamp
from tests.services import NOW
from tests.simulation import catalogue

FIAT = load_fiat()
ALL = {name: load_capabilities(name, catalogue(), FIAT) for name in ProviderName}
# The others verify customers on their own page.
VERIFYING = {name: can for name, can in ALL.items() if can.kyc_mode != "widget"}
CHANNELS = [(can, channel) for can in ALL.values() for channel in can.channels]


@pytest.mark.parametrize(
    ("can", "channel"), CHANNELS, ids=[f"{can.name}-{channel.id}" for can, channel in CHANNELS]
)
def test_every_channel_is_quoted_and_accepts_an_order(can: Capabilities, channel: Channel) -> None:
    currency = FIAT.corridors[channel.currency].currency
    rate = FIAT.rates[channel.currency]
    worth = usd_of_fiat((channel.min_minor + channel.max_minor) // 2, rate, currency.digits)
    for token in can.tokens:
        units = worth * 10**token.decimals // 10**6
        for country in channel.countries:
            ask = ProviderQuoteRequest(channel.direction, currency, country, token, units)
            created = build_quote(can, rate, ask, [channel], Behaviour(), NOW)
            assert channel.min_minor <= created.fiat_minor <= channel.max_minor
            on = channel.direction is Direction.ON
            net = (
                created.fiat_minor - created.fee_minor
                if on
                else created.fiat_minor + created.fee_minor
            )
            # No shipped spread is this wide.
            assert abs(net - fiat_of_usd(worth, rate, currency.digits)) * 20 < net
            fields = {
                field.key: field.options[0].value if field.options else field.example
                for field in channel.fields
            }
            opening = OrderRequest(
                reference="order",
                direction=channel.direction,
                currency=currency,
                country=country,
                channel=channel,
                token=token,
                amount=units,
                fiat_minor=created.fiat_minor,
                fee_minor=created.fee_minor,
                to_address="",
                refund_address="",
                email="",
                fields=fields,
            )
            assert find_refusal_reason(can, opening) == ""
            assert created.expires_at - NOW == timedelta(seconds=60)


@pytest.fixture(params=VERIFYING.values(), ids=VERIFYING.keys())
def shipped(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SandboxRamp]:
    """A provider that verifies submitted data, with its shipped capabilities."""
    created = SandboxRamp(f"sqlite:///{tmp_path / 'ramps.db'}", request.param)
    yield created
    created.simulation.close()


def test_a_complete_submission_passes_every_tier(shipped: SandboxRamp) -> None:
    shipped.controls.inject_faults(shipped.name, RampFaults(kyc="approve"))
    for country, tiers in shipped.capabilities.tiers.items():
        requirements = [requirement for tier in tiers for requirement in tier.requirements]
        documents = [
            Document(item.key, "image/png", b"") for item in requirements if item.type == "document"
        ]
        fields = {item.key: "A7654321" for item in requirements if item.type != "document"}
        user = replace(USER, email=f"{country}{EMAIL}")
        shipped.provider.submit_kyc(user, country, fields, documents)
        assert shipped.provider.get_kyc_status(user, country).passed is KycType.ADVANCED

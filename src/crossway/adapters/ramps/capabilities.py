"""Loading a provider's capabilities from its data file.

`PROVIDER.toml` holds `title`, `website`, `verifies` (`here` or `widget`), `[tokens]` (chain to the
symbol that is paid there), `[spreads_bps]`, `[kinds.K]` (what channels of a kind share: name, type,
direct, and by direction the fields and times) and `[[channels]]`: a kind, a currency, and by
direction `min`, `max` and `fee` in the currency and `fee_bps`. A channel is in all countries of its
currency; with `each_country` there is one for each of them, as its fields differ by country. What
fields look like by country is in `fields.toml`, what KYC tiers require in `identity.toml`.

A channel's id is its currency, its country where there is one for each, its name, and `on` or
`off`: `kes-mobile-money-on`, `xaf-cm-mobile-money-off`.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from crossway.adapters.ramps.channel_fields import build_field
from crossway.adapters.ramps.kyc_tiers import build_tiers
from crossway.domain.catalogue import Catalogue
from crossway.domain.fiat import Corridor, Fiat
from crossway.domain.money import parse_decimal
from crossway.domain.payment_channels import Channel, ChannelType
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import Capabilities

MAX_ORDER_SECONDS = 86_400


def load_capabilities(name: ProviderName, catalogue: Catalogue, fiat: Fiat) -> Capabilities:
    """A provider's capabilities. Raises an exception for invalid data."""
    data = load_provider_data(name)
    channels = tuple(_channels(name, data, fiat))
    ids = [channel.id for channel in channels]
    if len(set(ids)) != len(ids):
        raise ValueError(f"{name}: channels share an id")
    countries = {country for channel in channels for country in channel.countries}
    return Capabilities(
        name=name,
        title=data["title"],
        website=data["website"],
        channels=channels,
        tokens=tuple(catalogue.token(chain, symbol) for chain, symbol in data["tokens"].items()),
        kyc_mode=data["verifies"],
        tiers=build_tiers(name, countries, with_requirements=data["verifies"] == "here"),
        spreads_bps=data["spreads_bps"],
    )


@cache
def load_provider_data(name: ProviderName) -> Mapping[str, Any]:
    """The parsed data file of a provider."""
    file = files("crossway.adapters.ramps").joinpath(f"{name.lower()}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))


def _channels(name: ProviderName, data: Mapping[str, Any], fiat: Fiat) -> Iterator[Channel]:
    for entry in data["channels"]:
        corridor = fiat.corridors[entry["currency"]]
        groups = [(country,) for country in corridor.countries]
        for countries in groups if entry.get("each_country") else [corridor.countries]:
            for direction in Direction:
                if direction in entry:
                    kind = data["kinds"][entry["kind"]]
                    yield _channel(name, kind, entry, corridor, countries, direction)


def _channel(
    name: ProviderName,
    kind: Mapping[str, Any],
    entry: Mapping[str, Any],
    corridor: Corridor,
    countries: tuple[str, ...],
    direction: Direction,
) -> Channel:
    code, digits = corridor.currency.code, corridor.currency.digits
    title, terms, shared = entry.get("name", kind["name"]), entry[direction], kind[direction]
    country = countries[0] if entry.get("each_country") else ""
    id_parts = [
        code,
        *([country] if country else []),
        *title.split(),
        direction.removesuffix("-ramp"),
    ]
    channel = Channel(
        id="-".join(id_parts).lower(),
        name=title,
        type=ChannelType(kind["type"]),
        direct=kind["direct"],
        direction=direction,
        currency=code,
        countries=countries,
        min_minor=parse_decimal(f"{code}.min", terms["min"], digits),
        max_minor=parse_decimal(f"{code}.max", terms["max"], digits),
        fee_fixed_minor=parse_decimal(f"{code}.fee", terms.get("fee", "0"), digits),
        fee_bps=terms["fee_bps"],
        fields=tuple(build_field(key, countries[0], name) for key in shared["fields"]),
        pay_seconds=shared["pay_seconds"],
        deliver_seconds=shared["deliver_seconds"],
    )
    _validate_channel(channel, corridor)
    return channel


def _validate_channel(channel: Channel, corridor: Corridor) -> None:
    if channel.direction not in corridor.min_micro_usd:
        raise ValueError(f"{channel.id}: the corridor has no {channel.direction}")
    if not 0 < channel.min_minor < channel.max_minor:
        raise ValueError(f"{channel.id}: min must be above zero and below max")
    if not 0 <= channel.fee_bps < 1_000:
        raise ValueError(f"{channel.id}: fee_bps must be below 1 000")
    if not 0 < channel.pay_seconds <= MAX_ORDER_SECONDS - channel.deliver_seconds:
        raise ValueError(f"{channel.id}: paying and delivering must be done within a day")
    if len(channel.countries) > 1 and channel.fields:
        raise ValueError(f"{channel.id}: fields differ by country, so it needs each_country")

"""Provider capabilities: complete, consistent, and as specified."""

import re
import tomllib
from importlib.resources import files

import pytest

from crossway.adapters.ramps.capabilities import load_capabilities
from crossway.catalogue import load_catalogue
from crossway.catalogue.fiat import load_fiat
from crossway.domain.fiat import fiat_of_usd
from crossway.domain.kyc import KycType
from crossway.domain.payment_channels import Channel, ChannelType
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import Capabilities

CATALOGUE, FIAT = load_catalogue(), load_fiat()
ALL = {name: load_capabilities(name, CATALOGUE, FIAT) for name in ProviderName}
CHANNELS = [(name, channel) for name, can in ALL.items() for channel in can.channels]
AFRICA = {"NGN", "KES", "GHS", "ZAR", "TZS", "UGX", "ZMW", "XAF", "XOF"}
each_channel = pytest.mark.parametrize(
    ("name", "channel"), CHANNELS, ids=lambda one: one.id if isinstance(one, Channel) else one
)
each_provider = pytest.mark.parametrize("can", ALL.values(), ids=lambda can: can.name)


def test_providers_serve_the_currencies_of_the_table() -> None:
    served = {name: {c.currency for c in can.channels} for name, can in ALL.items()}
    assert served == {
        ProviderName.FONBNK: AFRICA,
        ProviderName.PAYCREST: {"NGN", "KES", "GHS", "TZS", "UGX"},
        ProviderName.YELLOW_CARD: AFRICA,
        ProviderName.ONRAMP_MONEY: set(FIAT.corridors) - AFRICA,
    }


@pytest.mark.parametrize("code", FIAT.corridors)
def test_every_country_of_a_corridor_is_served_in_every_direction_it_offers(code: str) -> None:
    corridor = FIAT.corridors[code]
    for direction in Direction:
        for country in corridor.countries:
            results = [
                c for can in ALL.values() for c in can.channels_for(direction, code, country)
            ]
            assert bool(results) == (direction in corridor.min_micro_usd)
            assert all(channel.direct for channel in results) or direction is Direction.ON


def test_one_provider_is_a_hosted_widget_that_only_sells_crypto() -> None:
    for name, channel in CHANNELS:
        hosted = name is ProviderName.ONRAMP_MONEY
        assert channel.direct is not hosted
        assert channel.direction is Direction.ON or not hosted
        assert not channel.fields or not hosted
    assert {can.name for can in ALL.values() if can.kyc_mode == "widget"} == {"ONRAMP_MONEY"}


@each_channel
def test_the_least_order_of_a_corridor_fits_each_of_its_channels(
    name: ProviderName, channel: Channel
) -> None:
    corridor = FIAT.corridors[channel.currency]
    least = corridor.min_micro_usd[channel.direction]
    worth = fiat_of_usd(least, FIAT.rates[channel.currency], corridor.currency.digits)
    fee = channel.fee_minor(worth)
    paid = worth + fee if channel.direction is Direction.ON else worth - fee
    assert channel.min_minor <= paid * 97 // 100
    assert channel.max_minor >= 50 * worth


@each_channel
def test_a_field_shows_an_example_that_it_takes(name: ProviderName, channel: Channel) -> None:
    keys = [field.key for field in channel.fields]
    assert len(set(keys)) == len(keys)
    for field in channel.fields:
        assert field.label
        assert field.parse(field.example) == field.example
        assert (field.type == "enum") == bool(field.options)
    if channel.type is ChannelType.MOBILE_MONEY:
        assert {"network", "phone"} <= set(keys)


@each_provider
def test_a_provider_pays_one_dollar_token_a_chain(can: Capabilities) -> None:
    chains = [token.chain for token in can.tokens]
    assert len(set(chains)) == len(chains) >= 6
    assert {token.symbol for token in can.tokens} <= {"USDC", "USDT"}
    assert all(token.enabled for token in can.tokens)


def test_only_providers_with_a_test_environment_serve_a_test_network() -> None:
    testing = {
        name
        for name, can in ALL.items()
        if any(CATALOGUE.chains[token.chain].testnet for token in can.tokens)
    }
    assert testing == {ProviderName.FONBNK, ProviderName.YELLOW_CARD}


@each_provider
def test_tiers_are_basic_to_500_dollars_a_month_and_advanced_to_10_000(can: Capabilities) -> None:
    for channel in can.channels:
        for country in channel.countries:
            tiers = can.tiers.get(country) or can.tiers[""]
            limits = [(tier.kyc_type, tier.limit_micro_usd // 10**6, tier.period) for tier in tiers]
            assert limits == [(KycType.BASIC, 500, "month"), (KycType.ADVANCED, 10_000, "month")]
            keys = [need.key for tier in tiers for need in tier.requirements]
            assert len(set(keys)) == len(keys)
            assert bool(keys) == (can.kyc_mode == "here")


@pytest.mark.parametrize(
    ("country", "number", "other"),
    [
        ("NG", "22123456789", "2212345678"),
        ("KE", "12345678", "1234"),
        ("GH", "GHA-123456789-0", "123456789"),
        ("ZA", "8001015009087", "800101"),
        ("ZM", "123456/78/1", "12345678"),
        ("SN", "AB1234567", "?"),
    ],
)
def test_a_country_has_its_own_identity_number(country: str, number: str, other: str) -> None:
    basic = ALL[ProviderName.YELLOW_CARD].tiers[country][0]
    need = next(requirement for requirement in basic.requirements if requirement.key == "idNumber")
    assert need.sensitive
    assert re.fullmatch(need.pattern, number)
    assert not re.fullmatch(need.pattern, other)


@each_provider
def test_a_spread_is_a_few_percent_at_most(can: Capabilities) -> None:
    assert "" in can.spreads_bps
    assert all(0 < spread <= 300 for spread in can.spreads_bps.values())
    assert set(can.spreads_bps) - {""} <= {channel.currency for channel in can.channels}


def test_a_bank_is_sent_to_paycrest_by_its_own_code() -> None:
    banks = {
        name: {option.label: option.value for option in _field(name, "ngn-bank-transfer-off")}
        for name in (ProviderName.PAYCREST, ProviderName.YELLOW_CARD)
    }
    assert banks[ProviderName.PAYCREST]["Kuda"] == "KUDANGPC"
    assert banks[ProviderName.YELLOW_CARD]["Kuda"] == "50211"


def _field(name: ProviderName, channel_id: str) -> tuple[object, ...]:
    channel = next(channel for channel in ALL[name].channels if channel.id == channel_id)
    return next(field.options for field in channel.fields if field.key == "bankCode")


def test_what_a_provider_wants_besides_is_asked_for_once_and_not_needed() -> None:
    basic, advanced = ALL[ProviderName.YELLOW_CARD].tiers["NG"]
    besides = {need.key for need in basic.requirements if not need.required}
    assert besides == {"phone", "additionalIdType", "additionalIdNumber"}
    assert "address" in {need.key for need in advanced.requirements}
    for name in (ProviderName.FONBNK, ProviderName.PAYCREST):
        assert all(need.required for need in ALL[name].tiers["NG"][0].requirements)


@pytest.mark.parametrize("name", [name for name in ProviderName if ALL[name].kyc_mode == "here"])
def test_clients_know_fields_by_the_keys_that_users_are_asked_for(name: ProviderName) -> None:
    file = files("crossway.adapters.ramps").joinpath(name.lower(), "names.toml")
    names = tomllib.loads(file.read_text(encoding="utf-8"))
    tiers = [tier for provider_tiers in ALL[name].tiers.values() for tier in provider_tiers]
    field_keys = {field.key for channel in ALL[name].channels for field in channel.fields}
    handed_in = {need.key for tier in tiers for need in tier.requirements}
    ours = set(names.get("fields", {}))
    ours |= {key for keys in names.get("account", {}).values() for key in keys}
    assert ours <= field_keys
    image_keys = set(names.get("images", {}))
    for table in ("identity", "identity_NG"):
        for key, value in names.get(table, {}).items():
            image_keys |= set(value) if isinstance(value, list) else {key}
    assert image_keys <= handed_in

"""Every corridor with the sandbox providers: quoted in both directions, listed, recommended."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.errors import InvalidInput
from crossway.domain.fiat import fiat_of_usd
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import KycUser, RampProvider
from crossway.ports.sandbox import RampFaults
from crossway.usecases.ramps import quotes as ramp_quotes
from crossway.usecases.ramps.quote_params import RampQuoteRequest
from crossway.usecases.ramps.quotes import RampComparison
from tests.harness import FIAT, Harness

ON, OFF = Direction
CORRIDORS = [
    (code, country, direction)
    for code, corridor in FIAT.corridors.items()
    for country in corridor.countries
    for direction in Direction
]
EMAIL = "ada@example.com"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Harness]:
    world = Harness(f"sqlite:///{tmp_path_factory.mktemp('ramps') / 'crossway.db'}")
    yield world
    world.store.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Harness]:
    own_world = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    yield own_world
    own_world.store.close()


def get_quotes(world: Harness, code: str, direction: Direction, **changes: Any) -> RampComparison:
    facts: dict[str, Any] = {"direction": direction, "currency": code, "amount": "100"}
    facts["destination_chain" if direction is ON else "source_chain"] = "POLYGON"
    return ramp_quotes.compare_quotes(
        world.services, world.caller, RampQuoteRequest(**(facts | changes))
    )


def serving_providers(
    world: Harness, code: str, country: str, direction: Direction
) -> list[RampProvider]:
    return [
        provider
        for provider in world.services.ramps
        if provider.capabilities.channels_for(direction, code, country)
    ]


@pytest.mark.parametrize(("code", "country", "direction"), CORRIDORS)
def test_every_served_corridor_is_quoted_in_both_directions(
    world: Harness, code: str, country: str, direction: Direction
) -> None:
    result = get_quotes(world, code, direction, country=country)
    served = {item.name for item in serving_providers(world, code, country, direction)}
    assert {quote.provider for quote in result.quotes} == served == set(result.queried)
    assert bool(served) == (direction in FIAT.corridors[code].min_micro_usd)
    assert result.excluded == ()
    assert result.recommended == (result.quotes[0] if result.quotes else None)
    fees = [quote.total_fees_minor for quote in result.quotes]
    assert fees == sorted(fees)
    for quote in result.quotes:
        assert 0 <= quote.fee_minor < quote.total_fees_minor < quote.fiat_minor // 10
        assert quote.country == country
        assert quote.channels[0].countries.count(country) == 1
        assert all(c.min_minor <= quote.fiat_minor <= c.max_minor for c in quote.channels)


@pytest.mark.parametrize(
    ("code", "country", "direction"),
    [row for row in CORRIDORS if row[2] in FIAT.corridors[row[0]].min_micro_usd],
)
def test_the_minimum_order_has_a_quote(
    world: Harness, code: str, country: str, direction: Direction
) -> None:
    least = FIAT.corridors[code].min_micro_usd[direction]
    result = get_quotes(world, code, direction, country=country, amount=str(least // 10**6))
    assert result.quotes
    with pytest.raises(InvalidInput, match="cryptoAmount is below the minimum of"):
        get_quotes(world, code, direction, country=country, amount=f"{least // 10**6 - 1}.999999")


@pytest.mark.parametrize("chain", ["BASE", "SOLANA", "TRON", "STARKNET", "LISK", "BSC", "MONAD"])
@pytest.mark.parametrize("direction", Direction)
def test_every_chain_family_is_reached(world: Harness, chain: str, direction: Direction) -> None:
    symbol = "USDT" if chain == "TRON" else "USDC"
    chain_field = "destination_chain" if direction is ON else "source_chain"
    result = get_quotes(world, "KES", direction, symbol=symbol, **{chain_field: chain})
    assert result.quotes
    for quote in result.quotes:
        assert quote.token.chain == f"{chain}_MAINNET"
        assert quote.requires_bridge == (quote.ramp_token.chain != quote.token.chain)


def test_passed_kyc_is_preferred_within_one_percent(own: Harness) -> None:
    user = KycUser(EMAIL, own.caller.owner)

    def recommended(email: str | None) -> ProviderName:
        result = get_quotes(own, "KES", ON, email=email).recommended
        assert result is not None
        return result.provider

    for item in (ProviderName.FONBNK, ProviderName.YELLOW_CARD):
        own.ramps.inject_faults(item, RampFaults(rate_bps=-60))
    cheapest = recommended(None)
    first, second, *_ = get_quotes(own, "KES", ON).quotes
    assert second.fiat_minor * 100 <= first.fiat_minor * 101
    assert recommended(EMAIL) == cheapest == first.provider
    own.ramps.set_kyc_status(second.provider, user, KycType.BASIC, KycStatus.PENDING)
    assert recommended(EMAIL) == cheapest
    own.ramps.set_kyc_status(second.provider, user, KycType.BASIC, KycStatus.APPROVED)
    assert recommended(EMAIL) == second.provider
    assert recommended("bob@example.com") == recommended(None) == cheapest


def test_passed_kyc_insufficient_for_the_amount_is_not_preferred(own: Harness) -> None:
    user = KycUser(EMAIL, own.caller.owner)
    own.ramps.inject_faults(ProviderName.YELLOW_CARD, RampFaults(rate_bps=-10))
    own.ramps.set_kyc_status(
        ProviderName.YELLOW_CARD,
        user,
        KycType.BASIC,
        KycStatus.APPROVED,
    )
    small, large = (
        get_quotes(own, "NGN", ON, email=EMAIL, amount=a).recommended for a in ("500", "501")
    )
    assert small is not None
    assert large is not None
    assert small.provider is ProviderName.YELLOW_CARD
    assert large.provider is ProviderName.PAYCREST


def test_an_unavailable_provider_is_excluded_until_it_recovers(own: Harness) -> None:
    own.ramps.inject_faults(ProviderName.PAYCREST, RampFaults(down_seconds=60))
    result = get_quotes(own, "NGN", OFF)
    assert ProviderName.PAYCREST not in {quote.provider for quote in result.quotes}
    assert [left.subject for left in result.excluded] == ["PAYCREST"]
    own.machine.seconds += 61
    assert len(get_quotes(own, "NGN", OFF).quotes) == 3


def list_currencies(world: Harness, **get_quotes: Any) -> dict[str, ramp_quotes.SupportedCurrency]:
    currencies = ramp_quotes.list_currencies(world.services, world.caller, **get_quotes)
    return {offer.currency.code: offer for offer in currencies}


def test_every_currency_is_listed_with_limits_countries_and_providers(world: Harness) -> None:
    result = list_currencies(world)
    assert list(result) == list(FIAT.corridors)
    for code, offer in result.items():
        rate, digits = FIAT.rates[code], offer.currency.digits
        least = min(FIAT.corridors[code].min_micro_usd.values())
        assert offer.min_minor == fiat_of_usd(least, rate, digits) < offer.max_minor
        assert offer.countries == FIAT.corridors[code].countries
        assert offer.providers
    assert result["ZAR"].providers == (ProviderName.FONBNK, ProviderName.YELLOW_CARD)


def test_only_currencies_that_are_paid_out_directly_are_listed_for_off_ramps(
    world: Harness,
) -> None:
    result = list_currencies(world, direction="off-ramp")
    assert set(result) == {"NGN", "KES", "GHS", "ZAR", "TZS", "UGX", "ZMW", "XAF", "XOF"}
    assert result["NGN"].min_minor == 5 * 1_448_50
    assert set(list_currencies(world, direction="on-ramp")) == set(FIAT.corridors)


def test_currencies_can_be_filtered_by_provider(world: Harness) -> None:
    assert set(list_currencies(world, provider="PAYCREST")) == {"NGN", "KES", "GHS", "TZS", "UGX"}
    assert list_currencies(world, provider="ONRAMP_MONEY", direction="off-ramp") == {}
    for bad, message in (({"provider": "X"}, "provider must"), ({"direction": "X"}, "type must")):
        with pytest.raises(InvalidInput, match=message):
            list_currencies(world, **bad)


def test_countries_are_listed_by_name_once_for_each_currency(world: Harness) -> None:
    countries = ramp_quotes.list_countries(world.services, world.caller)
    names = [offer.country.name for offer in countries]
    assert names == sorted(names)
    assert {offer.country.code for offer in countries} == set(FIAT.countries)
    pairs = [(offer.country.code, offer.currency.currency.code) for offer in countries]
    assert len(set(pairs)) == len(pairs)
    assert {code for _, code in pairs} == set(FIAT.corridors)

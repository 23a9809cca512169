"""Every corridor with the sandbox providers: quoted in both directions, listed, recommended."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from crossway.domain.errors import InvalidInput
from crossway.domain.fiat import fiat_of_usd
from crossway.domain.kyc import KycStatus, KycType
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import RampProvider
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
    made = Harness(f"sqlite:///{tmp_path_factory.mktemp('ramps') / 'crossway.db'}")
    yield made
    made.store.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Harness]:
    made = Harness(f"sqlite:///{tmp_path / 'crossway.db'}")
    yield made
    made.store.close()


def asked(world: Harness, code: str, direction: Direction, **changes: Any) -> RampComparison:
    facts: dict[str, Any] = {"direction": direction, "currency": code, "amount": "100"}
    facts["destination_chain" if direction is ON else "source_chain"] = "POLYGON"
    return ramp_quotes.compare_quotes(
        world.services, world.caller, RampQuoteRequest(**(facts | changes))
    )


def serving(world: Harness, code: str, country: str, direction: Direction) -> list[RampProvider]:
    return [
        one
        for one in world.services.ramps
        if one.capabilities.channels_for(direction, code, country)
    ]


@pytest.mark.parametrize(("code", "country", "direction"), CORRIDORS)
def test_every_corridor_is_quoted_in_both_directions_where_it_is_served(
    world: Harness, code: str, country: str, direction: Direction
) -> None:
    found = asked(world, code, direction, country=country)
    served = {one.name for one in serving(world, code, country, direction)}
    assert {quote.provider for quote in found.quotes} == served == set(found.queried)
    assert bool(served) == (direction in FIAT.corridors[code].min_micro_usd)
    assert found.excluded == ()
    assert found.recommended == (found.quotes[0] if found.quotes else None)
    fees = [quote.total_fees_minor for quote in found.quotes]
    assert fees == sorted(fees)
    for quote in found.quotes:
        assert 0 <= quote.fee_minor < quote.total_fees_minor < quote.fiat_minor // 10
        assert quote.country == country
        assert quote.channels[0].countries.count(country) == 1
        assert all(c.min_minor <= quote.fiat_minor <= c.max_minor for c in quote.channels)


@pytest.mark.parametrize(
    ("code", "country", "direction"),
    [row for row in CORRIDORS if row[2] in FIAT.corridors[row[0]].min_micro_usd],
)
def test_the_least_order_is_quoted_by_somebody(
    world: Harness, code: str, country: str, direction: Direction
) -> None:
    least = FIAT.corridors[code].min_micro_usd[direction]
    found = asked(world, code, direction, country=country, amount=str(least // 10**6))
    assert found.quotes
    with pytest.raises(InvalidInput, match="cryptoAmount is below the minimum of"):
        asked(world, code, direction, country=country, amount=f"{least // 10**6 - 1}.999999")


@pytest.mark.parametrize("chain", ["BASE", "SOLANA", "TRON", "STARKNET", "LISK", "BSC", "MONAD"])
@pytest.mark.parametrize("direction", Direction)
def test_every_kind_of_chain_is_reached(world: Harness, chain: str, direction: Direction) -> None:
    symbol = "USDT" if chain == "TRON" else "USDC"
    place = "destination_chain" if direction is ON else "source_chain"
    found = asked(world, "KES", direction, symbol=symbol, **{place: chain})
    assert found.quotes
    for quote in found.quotes:
        assert quote.token.chain == f"{chain}_MAINNET"
        assert quote.requires_bridge == (quote.ramp_token.chain != quote.token.chain)


def test_a_passed_check_is_preferred_within_one_percent(own: Harness) -> None:
    def recommended(email: str | None) -> ProviderName:
        found = asked(own, "KES", ON, email=email).recommended
        assert found is not None
        return found.provider

    for one in (ProviderName.FONBNK, ProviderName.YELLOW_CARD):
        own.ramps.inject_faults(one, RampFaults(rate_bps=-60))
    cheapest = recommended(None)
    first, second, *_ = asked(own, "KES", ON).quotes
    assert second.fiat_minor * 100 <= first.fiat_minor * 101
    assert recommended(EMAIL) == cheapest == first.provider
    own.ramps.set_verification_status(second.provider, EMAIL, KycType.BASIC, KycStatus.PENDING)
    assert recommended(EMAIL) == cheapest
    own.ramps.set_verification_status(second.provider, EMAIL, KycType.BASIC, KycStatus.APPROVED)
    assert recommended(EMAIL) == second.provider
    assert recommended("bob@example.com") == recommended(None) == cheapest


def test_a_passed_check_that_is_not_enough_for_the_amount_counts_nothing(own: Harness) -> None:
    own.ramps.inject_faults(ProviderName.YELLOW_CARD, RampFaults(rate_bps=-10))
    own.ramps.set_verification_status(
        ProviderName.YELLOW_CARD, EMAIL, KycType.BASIC, KycStatus.APPROVED
    )
    small, large = (
        asked(own, "NGN", ON, email=EMAIL, amount=a).recommended for a in ("500", "501")
    )
    assert small is not None
    assert large is not None
    assert small.provider is ProviderName.YELLOW_CARD
    assert large.provider is ProviderName.PAYCREST


def test_a_provider_that_is_down_is_left_out_and_comes_back(own: Harness) -> None:
    own.ramps.inject_faults(ProviderName.PAYCREST, RampFaults(down_seconds=60))
    found = asked(own, "NGN", OFF)
    assert ProviderName.PAYCREST not in {quote.provider for quote in found.quotes}
    assert [left.subject for left in found.excluded] == ["PAYCREST"]
    own.machine.seconds += 61
    assert len(asked(own, "NGN", OFF).quotes) == 3


def listed(world: Harness, **asked: Any) -> dict[str, ramp_quotes.SupportedCurrency]:
    found = ramp_quotes.list_currencies(world.services, world.caller, **asked)
    return {offer.currency.code: offer for offer in found}


def test_every_currency_is_listed_with_its_bounds_countries_and_providers(world: Harness) -> None:
    found = listed(world)
    assert list(found) == list(FIAT.corridors)
    for code, offer in found.items():
        rate, digits = FIAT.rates[code], offer.currency.digits
        least = min(FIAT.corridors[code].min_micro_usd.values())
        assert offer.min_minor == fiat_of_usd(least, rate, digits) < offer.max_minor
        assert offer.countries == FIAT.corridors[code].countries
        assert offer.providers
    assert found["ZAR"].providers == (ProviderName.FONBNK, ProviderName.YELLOW_CARD)


def test_only_currencies_that_are_paid_out_directly_are_listed_for_off_ramps(
    world: Harness,
) -> None:
    found = listed(world, direction="off-ramp")
    assert set(found) == {"NGN", "KES", "GHS", "ZAR", "TZS", "UGX", "ZMW", "XAF", "XOF"}
    assert found["NGN"].min_minor == 5 * 1_448_50
    assert set(listed(world, direction="on-ramp")) == set(FIAT.corridors)


def test_currencies_may_be_asked_of_one_provider(world: Harness) -> None:
    assert set(listed(world, provider="PAYCREST")) == {"NGN", "KES", "GHS", "TZS", "UGX"}
    assert listed(world, provider="ONRAMP_MONEY", direction="off-ramp") == {}
    for bad, words in (({"provider": "X"}, "provider must"), ({"direction": "X"}, "type must")):
        with pytest.raises(InvalidInput, match=words):
            listed(world, **bad)


def test_countries_are_listed_by_name_with_their_currencies(world: Harness) -> None:
    found = ramp_quotes.list_countries(world.services, world.caller)
    names = [offer.country.name for offer in found]
    assert names == sorted(names)
    assert {offer.country.code for offer in found} == set(FIAT.countries)
    assert all(len(offer.currencies) == 1 for offer in found)

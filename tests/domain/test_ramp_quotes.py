"""Ranking and recommendation of ramp quotes."""

from dataclasses import dataclass
from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.ramp_quotes import (
    is_price_outlier,
    near_cheapest,
    rank_quotes,
    recommend,
    total_fees,
)
from crossway.domain.ramps import Direction, ProviderName


@dataclass(frozen=True)
class One:
    provider: ProviderName
    fiat_minor: int
    total_fees_minor: int
    seconds: int = 600


REFERENCE = 10_000


def on_ramp(fiat: dict[ProviderName, int]) -> list[One]:
    """Quotes for the same crypto at these prices."""
    return [One(n, f, total_fees(Direction.ON, f, REFERENCE)) for n, f in fiat.items()]


providers = st.sampled_from(ProviderName)
prices = st.dictionaries(providers, st.integers(5_000, 20_000), min_size=1)
quotes = st.dictionaries(
    providers, st.tuples(st.integers(1, 10**9), st.integers(-(10**6), 10**6), st.integers(1, 3))
).map(lambda made: [One(name, *values) for name, values in made.items()])
passed = st.frozensets(providers)


def test_total_fees_are_measured_against_the_reference_rate() -> None:
    assert total_fees(Direction.ON, 10_300, 10_000) == 300
    assert total_fees(Direction.OFF, 9_700, 10_000) == 300
    assert total_fees(Direction.ON, 9_900, 10_000) == -100


@given(quotes)
def test_ranking_does_not_depend_on_the_input_order(made: list[One]) -> None:
    assert len({rank_quotes(order) for order in permutations(made)}) == 1


@given(quotes)
def test_quotes_are_ranked_by_cost_then_time_then_name(made: list[One]) -> None:
    results = rank_quotes(made)
    assert sorted(results, key=lambda q: q.provider) == sorted(made, key=lambda q: q.provider)
    for first, second in pairwise(results):
        assert (first.total_fees_minor, first.seconds, first.provider) <= (
            second.total_fees_minor,
            second.seconds,
            second.provider,
        )


@given(quotes)
def test_without_kyc_the_cheapest_quote_is_recommended(made: list[One]) -> None:
    results = rank_quotes(made)
    assert recommend(results, frozenset()) == (results[0] if results else None)


@given(prices, passed)
def test_passed_kyc_counts_within_one_percent_of_the_cheapest(
    made: dict[ProviderName, int], done: frozenset[ProviderName]
) -> None:
    results = rank_quotes(on_ramp(made))
    chosen = recommend(results, done)
    assert chosen is not None
    least = min(made.values())
    close = [name for name in done if name in made and made[name] * 100 <= least * 101]
    if close:
        assert chosen.provider in close
        assert chosen.fiat_minor == min(made[name] for name in close)
    else:
        assert chosen == results[0]


@given(quotes)
def test_the_cheapest_quote_is_near_cheapest(made: list[One]) -> None:
    results = rank_quotes(made)
    near = near_cheapest(results)
    assert near == results[: len(near)]
    assert bool(near) == bool(results)


def test_the_near_limit_is_exactly_one_percent() -> None:
    prices = {ProviderName.PAYCREST: 10_000, ProviderName.FONBNK: 10_100}
    done = {ProviderName.FONBNK}
    chosen = recommend(rank_quotes(on_ramp(prices)), done)
    assert chosen is not None
    assert chosen.provider is ProviderName.FONBNK
    chosen = recommend(rank_quotes(on_ramp(prices | {ProviderName.FONBNK: 10_101})), done)
    assert chosen is not None
    assert chosen.provider is ProviderName.PAYCREST


@given(st.integers(1, 10**12))
def test_a_price_is_an_outlier_beyond_double_or_half(reference: int) -> None:
    assert not is_price_outlier(reference, reference)
    assert not is_price_outlier(2 * reference, reference)
    assert is_price_outlier(2 * reference + 1, reference)
    assert not is_price_outlier((reference + 1) // 2, reference)
    assert is_price_outlier((reference - 1) // 2, reference)

"""Ranking and recommending ramp quotes, for any amounts."""

from dataclasses import dataclass
from itertools import pairwise, permutations

from hypothesis import given
from hypothesis import strategies as st

from crossway.domain.ramp_quotes import is_far, near_cheapest, ranked, recommended, total_fees
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


def test_fees_are_what_is_lost_against_the_reference_in_either_direction() -> None:
    assert total_fees(Direction.ON, 10_300, 10_000) == 300
    assert total_fees(Direction.OFF, 9_700, 10_000) == 300
    assert total_fees(Direction.ON, 9_900, 10_000) == -100


@given(quotes)
def test_the_order_in_which_quotes_come_in_does_not_matter(made: list[One]) -> None:
    assert len({ranked(order) for order in permutations(made)}) == 1


@given(quotes)
def test_quotes_are_ranked_by_cost_then_time_then_name(made: list[One]) -> None:
    found = ranked(made)
    assert sorted(found, key=lambda q: q.provider) == sorted(made, key=lambda q: q.provider)
    for first, second in pairwise(found):
        assert (first.total_fees_minor, first.seconds, first.provider) <= (
            second.total_fees_minor, second.seconds, second.provider,
        )  # fmt: skip


@given(quotes)
def test_without_a_passed_check_the_cheapest_is_recommended(made: list[One]) -> None:
    found = ranked(made)
    assert recommended(found, frozenset()) == (found[0] if found else None)


@given(prices, passed)
def test_a_passed_check_counts_within_one_percent_of_the_cheapest(
    made: dict[ProviderName, int], done: frozenset[ProviderName]
) -> None:
    found = ranked(on_ramp(made))
    chosen = recommended(found, done)
    assert chosen is not None
    least = min(made.values())
    close = [name for name in done if name in made and made[name] * 100 <= least * 101]
    if close:
        assert chosen.provider in close
        assert chosen.fiat_minor == min(made[name] for name in close)
    else:
        assert chosen == found[0]


@given(quotes)
def test_the_cheapest_is_always_near_itself(made: list[One]) -> None:
    found = ranked(made)
    near = near_cheapest(found)
    assert near == found[: len(near)]
    assert bool(near) == bool(found)


def test_one_percent_is_still_near_and_a_hundredth_more_is_not() -> None:
    prices = {ProviderName.PAYCREST: 10_000, ProviderName.FONBNK: 10_100}
    done = {ProviderName.FONBNK}
    chosen = recommended(ranked(on_ramp(prices)), done)
    assert chosen is not None
    assert chosen.provider is ProviderName.FONBNK
    chosen = recommended(ranked(on_ramp(prices | {ProviderName.FONBNK: 10_101})), done)
    assert chosen is not None
    assert chosen.provider is ProviderName.PAYCREST


@given(st.integers(1, 10**12))
def test_a_price_is_far_when_it_is_more_than_double_or_less_than_half(reference: int) -> None:
    assert not is_far(reference, reference)
    assert not is_far(2 * reference, reference)
    assert is_far(2 * reference + 1, reference)
    assert not is_far((reference + 1) // 2, reference)
    assert is_far((reference - 1) // 2, reference)

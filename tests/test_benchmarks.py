"""The benchmarks that reach into use cases still run; their figures are not checked here."""

from benchmarks import (
    analytics,
    deposits,
    growth,
    indexer,
    lists,
    live_quotes,
    lookups,
    ramps,
    standing,
    treasury,
)
from crossway.domain.analytics import Dimension


def test_every_lookup_is_measured_at_every_size() -> None:
    rows = lookups.run(sizes=(60, 120), samples=2)
    assert len(rows) == 3 * len(lookups.lookups())


def test_every_list_is_measured_at_two_sizes() -> None:
    names = [name for name, *_ in lists.run(sizes=(300, 600), rounds=1)]
    assert len(names) == len(set(names)) > 80


def test_four_slow_providers_are_compared() -> None:
    assert len(ramps.run(rounds=1)) == 1


def test_services_of_bridges_are_compared_with_models() -> None:
    assert len(live_quotes.run(rounds=2)) == 3


def test_analytics_are_measured_for_every_grouping_and_filter() -> None:
    rows = analytics.run(stored=300)
    assert len(rows) == 1 + len(Dimension) + len(analytics.FILTERS)


def test_many_deposits_to_one_payment_are_measured_at_two_sizes() -> None:
    assert len(deposits.run(sizes=(20, 300))) == 5


def test_the_indexer_is_measured_with_its_start_and_its_requests() -> None:
    rows = indexer.run(addresses=2_000, ranges=2, open_intents=(0, 6_000))
    assert len(rows) == 4
    # It finds the deposits, and asks as little as it should.
    assert [met for _, _, _, met in rows[2:]] == [True, True]


def test_the_engine_is_measured_with_few_and_many_stored() -> None:
    assert len(growth.run(stored=(50, 500), size=10, total=20)) == 1


def test_standing_addresses_are_measured_at_two_sizes_in_every_part() -> None:
    assert len(standing.run(sizes=(600, 900), rounds=1)) == 4


def test_a_month_with_rebalancing_ends_with_books_that_agree() -> None:
    month = treasury.play(20, 1, rebalances=True, fails=True)
    assert (month.payments, month.completed, month.differences) == (20, 20, 0)

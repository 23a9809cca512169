"""The benchmarks that reach into use cases still run; their figures are not checked here."""

from benchmarks import lookups, ramps


def test_every_lookup_is_measured_at_every_size() -> None:
    rows = lookups.run(sizes=(60, 120), samples=2)
    assert len(rows) == 3 * len(lookups.lookups())


def test_four_slow_providers_are_compared() -> None:
    assert len(ramps.run(rounds=1)) == 1

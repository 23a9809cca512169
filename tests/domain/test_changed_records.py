"""Changed copies of records."""

from dataclasses import FrozenInstanceError, dataclass, replace

import pytest

from crossway.domain.changed_records import changed


@dataclass(frozen=True)
class Place:
    """A record."""

    name: str
    floor: int = 0


def test_a_copy_has_the_new_values_and_is_equal_to_what_replace_returns() -> None:
    place = Place("office")
    copy = changed(place, floor=2)
    assert copy == replace(place, floor=2) == Place("office", 2)
    assert (hash(copy), repr(copy)) == (hash(Place("office", 2)), repr(Place("office", 2)))
    assert place == Place("office")


def test_a_copy_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        changed(Place("office")).floor = 3  # type: ignore[misc]


def test_a_field_that_there_is_not_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Place has not all of \['flor'\]"):
        changed(Place("office"), flor=2)

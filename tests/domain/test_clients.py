"""From where a key may be used, and until when."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from crossway.domain.clients import Key, Mode, Scope, networks, parsed_networks, within
from crossway.domain.errors import InvalidInput

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = Key(1, "c-1", Mode.TEST, frozenset(Scope), "cr_test_abcd", NOW, None, None)


@pytest.mark.parametrize(
    ("given", "spelled"),
    [
        ("203.0.113.7", "203.0.113.7/32"),
        (" 203.0.113.0/24 ", "203.0.113.0/24"),
        ("2001:DB8::/32", "2001:db8::/32"),
        ("::1", "::1/128"),
    ],
)
def test_a_network_has_one_spelling(given: str, spelled: str) -> None:
    assert networks([given, given], "addresses") == (spelled,)


@pytest.mark.parametrize("given", ["", "shop.example", "203.0.113.7/24", "1.2.3", "10.0.0.0/33"])
def test_what_is_no_network_is_refused_naming_the_field(given: str) -> None:
    with pytest.raises(InvalidInput, match=r"addresses: .* is not a network, such as"):
        networks([given], "addresses")


@pytest.mark.parametrize(
    ("address", "inside"),
    [
        ("203.0.113.7", True),
        ("203.0.114.7", False),
        ("::ffff:203.0.113.7", True),
        ("2001:db8::1", True),
        ("2001:db9::1", False),
        ("unknown", False),
        ("", False),
    ],
)
def test_an_address_lies_in_a_network_or_not(address: str, inside: bool) -> None:
    assert within(address, parsed_networks(("203.0.113.0/24", "2001:db8::/32"))) is inside


def test_a_key_without_addresses_may_be_used_from_anywhere() -> None:
    assert KEY.may_come_from(None)
    bound = replace(KEY, addresses=("203.0.113.0/24",))
    assert bound.may_come_from("203.0.113.1")
    assert not bound.may_come_from("198.51.100.1")
    assert not bound.may_come_from(None)


def test_a_key_ends_at_its_instant_or_when_it_is_revoked() -> None:
    ending = replace(KEY, ends_at=NOW)
    assert not KEY.ended(NOW)
    assert not ending.ended(NOW - timedelta(microseconds=1))
    assert ending.ended(NOW)
    assert replace(KEY, revoked_at=NOW).ended(NOW)

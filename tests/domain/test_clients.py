"""API keys: allowed networks and expiry."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from crossway.domain.clients import ApiKey, Mode, Scope, is_allowed, networks_of, parse_networks
from crossway.domain.errors import InvalidInput

NOW = datetime(2026, 11, 21, 12, 0, tzinfo=UTC)
KEY = ApiKey(1, "c-1", Mode.TEST, frozenset(Scope), "cr_test_abcd", NOW, None, None)


@pytest.mark.parametrize(
    ("given", "spelled"),
    [
        ("203.0.113.7", "203.0.113.7/32"),
        (" 203.0.113.0/24 ", "203.0.113.0/24"),
        ("2001:DB8::/32", "2001:db8::/32"),
        ("::1", "::1/128"),
    ],
)
def test_networks_are_parsed_into_canonical_form(given: str, spelled: str) -> None:
    assert parse_networks([given, given], "addresses") == (spelled,)


@pytest.mark.parametrize("given", ["", "shop.example", "203.0.113.7/24", "1.2.3", "10.0.0.0/33"])
def test_an_invalid_network_is_rejected_with_its_field(given: str) -> None:
    with pytest.raises(InvalidInput, match=r"addresses: .* is not a network, such as"):
        parse_networks([given], "addresses")


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
def test_an_address_is_matched_against_networks(address: str, inside: bool) -> None:
    assert is_allowed(address, networks_of(("203.0.113.0/24", "2001:db8::/32"))) is inside


def test_a_key_without_addresses_may_be_used_from_anywhere() -> None:
    assert KEY.allows_address(None)
    bound = replace(KEY, addresses=("203.0.113.0/24",))
    assert bound.allows_address("203.0.113.1")
    assert not bound.allows_address("198.51.100.1")
    assert not bound.allows_address(None)


def test_a_key_expires_at_its_time_or_when_revoked() -> None:
    ending = replace(KEY, expires_at=NOW)
    assert not KEY.is_expired(NOW)
    assert not ending.is_expired(NOW - timedelta(microseconds=1))
    assert ending.is_expired(NOW)
    assert replace(KEY, revoked_at=NOW).is_expired(NOW)

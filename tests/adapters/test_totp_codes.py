"""Codes of authenticator apps, by the examples of RFC 6238 (its last six digits)."""

import base64
from datetime import UTC, datetime

import pytest

from crossway.adapters.totp_codes import TotpCodes

SECRET = base64.b32encode(b"12345678901234567890").decode()


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (1111111111, "050471"),
        (1111111109, "081804"),
        (1234567890, "005924"),
        (20000000000, "353130"),
    ],
)
def test_the_codes_of_the_standard_are_known_for_three_steps(seconds: int, code: str) -> None:
    def find(after: int) -> int | None:
        at = datetime.fromtimestamp(seconds + after, UTC)
        return TotpCodes().find_step(SECRET, code, at)

    step = seconds // 30
    assert [find(after) for after in (-60, -30, 0, 30, 60)] == [None, step, step, step, None]


@pytest.mark.parametrize("code", ["", "28708", "2870820", "28708²", "２８７", "abcdef", "-87082"])
def test_anything_else_is_no_code(code: str) -> None:
    assert TotpCodes().find_step(SECRET, code, datetime.fromtimestamp(59, UTC)) is None


def test_secrets_have_160_bits_and_differ() -> None:
    made = {TotpCodes().new_secret() for _ in range(20)}
    assert len(made) == 20
    assert {len(base64.b32decode(secret)) for secret in made} == {20}

"""Codes of authenticator apps, as RFC 6238 computes them."""

import hmac
from datetime import datetime

import pyotp

ISSUER = "Crossway"
_STEP_SECONDS = 30
# The current step first: one before and one after are taken, as clocks differ.
_STEPS = (0, -1, 1)


class TotpCodes:
    """`ports.second_factors.AuthenticatorCodes`: six digits, SHA-1, 30 seconds, as apps expect."""

    def new_secret(self) -> str:
        return pyotp.random_base32()

    def enrolment_uri(self, secret: str, name: str) -> str:
        return pyotp.TOTP(secret).provisioning_uri(name=name, issuer_name=ISSUER)

    def find_step(self, secret: str, code: str, at: datetime) -> int | None:
        if not code.isascii():
            return None
        totp, current = pyotp.TOTP(secret), int(at.timestamp()) // _STEP_SECONDS
        steps = [
            current + offset
            for offset in _STEPS
            if hmac.compare_digest(totp.at((current + offset) * _STEP_SECONDS), code)
        ]
        return steps[0] if steps else None

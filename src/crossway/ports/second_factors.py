"""The ports that verify codes of authenticator apps, and passkeys."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from crossway.domain.second_factors import Passkey, RelyingParty


class AuthenticatorCodes(Protocol):
    """Codes of authenticator apps (TOTP): six digits, another every 30 seconds."""

    def new_secret(self) -> str:
        """A new secret, in base32 as people type it into an app."""
        ...

    def enrolment_uri(self, secret: str, name: str) -> str:
        """The `otpauth:` URI that an app reads from a QR code."""
        ...

    def find_step(self, secret: str, code: str, at: datetime) -> int | None:
        """The step of time that a code belongs to: the current one or one of its neighbours; None
        for a wrong code."""
        ...


class InvalidPasskey(Exception):
    """A browser's answer about a passkey does not verify; the message is for the log."""


@dataclass(frozen=True, slots=True)
class NewPasskey:
    """A passkey as its authenticator made it."""

    credential_id: str
    public_key: bytes
    sign_count: int


class PasskeyVerifier(Protocol):
    """Passkeys (WebAuthn): options for the browser as JSON, and verifying its answers.

    The user must be verified by the authenticator, with a PIN, a finger or a face.
    """

    def registration_options(
        self,
        site: RelyingParty,
        challenge: bytes,
        user_handle: bytes,
        name: str,
        existing: Sequence[Passkey],
    ) -> str:
        """What a browser needs to make a passkey; authenticators with an existing one refuse."""
        ...

    def verify_registration(
        self, site: RelyingParty, challenge: bytes, response: str
    ) -> NewPasskey:
        """The new passkey in a browser's answer. Raises `InvalidPasskey`."""
        ...

    def authentication_options(
        self, site: RelyingParty, challenge: bytes, allowed: Sequence[Passkey]
    ) -> str:
        """What a browser needs to use a passkey; without `allowed`, the user chooses any."""
        ...

    def credential_id(self, response: str) -> str:
        """The passkey that a browser's answer names. Raises `InvalidPasskey`."""
        ...

    def verify_authentication(
        self, site: RelyingParty, challenge: bytes, response: str, passkey: Passkey
    ) -> int:
        """Verify a browser's answer and return the new sign count. Raises `InvalidPasskey`, also
        where the count did not grow, as with a copied authenticator."""
        ...

"""Passkeys, verified by the library `webauthn`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from crossway.domain.second_factors import Passkey, RelyingParty
from crossway.ports.second_factors import InvalidPasskey, NewPasskey

if TYPE_CHECKING:
    from webauthn.helpers.structs import PublicKeyCredentialDescriptor

NAME = "Crossway"
# What a browser sends is a few hundred characters.
_MAX_CHARACTERS = 20_000


class WebAuthnPasskeys:
    """`ports.second_factors.PasskeyVerifier`. The library is imported on first use, as a start does
    not need it."""

    def registration_options(
        self,
        site: RelyingParty,
        challenge: bytes,
        user_handle: bytes,
        name: str,
        existing: Sequence[Passkey],
    ) -> str:
        import webauthn
        from webauthn.helpers import structs

        options = webauthn.generate_registration_options(
            rp_id=site.id,
            rp_name=NAME,
            user_name=name,
            user_id=user_handle,
            challenge=challenge,
            authenticator_selection=structs.AuthenticatorSelectionCriteria(
                resident_key=structs.ResidentKeyRequirement.REQUIRED,
                user_verification=structs.UserVerificationRequirement.REQUIRED,
            ),
            exclude_credentials=_descriptors(existing),
        )
        return webauthn.options_to_json(options)

    def verify_registration(
        self, site: RelyingParty, challenge: bytes, response: str
    ) -> NewPasskey:
        import webauthn

        try:
            verified = webauthn.verify_registration_response(
                credential=_bounded(response),
                expected_challenge=challenge,
                expected_rp_id=site.id,
                expected_origin=site.origin,
                require_user_verification=True,
            )
        except Exception as error:  # Whatever the library stumbles over in foreign data.
            raise InvalidPasskey(str(error)) from error
        return NewPasskey(
            webauthn.helpers.bytes_to_base64url(verified.credential_id),
            verified.credential_public_key,
            verified.sign_count,
        )

    def authentication_options(
        self, site: RelyingParty, challenge: bytes, allowed: Sequence[Passkey]
    ) -> str:
        import webauthn
        from webauthn.helpers.structs import UserVerificationRequirement

        options = webauthn.generate_authentication_options(
            rp_id=site.id,
            challenge=challenge,
            allow_credentials=_descriptors(allowed),
            user_verification=UserVerificationRequirement.REQUIRED,
        )
        return webauthn.options_to_json(options)

    def credential_id(self, response: str) -> str:
        from webauthn.helpers import parse_authentication_credential_json

        try:
            return parse_authentication_credential_json(_bounded(response)).id
        except Exception as error:  # Whatever the library stumbles over in foreign data.
            raise InvalidPasskey(str(error)) from error

    def verify_authentication(
        self, site: RelyingParty, challenge: bytes, response: str, passkey: Passkey
    ) -> int:
        import webauthn

        try:
            verified = webauthn.verify_authentication_response(
                credential=_bounded(response),
                expected_challenge=challenge,
                expected_rp_id=site.id,
                expected_origin=site.origin,
                credential_public_key=passkey.public_key,
                credential_current_sign_count=passkey.sign_count,
                require_user_verification=True,
            )
        except Exception as error:  # Whatever the library stumbles over in foreign data.
            raise InvalidPasskey(str(error)) from error
        return verified.new_sign_count


def _descriptors(passkeys: Sequence[Passkey]) -> list[PublicKeyCredentialDescriptor]:
    from webauthn.helpers import base64url_to_bytes
    from webauthn.helpers.structs import PublicKeyCredentialDescriptor

    return [
        PublicKeyCredentialDescriptor(id=base64url_to_bytes(passkey.credential_id))
        for passkey in passkeys
    ]


def _bounded(response: str) -> str:
    if len(response) > _MAX_CHARACTERS:
        raise InvalidPasskey("the answer is too long")
    return response

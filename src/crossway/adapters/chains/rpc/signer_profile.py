"""The signers of a profile whose keys are outside this process."""

from collections.abc import Callable
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, model_validator

from crossway.adapters.chains.signers.external_key import Curve, ExternalKey

Secret = Annotated[str, Field(pattern=r"^((env|file):\S+)?$")]


class SignerProfile(BaseModel):
    """A remote signer (`url`, `key_id`, `access_token`) or a PKCS#11 token (`module`, `token`,
    `key_label`, `pin`). `access_token` and `pin` are `env:NAME` or `file:PATH`; `certificates` is a
    file of the authorities to trust instead of the system's."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    url: str = ""
    key_id: str = Field(default="", pattern=r"^[A-Za-z0-9._-]{0,200}$")
    access_token: Secret = ""
    certificates: str = ""
    timeout_seconds: float = Field(default=2.0, gt=0, le=30)
    module: str = ""
    token: str = ""
    key_label: str = ""
    pin: Secret = ""

    @property
    def kind(self) -> str:
        """How keys name it: `remote` or `pkcs11`."""
        return "remote" if self.url else "pkcs11"

    @model_validator(mode="after")
    def _is_one_kind(self) -> "SignerProfile":
        remote = {"url", "key_id", "access_token"}
        token = {"module", "token", "key_label", "pin"}
        used = {name for name in remote | token if getattr(self, name)}
        if used not in (remote, token):
            raise ValueError(
                "must have url, key_id and access_token (a remote signer), or module, token, "
                "key_label and pin (a PKCS#11 token)"
            )
        if self.url and not _is_https(self.url):
            raise ValueError("url must begin with https:// and name a host")
        return self


def open_key(
    name: str, profile: SignerProfile, curve: Curve, load_secret: Callable[[str], str]
) -> ExternalKey:
    """The key of a signer; asks nobody yet. Raises `ValueError` with a sentence."""
    if profile.kind == "remote":
        from crossway.adapters.chains.signers.remote import RemoteKey

        token = load_secret(profile.access_token)
        trusted, timeout = profile.certificates, profile.timeout_seconds
        try:
            return RemoteKey(name, profile.url, profile.key_id, curve, token, timeout, trusted)
        except OSError:
            raise ValueError(f"the certificates {trusted} cannot be read") from None
    # Imported here: only who has a token needs the library.
    try:
        from crossway.adapters.chains.signers.pkcs11 import TokenKey
    except ModuleNotFoundError as error:
        raise ValueError(f"{error.name} is not installed") from None
    pin = load_secret(profile.pin)
    return TokenKey(name, profile.module, profile.token, profile.key_label, curve, pin)


def _is_https(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme == "https" and bool(parts.hostname) and not parts.query
    except ValueError:  # Brackets without an address.
        return False

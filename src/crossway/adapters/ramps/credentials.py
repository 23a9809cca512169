"""The operator's settings for each real provider: keys and refund addresses."""

import base64
from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, SecretStr, field_validator

from crossway.ports.ramps import ProviderRejected

Secret = Annotated[SecretStr, Field(min_length=8)]


class ProviderCredentials(BaseModel):
    """Common settings. `refund_addresses` receive, by chain, undeliverable crypto that a provider
    paid; no provider names an address of its own for it."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    base_url: HttpUrl
    refund_addresses: dict[str, str]

    @property
    def secrets(self) -> tuple[SecretStr, ...]:
        """All secret values, which must not appear in messages."""
        return tuple(value for value in vars(self).values() if isinstance(value, SecretStr))

    def refund_address(self, chain: str) -> str:
        """The refund address on a chain. Raises `ProviderRejected` when none is set."""
        try:
            return self.refund_addresses[chain]
        except KeyError:
            raise ProviderRejected(f"No refund address is set for {chain}") from None


class FonbnkCredentials(ProviderCredentials):
    """`client_secret` is in base64, as the dashboard shows it; `user_ip` is sent in place of the
    user's IP address, which a server-to-server call does not know."""

    base_url: HttpUrl = HttpUrl("https://api.fonbnk.com")
    client_id: str = Field(min_length=1)
    client_secret: Secret
    webhook_secret: Secret
    user_ip: IPv4Address | IPv6Address

    @field_validator("client_secret")
    @classmethod
    def _in_base64(cls, secret: SecretStr) -> SecretStr:
        try:
            base64.b64decode(secret.get_secret_value(), validate=True)
        except ValueError:
            raise ValueError("must be base64, as Fonbnk's dashboard shows it") from None
        return secret


class OnrampMoneyCredentials(ProviderCredentials):
    """`app_id` opens the widget; the API key and secret sign requests and webhooks."""

    base_url: HttpUrl = HttpUrl("https://api.onramp.money")
    widget_url: HttpUrl = HttpUrl("https://onramp.money/main/buy/")
    app_id: str = Field(pattern=r"^[0-9]{1,12}$")
    api_key: Secret
    api_secret: Secret


class OperatorAttestedCredentials(ProviderCredentials):
    """Settings of a provider that obliges the operator to verify users. Until `identities` is
    `checked_by_operator`, nobody may trade."""

    identities: Literal["not_checked", "checked_by_operator"] = "not_checked"


class PaycrestCredentials(OperatorAttestedCredentials):
    """The API key of a sender, and the secret that signs its webhooks."""

    base_url: HttpUrl = HttpUrl("https://api.paycrest.io")
    api_key: Secret
    api_secret: Secret


class YellowCardCredentials(OperatorAttestedCredentials):
    """The key of the Payments API, and the secret that signs requests and webhooks."""

    base_url: HttpUrl = HttpUrl("https://api.yellowcard.io")
    api_key: Secret
    secret_key: Secret

"""What an operator has to give for each real provider: its keys, and where money goes back to."""

import base64
from ipaddress import IPv4Address, IPv6Address
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, HttpUrl, SecretStr, field_validator

from crossway.ports.ramps import ProviderRejected

Secret = Annotated[SecretStr, Field(min_length=8)]


class ProviderCredentials(BaseModel):
    """Common to all. `refund_addresses` is, by chain, where crypto goes that a provider paid and
    that cannot be delivered; no provider names an address of its own for it."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    base_url: HttpUrl
    refund_addresses: dict[str, str]

    @property
    def secrets(self) -> tuple[SecretStr, ...]:
        """All secret values, which must not appear in messages."""
        return tuple(value for value in vars(self).values() if isinstance(value, SecretStr))

    def refund_address(self, chain: str) -> str:
        """The address of a chain; where none is set the provider is refused there."""
        try:
            return self.refund_addresses[chain]
        except KeyError:
            raise ProviderRejected(f"No refund address is set for {chain}") from None


class FonbnkCredentials(ProviderCredentials):
    """`client_secret` in base64, as the dashboard shows it; `user_ip` is the address that stands
    for the user's, which a call from server to server does not know."""

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
    """`app_id` opens the widget, the key and its secret sign requests and webhooks."""

    base_url: HttpUrl = HttpUrl("https://api.onramp.money")
    widget_url: HttpUrl = HttpUrl("https://onramp.money/main/buy/")
    app_id: str = Field(pattern=r"^[0-9]{1,12}$")
    api_key: Secret
    api_secret: Secret


class OperatorAttestedCredentials(ProviderCredentials):
    """Of a provider that checks nobody and obliges the operator to; `identities` says whether the
    operator does. Until it is `checked_by_operator` nobody may trade."""

    identities: Literal["not_checked", "checked_by_operator"] = "not_checked"


class PaycrestCredentials(OperatorAttestedCredentials):
    """The key of a sender, and the secret that signs its webhooks."""

    base_url: HttpUrl = HttpUrl("https://api.paycrest.io")
    api_key: Secret
    api_secret: Secret


class YellowCardCredentials(OperatorAttestedCredentials):
    """The key of the Payments API and its secret, which signs requests and webhooks."""

    base_url: HttpUrl = HttpUrl("https://api.yellowcard.io")
    api_key: Secret
    secret_key: Secret

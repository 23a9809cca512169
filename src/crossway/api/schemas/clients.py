"""Response models of `/v1/client`."""

from typing import Self

from pydantic import Field

from crossway.api.schemas.fields import TIME, WALLET, Model, field
from crossway.domain.clients import Principal
from crossway.usecases.instants import timestamp

_CLIENT = "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11"
_LOGO = "https://shop.example/logo.svg"


class Branding(Model):
    """The client's branding on payment pages; null where nothing is set."""

    displayName: str | None = field("The name that payers see.", "Corner Shop")
    logoUrl: str | None = field("Its logo, an https URL.", _LOGO)
    colour: str | None = field("Its colour.", "#2255aa", pattern="^#[0-9a-f]{6}$")


class ClientInfo(Model):
    """The client and the API key of the request."""

    id: str = field("The client (UUID).", _CLIENT)
    clientId: str = field("The same.", _CLIENT)
    name: str = field("Its name.", "Default")
    email: str | None = field("Its e-mail address; null: the service keeps none.", None)
    logoUrl: str | None = field("As `branding.logoUrl`.", _LOGO)
    mode: str = field("Mode of this key.", "test", extra={"enum": ["test", "live"]})
    scopes: list[str] = field("Scopes of this key.", ["read", "refund", "write"])
    requestsPerMinute: int = field("Rate limit of this key.", 250)
    allowedAddresses: list[str] = field(
        "IP networks from which this key may be used; empty means any.", ["203.0.113.0/24"]
    )
    endsAt: str | None = field("When this key expires; null if it does not.", TIME)
    appFeeBps: int = field("The client's own fee in basis points.", 0)
    appFeeCapUsd: str | None = field("Cap of that fee in micro-USD; null without one.", "5000000")
    refundAddresses: dict[str, str] = field(
        "Default refund addresses of intents by the source chain's family.",
        {"evm": WALLET},
    )
    branding: Branding = Field(description="Branding on payment pages.")
    paymasterBalance: str = field(
        "Always 0: the service pays for gas itself, out of the fees of payments.", "0"
    )
    paymasterEnabled: bool = field("Always false: see `paymasterBalance`.", False)
    createdAt: str = field("When the client was created.", TIME)

    @classmethod
    def from_caller(cls, caller: Principal) -> Self:
        """The client and the key of a request."""
        client, key = caller.client, caller.key
        cap, brand = client.app_fee_cap_micro_usd, client.public_profile
        rate = key.requests_per_minute if key else None
        return cls(
            id=client.id,
            clientId=client.id,
            name=client.name,
            email=None,
            logoUrl=brand.logo_url or None,
            mode=caller.owner.mode.value,
            scopes=sorted(caller.scopes),
            requestsPerMinute=rate or client.requests_per_minute,
            allowedAddresses=list(key.addresses) if key else [],
            endsAt=timestamp(key.expires_at) if key and key.expires_at else None,
            appFeeBps=client.app_fee_bps,
            appFeeCapUsd=None if cap is None else str(cap),
            refundAddresses=dict(client.refund_addresses),
            branding=Branding(
                displayName=brand.display_name or None,
                logoUrl=brand.logo_url or None,
                colour=brand.colour or None,
            ),
            paymasterBalance="0",
            paymasterEnabled=False,
            createdAt=timestamp(client.created_at),
        )

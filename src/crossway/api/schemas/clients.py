"""The caller's own client and key on the wire."""

from typing import Any

from pydantic import Field

from crossway.api.answers import instant
from crossway.api.schemas.fields import TIME, WALLET, Model, text
from crossway.domain.clients import Caller


class Branding(Model):
    """How the client shows itself to its payers; null where nothing is set."""

    displayName: str | None = text("The name that payers see.", "Corner Shop")
    logoUrl: str | None = text("Its logo, an https URL.", "https://shop.example/logo.svg")
    colour: str | None = text("Its colour.", "#2255aa", pattern="^#[0-9a-f]{6}$")


class ClientInfo(Model):
    """The client and the key that asks."""

    clientId: str = text("The client (UUID).", "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11")
    name: str = text("Its name.", "Default")
    mode: str = text("Mode of this key.", "test", extra={"enum": ["test", "live"]})
    scopes: list[str] = text("What this key may do.", ["read", "refund", "write"])
    requestsPerMinute: int = text("Rate limit of this key.", 250)
    allowedAddresses: list[str] = text(
        "Networks from which this key may be used; empty means from anywhere.", ["203.0.113.0/24"]
    )
    endsAt: str | None = text("When this key stops working; null without an end.", TIME)
    appFeeBps: int = text("The client's own fee in basis points.", 0)
    appFeeCapUsd: str | None = text("Cap of that fee in micro-USD; null without one.", "5000000")
    refundAddresses: dict[str, str] = text(
        "Where money goes back when an intent names no other place, by the kind of source chain.",
        {"evm": WALLET},
    )
    branding: Branding = Field(description="How the client shows itself.")
    createdAt: str = text("Since when the client exists.", TIME)


def client_info(caller: Caller) -> dict[str, Any]:
    """The client and the key that asks."""
    client, key = caller.client, caller.key
    cap, brand = client.app_fee_cap_micro_usd, client.brand
    rate = key.requests_per_minute if key else None
    return {
        "clientId": client.id,
        "name": client.name,
        "mode": caller.mode,
        "scopes": sorted(caller.scopes),
        "requestsPerMinute": rate or client.requests_per_minute,
        "allowedAddresses": list(key.addresses) if key else [],
        "endsAt": instant(key.ends_at) if key and key.ends_at else None,
        "appFeeBps": client.app_fee_bps,
        "appFeeCapUsd": None if cap is None else str(cap),
        "refundAddresses": dict(client.refund_addresses),
        "branding": {
            "displayName": brand.display_name or None,
            "logoUrl": brand.logo_url or None,
            "colour": brand.colour or None,
        },
        "createdAt": instant(client.created_at),
    }

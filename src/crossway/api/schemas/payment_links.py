"""Payment links on the wire."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from crossway.api.answers import exact, instant
from crossway.api.schemas.fields import (
    TIME,
    USDC_ARBITRUM,
    WALLET,
    Model,
    Text,
    Units,
    chain,
    symbol,
    text,
)
from crossway.domain.intent import READ_VOCABULARY, Intent
from crossway.domain.links import LinkUse, PaymentLink

_ID = "pl_5f8942ea98e7c86e3595"
_URL = f"https://pay.shop.example/pay/l/{_ID}"
_AMOUNT = "In the smallest unit of `tokenOut`, with at most 6 decimal places."


class _Wanted(Model):
    description: Text | None = text("What payers read below the title.", "Two bags", default=None)
    amount: Text | None = text(
        f"What everybody pays; without it each payer chooses. {_AMOUNT}", "25000000", default=None
    )
    min_amount: Text | None = text(f"The least a payer may choose. {_AMOUNT}", None, default=None)
    max_amount: Text | None = text(f"The most a payer may choose. {_AMOUNT}", None, default=None)
    source_chains: list[str] | None = text(
        "On which chains payers may pay; on any by default.", ["BASE_MAINNET"], default=None
    )
    source_tokens: list[str] | None = text(
        "With which tokens, by symbol; with any by default.", ["USDC", "USDT"], default=None
    )
    reference: Text | None = text(
        "Your own reference: `reference` in the metadata of every intent.", "A-1001", default=None
    )
    metadata: dict[str, Any] | None = text(
        "Your own data, up to 7 KiB of JSON: in the metadata of every intent.",
        {"product": "coffee"},
        default=None,
    )
    max_uses: int | None = text("How many intents it may make; any number by default.", 100,
                                default=None)  # fmt: skip
    expires_at: Text | None = text("Until when it takes payments.", "2027-01-31T12:00:00Z",
                                   default=None)  # fmt: skip
    active: bool | None = text("Whether it takes payments; true by default.", True, default=None)


class CreatePaymentLink(_Wanted):
    """What payers are asked for, and where it goes."""

    title: Text = text("What payers read first; up to 100 characters.", "Coffee")
    destination_chain: Text = chain("Where the recipient is paid.", "ARBITRUM_MAINNET")
    tokenOut: Text | None = text(
        "Token address on the destination chain; its USDC by default.", USDC_ARBITRUM, default=None
    )
    recipient: Text = text("Wallet of the recipient on the destination chain.", WALLET)


class ChangePaymentLink(_Wanted):
    """What to change; what is left out stays as it is, and null takes away what was set."""

    title: Text | None = text("What payers read first.", "Coffee", default=None)


class PaymentLinkOut(Model):
    """One payment link."""

    id: str = text("Its name: `payment_link_id` of the intents that payers make by it.", _ID)
    url: str = text("Where payers pay.", _URL)
    clientId: str = text("Owning client.", "2f0b4b7e-6f8f-4f57-9f43-0f2b8a1f3c11")
    mode: str = text("Mode of the key that made it.", "test", extra={"enum": ["test", "live"]})
    title: str = text("What payers read first.", "Coffee")
    description: str = text("What they read below it.", "Two bags")
    amount: Units | None = text("What everybody pays; null where payers choose.", "25000000")
    min_amount: Units | None = text("The least a payer may choose.", None)
    max_amount: Units | None = text("The most a payer may choose.", None)
    destination_chain: str = chain("Where the recipient is paid.", "ARBITRUM_MAINNET")
    tokenOut: str = text("Token address on the destination chain.", USDC_ARBITRUM)
    recipient: str = text("Wallet of the recipient.", WALLET)
    source_chains: list[str] = text("Where payers may pay; empty for anywhere.", [])
    source_tokens: list[str] = text("With what; empty for anything.", [])
    reference: str = text("Your own reference.", "A-1001")
    metadata: dict[str, Any] = text("Your own data.", {"product": "coffee"})
    max_uses: int | None = text("How many intents it may make; null for any number.", 100)
    uses: int = text("How many it has made.", 3)
    expires_at: str | None = text("Until when it takes payments; null for always.", TIME)
    active: bool = text("Whether it is switched on.", True)
    created_at: str = text("When it was created.", TIME)
    updated_at: str = text("When it last changed.", TIME)


class PaymentLinkPage(Model):
    """A page of payment links, newest first."""

    payment_links: list[PaymentLinkOut] = Field(description="The payment links of this page.")
    limit: int = text("How many a page has at most.", 20)
    nextCursor: str | None = text("`cursor` of the next page; null on the last one.", _ID)


class UseOut(Model):
    """What one payer made of a payment link."""

    id: int = text("Record number of the use.", 1)
    intent_id: int = text("Record number of the intent.", 1)
    intent_address: str = text("Its deposit address.", WALLET)
    intent_status: str = text(
        "Where it stands.", "FUNDED", extra={"enum": sorted(set(READ_VOCABULARY.values()))}
    )
    source_chain: str = chain("Where the payer pays.")
    asset_token_symbol: str = symbol("The token that the payer sends.")
    total_amount_in_asset_token: Units = text("What the payer must deposit.", "25034567")
    payment_url: str = text("The payer's page.", "https://pay.shop.example/pay/…")
    created_at: str = text("When the payer made it.", TIME)


class UsePage(Model):
    """A page of uses, newest first."""

    uses: list[UseOut] = Field(description="The uses of this page.")
    limit: int = text("How many a page has at most.", 20)
    nextCursor: str | None = text("`cursor` of the next page; null on the last one.", "42")


def payment_link(link: PaymentLink, url: str) -> dict[str, Any]:
    """One payment link, with where payers find it."""
    ends = link.expires_at
    return {
        "id": link.id,
        "url": url,
        "clientId": link.client_id,
        "mode": link.mode,
        "title": link.title,
        "description": link.description,
        "amount": _units(link.amount_units),
        "min_amount": _units(link.least_units),
        "max_amount": _units(link.most_units),
        "destination_chain": link.destination_chain,
        "tokenOut": link.token_out,
        "recipient": link.recipient,
        "source_chains": list(link.source_chains),
        "source_tokens": list(link.source_tokens),
        "reference": link.reference,
        "metadata": exact(dict(link.metadata)),
        "max_uses": link.most_uses,
        "uses": link.uses,
        "expires_at": instant(ends) if ends else None,
        "active": link.active,
        "created_at": instant(link.created_at),
        "updated_at": instant(link.updated_at),
    }


def use(one: LinkUse, intent: Intent, url: str) -> dict[str, Any]:
    """One use, with the payer's page."""
    return {
        "id": one.id,
        "intent_id": intent.id,
        "intent_address": intent.address,
        "intent_status": READ_VOCABULARY[intent.state],
        "source_chain": intent.terms.source_chain,
        "asset_token_symbol": intent.asset_symbol,
        "total_amount_in_asset_token": str(intent.terms.total_units),
        "payment_url": url,
        "created_at": instant(one.at),
    }


def page(name: str, found: Sequence[Mapping[str, Any]], limit: int, more: bool) -> dict[str, Any]:
    """A page of either, under its name."""
    return {
        name: list(found),
        "limit": limit,
        "nextCursor": str(found[-1]["id"]) if more else None,
    }


def _units(units: int | None) -> str | None:
    return None if units is None else str(units)

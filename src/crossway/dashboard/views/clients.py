"""Merchants on screen: fees, rate limits, refund addresses and public profile."""

from collections.abc import Mapping
from dataclasses import dataclass

from crossway.dashboard.views.formatting import group_thousands
from crossway.dashboard.views.keys import parse_whole_number
from crossway.domain.clients import MAX_APP_FEE_BPS, Client
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.money import MICRO_USD_DECIMALS, format_units
from crossway.domain.typed_amounts import parse_typed_amount
from crossway.ports.services import Services
from crossway.usecases.developers import clients
from crossway.usecases.developers.clients import ClientUpdate

PERCENT_PLACES = 2


@dataclass(frozen=True, slots=True)
class ClientForm:
    """The form's input; refund addresses by the kind of chain."""

    name: str
    fee_percent: str
    cap_usd: str
    rate: str
    refunds: Mapping[str, str]
    display_name: str
    logo_url: str
    colour: str


def get_client(services: Services, text: str) -> Client:
    """The client with this id; raises `NotFound`."""
    for client in clients.list_clients(services):
        if client.id == text:
            return client
    raise NotFound("Merchant not found" if text else "No merchant ID in the link")


def client_names(services: Services) -> dict[str, str]:
    """The client names by id."""
    return {client.id: client.name for client in clients.list_clients(services)}


def list_chain_kinds(services: Services) -> tuple[str, ...]:
    """The kinds of the configured chains."""
    chains = services.catalogue.chains
    return tuple(sorted({chains[chain].kind for chain in services.chains}))


def chain_kind_name(kind: str) -> str:
    """The display name of a kind of chain."""
    return "EVM chains" if kind == "evm" else kind.title()


def format_fee_percent(client: Client) -> str:
    """The app fee in per cent: `0.50`."""
    return format_units(client.app_fee_bps, PERCENT_PLACES, PERCENT_PLACES)


def format_fee_cap(client: Client) -> str:
    """The cap of the app fee in dollars for an input; empty without a cap."""
    cap = client.app_fee_cap_micro_usd
    return "" if cap is None else group_thousands(format_units(cap, MICRO_USD_DECIMALS, 2))


def parse_change(typed: ClientForm) -> ClientUpdate:
    """The form as a change; an empty field clears the value."""
    cap = typed.cap_usd.strip()
    fee = parse_typed_amount("App fee", typed.fee_percent.strip() or "0", PERCENT_PLACES, "%")
    if fee > MAX_APP_FEE_BPS:
        raise InvalidInput("App fee must be from 0 to 5%")
    return ClientUpdate(
        name=typed.name,
        app_fee_bps=fee,
        app_fee_cap_micro_usd=_parse_cap(cap) if cap else -1,
        requests_per_minute=parse_whole_number("Requests per minute", typed.rate),
        refund_addresses=typed.refunds,
        display_name=typed.display_name,
        logo_url=typed.logo_url,
        colour=typed.colour,
    )


def _parse_cap(typed: str) -> int:
    return parse_typed_amount("App fee cap", typed, MICRO_USD_DECIMALS, "USD")

"""Clients: what they are charged and allowed, where their refunds go, how they show themselves."""

from collections.abc import Mapping
from dataclasses import dataclass

from crossway.dashboard.views.cells import Cell, Column, Row
from crossway.dashboard.views.figures import grouped, short, usd
from crossway.dashboard.views.keys import whole_number
from crossway.dashboard.views.links import client_href
from crossway.domain.clients import MAX_APP_FEE_BPS, Client
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.money import MICRO_USD_DECIMALS, format_units, parse_decimal
from crossway.ports.services import Services
from crossway.usecases.developers import clients
from crossway.usecases.developers.clients import ClientChange

COLUMNS = (
    Column("Client"),
    Column("App fee"),
    Column("Rate"),
    Column("Refunds go to", wide=True),
    Column("Shown as", wide=True),
)
PERCENT_PLACES = 2
KINDS: Mapping[str, str] = {
    "evm": "EVM chains",
    "solana": "Solana",
    "starknet": "Starknet",
    "tron": "Tron",
}


@dataclass(frozen=True, slots=True)
class Typed:
    """The form of a client as it stands; the refund addresses by the kind of chain."""

    name: str
    fee_percent: str
    cap_usd: str
    rate: str
    refunds: Mapping[str, str]
    display_name: str
    logo_url: str
    colour: str


def rows(services: Services) -> tuple[Row, ...]:
    """Every client."""
    return tuple(_row(client) for client in clients.every(services))


def _row(client: Client) -> Row:
    refunds = [f"{kind_words(kind)} {short(a)}" for kind, a in client.refund_addresses.items()]
    cap = client.app_fee_cap_micro_usd
    return Row(
        key=client.id,
        href=client_href(client.id),
        label=f"Client {client.name}",
        cells=(
            Cell(client.name),
            Cell(f"{fee_percent(client)} %", sub=f"at most {usd(cap)}" if cap is not None else ""),
            Cell(f"{client.requests_per_minute:,} a minute"),
            Cell(", ".join(refunds) or "Where each payment says"),
            Cell(client.brand.display_name or "–", sub=client.brand.colour),
        ),
    )


def one(services: Services, text: str) -> Client:
    """The client that a link names; raises `NotFound`."""
    for client in clients.every(services):
        if client.id == text:
            return client
    raise NotFound("No such client is known" if text else "No client is named")


def names(services: Services) -> dict[str, str]:
    """Every client's name by its identifier."""
    return {client.id: client.name for client in clients.every(services)}


def kinds(services: Services) -> tuple[str, ...]:
    """The kinds of chains that there are here."""
    chains = services.catalogue.chains
    return tuple(sorted({chains[chain].kind for chain in services.chains}))


def kind_words(kind: str) -> str:
    """What a kind of chains is called."""
    return KINDS.get(kind, kind.title())


def fee_percent(client: Client) -> str:
    """The app fee in per cent: `0.50`."""
    return format_units(client.app_fee_bps, PERCENT_PLACES, PERCENT_PLACES)


def cap_usd(client: Client) -> str:
    """The most that the app fee may be, as it is typed; empty without a cap."""
    cap = client.app_fee_cap_micro_usd
    return "" if cap is None else grouped(format_units(cap, MICRO_USD_DECIMALS, 2))


def change_of(typed: Typed) -> ClientChange:
    """The form as a change; an empty field takes away what was set."""
    cap = typed.cap_usd.strip().replace(",", "")
    fee = parse_decimal("App fee", typed.fee_percent.strip() or "0", PERCENT_PLACES)
    if fee > MAX_APP_FEE_BPS:
        raise InvalidInput("App fee must be from 0 to 5 %")
    return ClientChange(
        name=typed.name,
        app_fee_bps=fee,
        app_fee_cap_micro_usd=parse_decimal("App fee at most", cap, MICRO_USD_DECIMALS)
        if cap
        else -1,
        requests_per_minute=whole_number("Requests a minute", typed.rate),
        refund_addresses=typed.refunds,
        display_name=typed.display_name,
        logo_url=typed.logo_url,
        colour=typed.colour,
    )

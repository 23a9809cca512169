"""Amounts and locations of the books, each beside its mark."""

from crossway.dashboard.views.cells import Badge, Cell
from crossway.dashboard.views.formatting import chain_name, format_short_amount, group_thousands
from crossway.dashboard.views.marks import mark_chains, mark_provider, mark_token
from crossway.domain.ledger import FIAT, is_fiat, is_unified
from crossway.domain.ramps import provider_name
from crossway.ports.services import Services
from crossway.usecases.money import books
from crossway.usecases.money.books import Denomination


def location_name(services: Services, location: str) -> str:
    """The name of a chain, of a unified balance, or of the provider that holds fiat money."""
    if is_fiat(location):
        return provider_name(location.removeprefix(FIAT))
    return chain_name(services.catalogue, location)


def format_money(money: Denomination, units: int) -> str:
    """An amount shortened as `format_short_amount`, with at least two decimals."""
    if money.decimals < 2:
        return f"{group_thousands(money.format(units))} {money.symbol}"
    return format_short_amount(units, money.decimals, money.symbol)


def location_cell(services: Services, location: str, badges: tuple[Badge, ...] = ()) -> Cell:
    """The name of a location beside its mark."""
    mark = (
        mark_provider(location.removeprefix(FIAT)) if is_fiat(location) else mark_chains(location)
    )
    return Cell(location_name(services, location), badges=badges, marks=mark)


def money_cell(
    services: Services,
    position: tuple[str, str],
    units: int,
    sub: str = "",
    badges: tuple[Badge, ...] = (),
) -> Cell:
    """An amount of what is booked at a location, with its token's mark and all digits on hover."""
    money = books.get_denomination(services, *position)
    text, exact = (
        format_money(money, units),
        f"{group_thousands(money.format(units))} {money.symbol}",
    )
    chain, token = position
    catalogue = services.catalogue
    is_token = (
        is_unified(chain)
        or position in catalogue.by_address
        or (chain in catalogue.chains and token == catalogue.native_token(chain))
    )
    return Cell(
        text,
        sub,
        badges,
        hint=exact if "…" in text else "",
        marks=mark_token(money.symbol) if is_token else (),
    )

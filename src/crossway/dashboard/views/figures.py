"""Amounts, addresses, times and names of chains as people read them."""

from datetime import datetime

from crossway.dashboard.views.cells import Cell, TimeAs
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.money import MICRO_USD_DECIMALS, Token, format_units

BRIEF_PLACES = 8


def grouped(number: str) -> str:
    """A plain decimal number with commas between the thousands."""
    whole, dot, fraction = number.partition(".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    return f"{sign}{int(digits):,}{dot}{fraction}"


def amount(units: int, decimals: int, symbol: str) -> str:
    """Every digit of an amount with its token: `25.00 USDC`."""
    return f"{grouped(format_units(units, decimals, 2))} {symbol}"


def brief_amount(units: int, decimals: int, symbol: str) -> str:
    """As `amount`, cut to eight places with an ellipsis where more follow."""
    whole, _, fraction = format_units(units, decimals, 2).partition(".")
    if len(fraction) <= BRIEF_PLACES:
        return amount(units, decimals, symbol)
    return f"{grouped(whole)}.{fraction[:BRIEF_PLACES]}… {symbol}"


def usd(micro_usd: int, places: int = 2) -> str:
    """Micro-USD as `25.03 USD`, rounded half up; what is too small to show says so."""
    scale = 10 ** (MICRO_USD_DECIMALS - places)
    if 0 < micro_usd < scale:
        return f"< {format_units(1, places)} USD"
    rounded = (micro_usd + scale // 2) // scale
    return f"{grouped(format_units(rounded, places, places))} USD"


def about_usd(micro_usd: int) -> str:
    """`≈ 25.03 USD`, for beside an amount."""
    return f"≈ {usd(micro_usd)}"


def short(text: str) -> str:
    """An address or a hash, shortened in the middle: `0xb795…C65e`."""
    return text if len(text) <= 13 else f"{text[:6]}…{text[-4:]}"


def millis(at: datetime) -> int:
    """An instant in milliseconds since 1970, as browsers count."""
    return round(at.timestamp() * 1000)


def duration(seconds: float) -> str:
    """A span of time in its two largest parts: `54 min`, `2 h 5 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        rest = whole % 60
        return f"{whole // 60} min" + (f" {rest} s" if rest and whole < 600 else "")
    if whole < 86_400:
        return f"{whole // 3600} h {whole % 3600 // 60} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3600} h"


def chain_name(catalogue: Catalogue, chain: str) -> str:
    """The name people use; an unknown identifier as it is."""
    found = catalogue.chains.get(chain)
    return found.name if found else chain


def token_of(catalogue: Catalogue, chain: str, address: str) -> Token | None:
    """The token at an address, switched off or not; None when the catalogue lacks it."""
    return catalogue.by_address.get((chain, address))


def token_amount(catalogue: Catalogue, chain: str, address: str, units: int) -> str:
    """An amount of the token at an address, in units where the token is unknown."""
    token = token_of(catalogue, chain, address)
    if token is None:
        return f"{grouped(str(units))} units of {short(address)}"
    return amount(units, token.decimals, token.symbol)


def address_cell(chain: Chain | None, address: str, what: str = "address") -> Cell:
    """An address shortened, whole on copy, linked to the chain's explorer."""
    if not address:
        return Cell("–")
    href = chain.address_url(address) if chain and chain.explorer_address else ""
    return Cell(short(address), copy=address, what=what, href=href, mono=True, hint=address)


def tx_cell(chain: Chain | None, tx: str | None, what: str = "transaction") -> Cell:
    """A transaction hash shortened, whole on copy, linked to the chain's explorer."""
    if not tx:
        return Cell("–")
    href = chain.tx_url(tx) if chain and chain.explorer_tx else ""
    return Cell(short(tx), copy=tx, what=what, href=href, mono=True, hint=tx)


def time_cell(at: datetime | None, as_: TimeAs = "ago") -> Cell:
    """An instant: relative, exact, or as time left."""
    return Cell("–") if at is None else Cell(at=millis(at), as_=as_)


def symbols_on(catalogue: Catalogue, chain: str) -> list[str]:
    """What can be paid with or paid out on a chain: USDC first, then the rest by name."""
    names = {token.symbol for token in catalogue.by_chain.get(chain, ()) if token.enabled}
    return sorted(names, key=lambda symbol: (symbol != "USDC", symbol.lower()))

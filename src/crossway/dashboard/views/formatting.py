"""Display formats of amounts, addresses, times and chain names."""

from datetime import datetime

from crossway.dashboard.views.cells import Cell, TimeAs
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.ledger import UNIFIED_DECIMALS, is_unified, unified_title
from crossway.domain.money import MICRO_USD_DECIMALS, Token, format_units

MAX_SHORT_DECIMALS = 8
_SMALLEST_PERCENT = 0.1


def capitalize_first(text: str) -> str:
    """A reason of the engine as a sentence on screen."""
    return text[:1].upper() + text[1:]


def group_thousands(number: str) -> str:
    """A decimal number with commas between the thousands."""
    whole, dot, fraction = number.partition(".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    return f"{sign}{int(digits):,}{dot}{fraction}"


def format_amount(units: int, decimals: int, symbol: str) -> str:
    """An amount with all digits and its token: `25.00 USDC`."""
    return f"{group_thousands(format_units(units, decimals, 2))} {symbol}"


def format_short_amount(units: int, decimals: int, symbol: str) -> str:
    """As `format_amount`, cut to eight decimals with an ellipsis."""
    whole, _, fraction = format_units(units, decimals, 2).partition(".")
    if len(fraction) <= MAX_SHORT_DECIMALS:
        return format_amount(units, decimals, symbol)
    return f"{group_thousands(whole)}.{fraction[:MAX_SHORT_DECIMALS]}… {symbol}"


def format_usd(micro_usd: int, places: int = 2) -> str:
    """Micro-USD as `25.03 USD`, rounded half up; smaller amounts as `< 0.01 USD`."""
    scale = 10 ** (MICRO_USD_DECIMALS - places)
    if 0 < micro_usd < scale:
        return f"< {format_units(1, places)} USD"
    rounded = (micro_usd + scale // 2) // scale
    return f"{group_thousands(format_units(rounded, places, places))} USD"


def format_approx_usd(micro_usd: int) -> str:
    """`≈ 25.03 USD`, shown beside an amount."""
    return f"≈ {format_usd(micro_usd)}"


def format_share(part: int, whole: int) -> str:
    """`83.4%`; 100% only when nothing is missing, 0% only when nothing is there."""
    if not whole:
        return "–"
    if part in (0, whole):
        return f"{100 * part // whole}%"
    least, most = _SMALLEST_PERCENT, 100 - _SMALLEST_PERCENT
    return f"{min(max(round(100 * part / whole, 1), least), most):.1f}%"


def shorten(text: str) -> str:
    """An address or a hash, shortened in the middle: `0xb795…C65e`."""
    return text if len(text) <= 13 else f"{text[:6]}…{text[-4:]}"


def to_millis(at: datetime) -> int:
    """A time in milliseconds since the Unix epoch."""
    return round(at.timestamp() * 1000)


def format_duration(seconds: float) -> str:
    """A duration in its two largest units: `54 min`, `2 h 5 min`."""
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
    """A chain's display name, or that of a unified balance; an unknown identifier unchanged."""
    if is_unified(chain):
        return unified_title(chain)
    known_chain = catalogue.chains.get(chain)
    return known_chain.name if known_chain else chain


def find_token(catalogue: Catalogue, chain: str, address: str) -> Token | None:
    """The token at an address, enabled or not; None if the catalogue lacks it."""
    return catalogue.by_address.get((chain, address))


def format_token_amount(catalogue: Catalogue, chain: str, address: str, units: int) -> str:
    """An amount of the token at an address; in smallest units if the token is unknown."""
    if is_unified(chain):
        return format_amount(units, UNIFIED_DECIMALS, address)
    token = find_token(catalogue, chain, address)
    if token is None:
        return f"{group_thousands(str(units))} units of {shorten(address)}"
    return format_amount(units, token.decimals, token.symbol)


def address_cell(chain: Chain | None, address: str, value_name: str = "address") -> Cell:
    """A shortened address with the full one to copy and a link to the chain's explorer."""
    if not address:
        return Cell("–")
    href = chain.address_url(address) if chain and chain.explorer_address else ""
    return Cell(
        shorten(address), copy=address, value_name=value_name, href=href, mono=True, hint=address
    )


def tx_cell(chain: Chain | None, tx: str | None, value_name: str = "transaction") -> Cell:
    """A shortened transaction hash with the full one to copy and a link to the explorer."""
    if not tx:
        return Cell("–")
    href = chain.tx_url(tx) if chain and chain.explorer_tx else ""
    return Cell(shorten(tx), copy=tx, value_name=value_name, href=href, mono=True, hint=tx)


def time_cell(at: datetime | None, as_: TimeAs = "ago") -> Cell:
    """A time, shown as age, as exact time or as time left."""
    return Cell("–") if at is None else Cell(at=to_millis(at), as_=as_)


def list_symbols(catalogue: Catalogue, chain: str) -> list[str]:
    """The enabled tokens of a chain: USDC first, then by name."""
    names = {token.symbol for token in catalogue.by_chain.get(chain, ()) if token.enabled}
    return sorted(names, key=lambda symbol: (symbol != "USDC", symbol.lower()))

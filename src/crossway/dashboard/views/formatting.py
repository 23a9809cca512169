"""Display formats of amounts, addresses, times and chain names."""

from datetime import date, datetime
from typing import Final

from crossway.dashboard.views.cells import Badge, Cell, TimeAs
from crossway.dashboard.views.marks import mark_bridge, mark_chains, mark_token
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.ledger import UNIFIED_DECIMALS, is_unified, unified_title
from crossway.domain.money import MICRO_USD_DECIMALS, Token, format_units
from crossway.domain.quotes import bridge_title

_SHORT_DECIMALS: Final = 6
_SHORT_DIGITS: Final = 4
_SMALLEST_PERCENT: Final = 0.1


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
    """As `format_amount`, cut with an ellipsis after six decimals, or after the first four digits
    of a smaller amount: `0.014671… ETH`, `0.000005032… ETH`."""
    whole, _, fraction = format_units(units, decimals, 2).partition(".")
    zeros = len(fraction) - len(fraction.lstrip("0")) if not int(whole) else 0
    shown = max(_SHORT_DECIMALS, zeros + _SHORT_DIGITS)
    if len(fraction) <= shown:
        return format_amount(units, decimals, symbol)
    return f"{group_thousands(whole)}.{fraction[:shown]}… {symbol}"


def amount_cell(
    units: int, decimals: int, symbol: str, sub: str = "", badges: tuple[Badge, ...] = ()
) -> Cell:
    """A shortened amount beside its token's mark; all digits appear on hover."""
    short = format_short_amount(units, decimals, symbol)
    exact = format_amount(units, decimals, symbol)
    hint = exact if exact != short else ""
    return Cell(short, sub, badges, hint=hint, marks=mark_token(symbol))


def format_usd(micro_usd: int, places: int = 2) -> str:
    """Micro-USD as `25.03 USD`, rounded half up; smaller amounts as `< 0.01 USD`."""
    scale = 10 ** (MICRO_USD_DECIMALS - places)
    if 0 < micro_usd < scale:
        return f"< {format_units(1, places)} USD"
    rounded = (micro_usd + scale // 2) // scale
    return f"{group_thousands(format_units(rounded, places, places))} USD"


def format_approx_usd(micro_usd: int) -> str:
    """`≈ 25.03 USD`, shown beside an amount; `< 0.01 USD` needs no sign."""
    text = format_usd(micro_usd)
    return text if text.startswith("<") else f"≈ {text}"


def format_percent(value: float, places: int = 1) -> str:
    """A number of hundredths: `82.4%`."""
    return f"{value:,.{places}f}%"


def format_rate(bps: int) -> str:
    """A rate in hundredths of a percent, without zeros that say nothing: `19%`, `8.25%`."""
    return f"{bps / 100:g}%"


def format_bps(bps: float) -> str:
    """A number of basis points with one place: `1.0 bps`."""
    return f"{bps:,.1f} bps"


def format_utc(at: datetime) -> str:
    """A time within a sentence: `27 Nov 2026, 07:10 UTC`."""
    return f"{format_day(at)}, {at:%H:%M} UTC"


def format_day(day: date) -> str:
    """A day within a sentence: `27 Nov 2026`."""
    return f"{day.day} {day:%b %Y}"


def format_share(part: int, whole: int) -> str:
    """`83.4%`; 100% only when nothing is missing, 0% only when nothing is there."""
    if not whole:
        return "–"
    if part in (0, whole):
        return f"{100 * part // whole}%"
    least, most = _SMALLEST_PERCENT, 100 - _SMALLEST_PERCENT
    return format_percent(min(max(round(100 * part / whole, 1), least), most))


def shorten(text: str) -> str:
    """An address or a hash, shortened in the middle: `0xb795…C65e`."""
    return text if len(text) <= 13 else f"{text[:6]}…{text[-4:]}"


def to_millis(at: datetime) -> int:
    """A time in milliseconds since the Unix epoch."""
    return round(at.timestamp() * 1000)


def format_duration(seconds: float) -> str:
    """A duration in its two largest units, without a zero: `54 min`, `2 h 5 min`, `30 d`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        rest = whole % 60
        return f"{whole // 60} min" + (f" {rest} s" if rest and whole < 600 else "")
    if whole < 86_400:
        return _join_units(whole // 3600, "h", whole % 3600 // 60, "min")
    return _join_units(whole // 86_400, "d", whole % 86_400 // 3600, "h")


def format_duration_or_dash(seconds: float | None) -> str:
    """As `format_duration`; a dash where it is not known."""
    return "–" if seconds is None else format_duration(seconds)


def _join_units(large: int, name: str, rest: int, rest_name: str) -> str:
    return f"{large} {name}" + (f" {rest} {rest_name}" if rest else "")


def name_hour(at: datetime) -> str:
    """An hour on the axis of a chart: `14:00`."""
    return f"{at:%H:%M}"


def name_day(day: date) -> str:
    """A day on the axis of a chart: `27 Nov`."""
    return f"{day.day} {day:%b}"


def name_month(month: str) -> str:
    """A month as it is chosen: `2026-11` is `November 2026`."""
    return f"{date.fromisoformat(f'{month}-01'):%B %Y}"


def chain_name(catalogue: Catalogue, chain: str) -> str:
    """A chain's display name, or that of a unified balance; an unknown identifier unchanged."""
    if is_unified(chain):
        return unified_title(chain)
    known_chain = catalogue.chains.get(chain)
    return known_chain.name if known_chain else chain


def chain_cell(catalogue: Catalogue, chain: str, sub: str = "") -> Cell:
    """A chain's name beside its mark."""
    return Cell(chain_name(catalogue, chain), sub, marks=mark_chains(chain))


def bridge_cell(bridge: str | None, none: str = "–") -> Cell:
    """A bridge's title beside its mark; `none` where no bridge is used."""
    return Cell(bridge_title(bridge) if bridge else none, marks=mark_bridge(bridge or ""))


def route_cell(catalogue: Catalogue, source: str, destination: str, sub: str = "") -> Cell:
    """`Base → Arbitrum One` beside the marks of both chains."""
    text = f"{chain_name(catalogue, source)} → {chain_name(catalogue, destination)}"
    return Cell(text, sub, marks=mark_chains(source, destination))


def find_token(catalogue: Catalogue, chain: str, address: str) -> Token | None:
    """The token at an address, enabled or not; None if the catalogue lacks it."""
    return catalogue.by_address.get((chain, address))


def format_token_amount(catalogue: Catalogue, chain: str, address: str, units: int) -> str:
    """A shortened amount of the token at an address; in smallest units if it is unknown."""
    known = _find_denomination(catalogue, chain, address)
    if known is None:
        return f"{group_thousands(str(units))} units of {shorten(address)}"
    return format_short_amount(units, *known)


def _find_denomination(catalogue: Catalogue, chain: str, address: str) -> tuple[int, str] | None:
    """Decimals and symbol of a token or a chain's coin, which not every catalogue lists as one."""
    if is_unified(chain):
        return UNIFIED_DECIMALS, address
    if token := find_token(catalogue, chain, address):
        return token.decimals, token.symbol
    known_chain = catalogue.chains.get(chain)
    if known_chain and address == catalogue.native_token(chain):
        return known_chain.native_decimals, known_chain.native_symbol
    return None


def token_amount_cell(
    catalogue: Catalogue, chain: str, address: str, units: int, sub: str = ""
) -> Cell:
    """As `format_token_amount`, with the token's mark and all digits on hover."""
    known = _find_denomination(catalogue, chain, address)
    if known is None:
        return Cell(format_token_amount(catalogue, chain, address, units), sub)
    return amount_cell(units, *known, sub)


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

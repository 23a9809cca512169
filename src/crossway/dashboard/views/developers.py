"""Code samples, filled in with the operator's own addresses, chains and amounts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from crossway.domain.errors import InvalidInput
from crossway.domain.money import parse_decimal
from crossway.ports.services import Services

FOLDER: Final = Path(__file__).parents[1] / "samples"
# The tabs by their names: the file's ending and how Streamlit colours it.
LANGUAGES: Final[Mapping[str, tuple[str, str]]] = {
    "curl": ("sh", "bash"),
    "Python": ("py", "python"),
    "JavaScript": ("js", "javascript"),
}
RECEIVER_PORT: Final = 3000
FIRST_ORDER: Final = "order-1042"
_PART = re.compile(r"\{\{#simulated\}\}\n(.*?)\{\{/simulated\}\}\n", re.S)
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_PLAIN_URL = re.compile(r"https?://[\w.:\[\]-]+(?:/[\w./~-]*)?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Typed:
    """What the samples are to hold; chains by identifier, tokens by symbol, the rest as typed."""

    url: str
    source: str
    destination: str
    token_in: str
    token_out: str
    amount: str
    recipient: str
    refund_address: str
    order: str = FIRST_ORDER


def base_of(page_url: str) -> str:
    """Where this service is reached, from the address of one of its pages."""
    parts = urlsplit(page_url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else "http://localhost:8600"


def values(services: Services, typed: Typed) -> dict[str, str]:
    """What stands in the samples; raises `InvalidInput` for what cannot stand there."""
    url = typed.url.strip().rstrip("/")
    if not _PLAIN_URL.match(url):
        raise InvalidInput("Base URL must be one such as https://pay.example")
    catalogue = services.catalogue
    token_in = catalogue.token(typed.source, typed.token_in)
    token_out = catalogue.token(typed.destination, typed.token_out)
    return {
        "url": url,
        "api": f"{url}/api/v1",
        "source_chain": typed.source,
        "destination_chain": typed.destination,
        "token_in": token_in.address,
        "token_out": token_out.address,
        "symbol": typed.token_out,
        "units": str(_units(services, typed)),
        "recipient": _address(services, "Recipient", typed.destination, typed.recipient),
        "refund_address": _address(services, "Refund address", typed.source, typed.refund_address),
        "order": typed.order,
        "port": str(RECEIVER_PORT),
    }


def _units(services: Services, typed: Typed) -> int:
    chains = (typed.source, typed.destination)
    decimals = services.catalogue.decimals_of(typed.token_out, chains)
    units = parse_decimal("Amount", typed.amount.strip(), decimals)
    if units <= 0:
        raise InvalidInput("Amount must be greater than zero")
    return units


def _address(services: Services, field: str, chain: str, text: str) -> str:
    if not text.strip():
        return f"({field.lower()})"
    try:
        return services.chains[chain].canonical_address(text.strip())
    except ValueError as error:
        raise InvalidInput(f"{field} {error}") from error


def sample(name: str, language: str, filled: Mapping[str, str], simulated: bool) -> str:
    """A sample in a language, filled in; `name` is `pay` or `receive`."""
    ending, _ = LANGUAGES[language]
    text = _PART.sub(r"\1" if simulated else "", _template(f"{name}.{ending}.txt"))
    return _PLACE.sub(lambda place: filled[place.group(1)], text).rstrip()


@cache
def _template(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")

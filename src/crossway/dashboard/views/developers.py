"""Code samples filled in with the operator's addresses, chains and amounts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from crossway.domain.errors import InvalidInput
from crossway.domain.typed_amounts import parse_typed_amount
from crossway.ports.services import Services
from crossway.usecases.chains.payable_addresses import parse_payable_address

FOLDER: Final = Path(__file__).parents[1] / "samples"
# Per tab: the file extension and Streamlit's highlighting language.
LANGUAGES: Final[Mapping[str, tuple[str, str]]] = {
    "curl": ("sh", "bash"),
    "Python": ("py", "python"),
    "JavaScript": ("js", "javascript"),
}
RECEIVER_PORT: Final = 3000
FIRST_ORDER: Final = "order-1042"
_SIMULATED_SECTION = re.compile(r"\{\{#simulated\}\}\n(.*?)\{\{/simulated\}\}\n", re.S)
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
_BASE_URL = re.compile(r"https?://[\w.:\[\]-]+(?:/[\w./~-]*)?\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class SampleInputs:
    """The input of the samples: chains by identifier, tokens by symbol, the rest as typed."""

    url: str
    source: str
    destination: str
    token_in: str
    token_out: str
    amount: str
    recipient: str
    refund_address: str
    order: str = FIRST_ORDER


def base_url(page_url: str) -> str:
    """The base URL of this service, from the URL of one of its pages."""
    parts = urlsplit(page_url)
    return f"{parts.scheme}://{parts.netloc}" if parts.netloc else "http://localhost:8600"


def build_sample_values(services: Services, typed: SampleInputs) -> dict[str, str]:
    """The values inserted into the samples; raises `InvalidInput`."""
    url = typed.url.strip().rstrip("/")
    if not _BASE_URL.match(url):
        raise InvalidInput("Base URL must be a URL such as https://pay.example")
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
        "units": str(_parse_amount(services, typed)),
        "recipient": _parse_address(services, "Recipient", typed.destination, typed.recipient),
        "refund_address": _parse_address(
            services, "Refund address", typed.source, typed.refund_address
        ),
        "order": typed.order,
        "port": str(RECEIVER_PORT),
    }


def _parse_amount(services: Services, typed: SampleInputs) -> int:
    chains = (typed.source, typed.destination)
    decimals = services.catalogue.decimals_of(typed.token_out, chains)
    units = parse_typed_amount("Amount", typed.amount, decimals, typed.token_out)
    if units <= 0:
        raise InvalidInput("Amount must be greater than zero")
    return units


def _parse_address(services: Services, field: str, chain: str, text: str) -> str:
    if not text.strip():
        return f"({field.lower()})"
    return parse_payable_address(services, services.catalogue.chains[chain], text.strip(), field)


def render_sample(name: str, language: str, filled: Mapping[str, str], simulated: bool) -> str:
    """A filled-in sample in a language; `name` is `pay` or `receive`."""
    ending, _ = LANGUAGES[language]
    text = _SIMULATED_SECTION.sub(r"\1" if simulated else "", _template(f"{name}.{ending}.txt"))
    return _PLACEHOLDER.sub(lambda match: filled[match.group(1)], text).rstrip()


@cache
def _template(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")

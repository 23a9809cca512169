"""Ramp providers that only quote prices, for tests of comparisons."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from crossway.adapters.ramps.capabilities import load_capabilities
from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import Capabilities, ProviderQuote, ProviderQuoteRequest
from crossway.ports.services import Services
from tests import services as parts

CAPABILITIES = {n: load_capabilities(n, parts.CATALOGUE, parts.FIAT) for n in ProviderName}


@dataclass
class PricingProvider:
    """Quotes the reference rate plus `cost_bps`.

    `before_response` runs before it responds; `change_quote` changes its quote.
    """

    name: ProviderName
    cost_bps: int = 100
    runs_in_process: bool = True
    before_response: Callable[[], Any] = lambda: None
    change_quote: Callable[[ProviderQuote], ProviderQuote] = lambda priced: priced
    requests: list[tuple[ProviderQuoteRequest, Sequence[Channel]]] = field(default_factory=list)

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES[self.name]

    def get_quote(
        self, request: ProviderQuoteRequest, channels: Sequence[Channel], now: datetime
    ) -> ProviderQuote:
        self.requests.append((request, channels))
        self.before_response()
        rate = parts.FIAT.rates[request.currency.code].micro_per_usd
        scale = 10 ** (6 + request.token.decimals - request.currency.digits)
        signed = self.cost_bps if request.direction is Direction.ON else -self.cost_bps
        fiat = request.amount * rate * (10_000 + signed) // (10_000 * scale)
        until = now + timedelta(seconds=30)
        return self.change_quote(
            ProviderQuote(fiat, fiat // 100, rate, tuple(channels), "q-1", until)
        )


def services_with(*providers: Any, **changes: Any) -> Services:
    """Services with these providers."""
    return parts.services(ramps=providers, **changes)


def with_changes(**changes: Any) -> Callable[[ProviderQuote], ProviderQuote]:
    """A function that changes some fields of a quote."""
    return lambda priced: replace(priced, **changes)

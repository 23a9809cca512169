"""Ramp providers that only name prices, for tests of comparing them."""

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
    """Asks the reference rate and `cost_bps` more, by the first channel that it is asked for.

    `first` is done before it answers; `answer` makes what it says out of an honest answer.
    """

    name: ProviderName
    cost_bps: int = 100
    runs_in_process: bool = True
    first: Callable[[], Any] = lambda: None
    answer: Callable[[ProviderQuote], ProviderQuote] = lambda priced: priced
    asked: list[tuple[ProviderQuoteRequest, Sequence[Channel]]] = field(default_factory=list)

    @property
    def capabilities(self) -> Capabilities:
        return CAPABILITIES[self.name]

    def get_quote(
        self, request: ProviderQuoteRequest, channels: Sequence[Channel], now: datetime
    ) -> ProviderQuote:
        self.asked.append((request, channels))
        self.first()
        rate = parts.FIAT.rates[request.currency.code].micro_per_usd
        scale = 10 ** (6 + request.token.decimals - request.currency.digits)
        signed = self.cost_bps if request.direction is Direction.ON else -self.cost_bps
        fiat = request.amount * rate * (10_000 + signed) // (10_000 * scale)
        until = now + timedelta(seconds=30)
        return self.answer(ProviderQuote(fiat, fiat // 100, rate, tuple(channels), "q-1", until))


def desk(*providers: Any, **changes: Any) -> Services:
    """Services with these providers."""
    return parts.services(ramps=providers, **changes)


def saying(**changes: Any) -> Callable[[ProviderQuote], ProviderQuote]:
    """An answer with some of it changed."""
    return lambda priced: replace(priced, **changes)

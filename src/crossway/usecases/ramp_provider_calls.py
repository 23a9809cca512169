"""Look up the provider, channel and token of a ramp order, and call providers with a timeout."""

from collections.abc import Callable
from typing import Final, TypeVar

from crossway.domain.errors import Unreachable
from crossway.domain.money import Token
from crossway.domain.payment_channels import Channel
from crossway.domain.ramps import RampOrder
from crossway.ports.policy import TimeoutPolicy
from crossway.ports.ramps import ProviderRejected, RampProvider
from crossway.ports.services import Services
from crossway.usecases.parallel_calls import call_all

PROVIDER_TIMEOUT_SECONDS: Final = 8.0

T = TypeVar("T")


def find_provider(services: Services, name: object) -> RampProvider | None:
    """The provider of this name; None when it is not configured."""
    return next((provider for provider in services.ramps if provider.name == name), None)


def get_provider(services: Services, order: RampOrder) -> RampProvider:
    """An order's provider. Raises `Unreachable` when it is no longer configured."""
    provider = find_provider(services, order.provider)
    if provider is None:
        raise Unreachable(f"{order.provider} is not configured here")
    return provider


def find_channel(services: Services, order: RampOrder) -> Channel | None:
    """The payment channel of an order; None when the provider no longer offers it."""
    provider = find_provider(services, order.provider)
    channels = provider.capabilities.channels if provider else ()
    return next((channel for channel in channels if channel.id == order.channel), None)


def find_ramp_token(services: Services, order: RampOrder) -> Token | None:
    """The token that the provider of an order delivers or receives."""
    return services.catalogue.by_address.get((order.ramp_chain, order.ramp_token))


def call_with_timeout(
    services: Services, provider: RampProvider, call: Callable[[], T], queue: str = "orders"
) -> T:
    """Call a provider and wait at most `PROVIDER_TIMEOUT_SECONDS`. Calls in different queues do not
    wait for each other. Raises `ProviderRejected`, or `Unreachable` after the timeout (the call
    itself continues)."""

    def run() -> T | ProviderRejected:
        try:
            return call()
        except ProviderRejected as rejection:
            return rejection

    # Orders have a queue of their own, so that they do not wait behind quotes.
    name = f"{provider.name} {queue}"
    in_process = (name,) if provider.runs_in_process else ()
    responses = call_all(
        services.executor, {name: run}, TimeoutPolicy(deadline=PROVIDER_TIMEOUT_SECONDS), in_process
    )
    if name not in responses.results:
        reason = responses.excluded[0].reason if responses.excluded else "gave no answer"
        raise Unreachable(f"{provider.capabilities.title}: {reason}")
    response = responses.results[name]
    if isinstance(response, ProviderRejected):
        raise response
    return response

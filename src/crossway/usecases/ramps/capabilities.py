"""Finding a provider and a channel, and asking a provider something within a bounded time."""

from collections.abc import Callable
from typing import TypeVar

from crossway.domain.channels import Channel
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token
from crossway.domain.ramps import RampOrder
from crossway.ports.ramps import ProviderRefused, RampProvider
from crossway.ports.services import Patience, Services
from crossway.usecases.pricing.asking import ask
from crossway.usecases.ramps.timing import PATIENCE_SECONDS

T = TypeVar("T")


def provider_called(services: Services, name: object) -> RampProvider | None:
    """The provider of this name; None where it is not configured."""
    return next((one for one in services.ramps if one.name == name), None)


def provider_of(services: Services, order: RampOrder) -> RampProvider:
    """An order's provider. Raises `Unreachable` where it is not configured any more."""
    found = provider_called(services, order.provider)
    if found is None:
        raise Unreachable(f"{order.provider} is not configured here")
    return found


def channel_of(services: Services, order: RampOrder) -> Channel | None:
    """The channel of an order, as the provider's data has it now."""
    provider = provider_called(services, order.provider)
    channels = provider.capabilities.channels if provider else ()
    return next((one for one in channels if one.id == order.channel), None)


def ramp_token(services: Services, order: RampOrder) -> Token | None:
    """What the provider of an order delivers or takes."""
    return services.catalogue.by_address.get((order.ramp_chain, order.ramp_token))


def in_time(
    services: Services, provider: RampProvider, call: Callable[[], T], about: str = "orders"
) -> T:
    """What a provider answers, if it does in time; else `Unreachable`, and the call goes on.
    Raises `ProviderRefused`. Questions about different things do not wait for one another."""

    def answer() -> T | ProviderRefused:
        try:
            return call()
        except ProviderRefused as refusal:
            return refusal

    # A line of its own: an order shall not stand behind quotes.
    name = f"{provider.name} {about}"
    here = (name,) if provider.at_once else ()
    answers = ask(services.asking, {name: answer}, Patience(deadline=PATIENCE_SECONDS), here)
    if name not in answers.given:
        why = answers.missing[0].reason if answers.missing else "gave no answer"
        raise Unreachable(f"{provider.capabilities.title}: {why}")
    given = answers.given[name]
    if isinstance(given, ProviderRefused):
        raise given
    return given

"""How a method of a resource is declared once for both clients.

The decorated function describes what the call does; the method carries it out. On a synchronous
client it returns the result, on an asynchronous one an awaitable or an asynchronous iterator.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from functools import partial, update_wrapper
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from crossway_client.transport.carriers import AsyncCarrier, SyncCarrier
from crossway_client.transport.requests import Request
from crossway_client.transport.steps import Feed

P = ParamSpec("P")
T = TypeVar("T")
CarrierT = TypeVar("CarrierT", bound=SyncCarrier | AsyncCarrier)


class Resource(Generic[CarrierT]):
    """A group of calls that one transport carries out."""

    def __init__(self, carrier: CarrierT) -> None:
        self._carrier = carrier


class endpoint(Generic[P, T]):
    """A method that sends one request, which the decorated function describes."""

    def __init__(self, describe: Callable[Concatenate[Any, P], Request[T]]) -> None:
        self.describe = describe
        self.__doc__ = describe.__doc__

    @overload
    def __get__(self, resource: Resource[SyncCarrier], owner: Any = None) -> Callable[P, T]: ...

    @overload
    def __get__(
        self, resource: Resource[AsyncCarrier], owner: Any = None
    ) -> Callable[P, Coroutine[Any, Any, T]]: ...

    def __get__(self, resource: Any, owner: Any = None) -> Any:
        if resource is None:
            return self

        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return resource._carrier.call(self.describe(resource, *args, **kwargs))

        return _named(method, self.describe, resource)


class iterator(Generic[P, T]):
    """A method that iterates over results, which the decorated function describes as a feed."""

    def __init__(self, describe: Callable[Concatenate[Any, P], Feed[T]]) -> None:
        self.describe = describe
        self.__doc__ = describe.__doc__

    @overload
    def __get__(
        self, resource: Resource[SyncCarrier], owner: Any = None
    ) -> Callable[P, Iterator[T]]: ...

    @overload
    def __get__(
        self, resource: Resource[AsyncCarrier], owner: Any = None
    ) -> Callable[P, AsyncIterator[T]]: ...

    def __get__(self, resource: Any, owner: Any = None) -> Any:
        if resource is None:
            return self

        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return resource._carrier.feed(self.describe(resource, *args, **kwargs))

        return _named(method, self.describe, resource)


def _named(
    method: Callable[..., Any], describe: Callable[..., Any], resource: object
) -> Callable[..., Any]:
    """A method with the name, the text and the parameters of the function that describes it."""
    update_wrapper(method, describe)
    method.__wrapped__ = partial(describe, resource)  # type: ignore[attr-defined]
    return method

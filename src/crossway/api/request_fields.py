"""Which fields a route takes: unknown and repeated query parameters are refused, and the refused
fields of a request are put into its order."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any, Final

import orjson
from fastapi.routing import APIRoute
from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api.schemas.fields import RequestModel
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import FieldError, InvalidInput

# What a route ignores. Clients made from older documents repeat the address of the path.
_IGNORED: Final = {"/v1/chains/balances/{address}": frozenset({"address"})}
# Ramp providers decide what their reports' URLs end in.
_LENIENT_PREFIX: Final = "/v1/ramp/webhooks/"
_MAX_SHOWN_NAME: Final = 60
_NAMED: Final = frozenset(
    {
        ErrorCode.PARAMETER_MISSING,
        ErrorCode.PARAMETER_UNKNOWN,
        ErrorCode.PARAMETER_REPEATED,
    }
)


class StrictQuery:
    """Refuses query parameters that its route does not know, or that are there twice, but for
    those that it ignores."""

    def __init__(self, app: ASGIApp, known: frozenset[str], ignored: frozenset[str]) -> None:
        self._app, self._known, self._ignored = app, known, ignored

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["query_string"]:
            self._check(QueryParams(scope["query_string"]))
        await self._app(scope, receive, send)

    def _check(self, query: QueryParams) -> None:
        errors = []
        for name, count in Counter(name for name, _ in query.multi_items()).items():
            shown = name[:_MAX_SHOWN_NAME]
            if name in self._ignored:
                continue
            if name not in self._known:
                text, code = f"{shown} is not a known parameter", ErrorCode.PARAMETER_UNKNOWN
            elif count > 1:
                text, code = f"{shown} is there more than once", ErrorCode.PARAMETER_REPEATED
            else:
                continue
            errors.append(FieldError(text, code, (shown,)))
        if errors:
            raise InvalidInput.of(errors)


def list_nul_parameters(query_string: bytes) -> list[str]:
    """The query parameters in which there is a NUL, as names to show."""
    items = QueryParams(query_string).multi_items()
    names = (name for name, value in items if "\0" in name or "\0" in value)
    return list(dict.fromkeys(name.replace("\0", "")[:_MAX_SHOWN_NAME] for name in names))


def require_known_query(route: BaseRoute) -> None:
    """Let a route refuse unknown and repeated query parameters."""
    if isinstance(route, APIRoute) and not route.path.startswith(_LENIENT_PREFIX):
        known = _parameters(route, "query_params")
        route.app = StrictQuery(route.app, known, _IGNORED.get(route.path, frozenset()))


def refused_fields(request: Request, errors: Sequence[FieldError]) -> list[str]:
    """The fields that errors are about, in the order of the request: those in its query or
    body first. A sentence about no field begins with another word and names none."""
    given = [*request.query_params, *_body_names(request)]
    return order_fields(errors, given, _known_fields(request.scope.get("route")))


def order_fields(
    errors: Sequence[FieldError], given: Iterable[str], known: Collection[str]
) -> list[str]:
    """The fields that errors are about: those of the `given` ones first, then of all that are
    `known`."""
    names = dict.fromkeys(
        name
        for one in errors
        for name in one.names
        if one.code in _NAMED or name.partition(".")[0].partition("[")[0] in known
    )
    position = {name: place for place, name in enumerate(dict.fromkeys([*given, *known]))}
    return sorted(names, key=lambda name: position.get(name.partition(".")[0], len(position)))


def _known_fields(route: Any) -> list[str]:
    """The names of a route's parameters, and of the fields of its body in the model's order."""
    if not isinstance(route, APIRoute):
        return []
    kinds = ("path_params", "query_params", "header_params")
    parameters = [name for kind in kinds for name in sorted(_parameters(route, kind))]
    return [*parameters, *_body_fields(route)]


def _parameters(route: APIRoute, kind: str) -> frozenset[str]:
    return frozenset(
        field.alias
        for dependant in _dependants(route.dependant)
        for field in getattr(dependant, kind)
    )


def _body_fields(route: APIRoute) -> Iterator[str]:
    for dependant in _dependants(route.dependant):
        model = getattr(dependant.call, "__self__", None)
        if isinstance(model, type) and issubclass(model, RequestModel):
            yield from (field.alias or name for name, field in model.model_fields.items())


def _dependants(dependant: Any) -> Iterator[Any]:
    yield dependant
    for inner in dependant.dependencies:
        yield from _dependants(inner)


def _body_names(request: Request) -> Iterable[str]:
    try:
        body = orjson.loads(request.scope["state"].get("body") or b"{}")
    except ValueError:
        return ()
    return body if isinstance(body, dict) else ()

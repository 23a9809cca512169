"""Routes that are documented like every other, and answered on the event loop without FastAPI."""

from collections.abc import Awaitable, Callable, Sequence
from inspect import signature
from typing import Annotated, Any, get_args, get_origin

from fastapi.params import Depends
from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.routing import BaseRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from crossway.api.errors import failure_response

Dependency = Callable[[Request], Awaitable[Any]]


class DirectRoute(APIRoute):
    """The route of a coroutine that returns a response, and whose parameters are the request and
    dependencies that take the request alone. FastAPI describes it; it is called directly, as what
    FastAPI does for each request costs more than most requests themselves."""

    def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
        super().__init__(path, endpoint, **options)
        self._dependencies = _dependencies_of(endpoint)
        self.app = self._respond

    async def _respond(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive, send)
        arguments = {name: await get(request) for name, get in self._dependencies.items()}
        response = await self.endpoint(request, **arguments)
        await response(scope, receive, send)


class DirectRoutes:
    """Answers what is asked of direct routes, and hands everything else on. What a router does to
    find a route costs as much as all layers around it."""

    def __init__(self, app: ASGIApp, routes: Sequence[BaseRoute]) -> None:
        """`routes` is the list of an application; it may grow."""
        self._app, self._routes = app, routes
        self._known = 0
        self._direct: dict[tuple[str, str], DirectRoute] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        route = self._find(scope) if scope["type"] == "http" else None
        if route is None:
            await self._app(scope, receive, send)
            return
        scope["route"], scope["endpoint"], scope["path_params"] = route, route.endpoint, {}
        try:
            await route.app(scope, receive, send)
        except Exception as error:
            await failure_response(Request(scope), error)(scope, receive, send)

    def _find(self, scope: Scope) -> DirectRoute | None:
        if len(self._routes) != self._known:
            self._known = len(self._routes)
            self._direct = {
                (method, route.path): route
                for route in self._routes
                if isinstance(route, DirectRoute)
                for method in route.methods or ()
            }
        path = scope["path"].removeprefix(scope.get("root_path", ""))
        return self._direct.get((scope["method"], path))


def _dependencies_of(endpoint: Callable[..., Any]) -> dict[str, Dependency]:
    """The parameters of an endpoint after the request, in their order."""
    first, *others = signature(endpoint, eval_str=True).parameters.values()
    if first.annotation is not Request:
        raise TypeError(f"{endpoint.__name__} must take the request first")
    found: dict[str, Dependency] = {}
    for parameter in others:
        parts = get_args(parameter.annotation)
        is_annotated = get_origin(parameter.annotation) is Annotated
        depends = next((p for p in parts if isinstance(p, Depends)), None) if is_annotated else None
        if depends is None or depends.dependency is None:
            raise TypeError(f"{endpoint.__name__}: {parameter.name} is no dependency")
        found[parameter.name] = depends.dependency
    return found

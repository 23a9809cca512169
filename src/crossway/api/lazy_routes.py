"""Routes whose modules are imported at the first request below their path."""

from collections.abc import Callable, Iterable, Sequence
from threading import Lock

from starlette.routing import BaseRoute, Match
from starlette.types import Receive, Scope, Send

Load = Callable[[], Iterable[BaseRoute]]


class LazyRoutes(BaseRoute):
    """Stands in a list of routes for those below a path, and inserts them behind itself when a
    request first asks for one.

    A router goes through its list by position, so it finds them with the same request. The import
    holds up other requests for some hundredths of a second, once.
    """

    def __init__(self, prefix: str, load: Load, routes: list[BaseRoute]) -> None:
        """`routes` is the list that this object is added to."""
        self.path = prefix
        self._load: Load | None = load
        self._routes = routes
        self._lock = Lock()

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if self._load is not None and scope["type"] == "http":
            path = scope["path"].removeprefix(scope.get("root_path", ""))
            if path == self.path or path.startswith(f"{self.path}/"):
                self.load()
        return Match.NONE, {}

    def load(self) -> None:
        """Import the routes now, unless they are there already. An import that fails is tried
        again by the next request; one that another thread has begun is waited for."""
        with self._lock:
            if self._load is not None:
                position = self._routes.index(self) + 1
                self._routes[position:position] = self._load()
                self._load = None

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        raise AssertionError("it matches no request itself")


def load_all(routes: Sequence[BaseRoute]) -> None:
    """Import every route that is not there yet."""
    for route in list(routes):
        if isinstance(route, LazyRoutes):
            route.load()

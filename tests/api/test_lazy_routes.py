"""Routes that are imported at the first request below their path."""

import pytest
from starlette.responses import PlainTextResponse
from starlette.routing import BaseRoute, Route, Router
from starlette.testclient import TestClient

from crossway.api.lazy_routes import LazyRoutes


def test_an_import_that_failed_is_tried_again() -> None:
    """Else every later request below the path would respond 404."""
    tries = []

    def load() -> list[BaseRoute]:
        tries.append(len(tries))
        if len(tries) == 1:
            raise ImportError("a module is not there yet")
        return [Route("/things/{id}", lambda request: PlainTextResponse("found"))]

    routes: list[BaseRoute] = []
    router = Router(routes)
    router.routes.append(LazyRoutes("/things", load, router.routes))
    client = TestClient(router)
    with pytest.raises(ImportError):
        client.get("/things/1")
    assert client.get("/things/1").text == "found"
    assert client.get("/things/2").text == "found"
    assert client.get("/others").status_code == 404
    assert len(tries) == 2

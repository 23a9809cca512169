"""Fixtures for client tests: the API on a real port, and both clients of it."""

import inspect
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast

import pytest
import uvicorn
from anyio.from_thread import BlockingPortal, start_blocking_portal
from starlette.applications import Starlette
from starlette.routing import Mount

from crossway.api.app import create_api
from crossway.bootstrap import Service
from crossway_client import AsyncCrossway, Crossway
from crossway_client.transport.endpoints import Resource
from tests.api.conftest import new_key, new_service
from tests.client.javascript_programs import Programs, all_programs, install
from tests.ports import free_port
from tests.processes import wait_until


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = new_service(tmp_path_factory.mktemp("data"))
    yield service
    service.close()


@pytest.fixture(scope="module")
def url(service: Service) -> Iterator[str]:
    port = free_port()
    app = Starlette(routes=[Mount("/api", create_api(service.services))])
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until("the API listens", lambda: server.started)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


class Blocking:
    """An asynchronous client whose calls block: the same tests run on both clients."""

    def __init__(self, portal: BlockingPortal, target: Any) -> None:
        self._portal, self._target = portal, target

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._target, name)
        if isinstance(value, Resource):
            return Blocking(self._portal, value)

        def method(*args: Any, **kwargs: Any) -> Any:
            result = value(*args, **kwargs)
            if inspect.isawaitable(result):
                return self._portal.call(_awaited, result)
            return self._each(result)

        return method

    def _each(self, results: Any) -> Iterator[Any]:
        while (result := self._portal.call(anext, results, self)) is not self:
            yield result


async def _awaited(result: Any) -> Any:
    return await result


@contextmanager
def _asynchronous(*args: Any, **settings: Any) -> Iterator[Crossway]:
    if (waits := settings.get("sleep")) is not None:

        async def sleep(seconds: float) -> None:
            waits(seconds)

        settings["sleep"] = sleep
    with start_blocking_portal() as portal:
        client = AsyncCrossway(*args, **settings)
        yield cast(Crossway, Blocking(portal, client))
        portal.call(client.aclose)


@pytest.fixture(params=["synchronous", "asynchronous"])
def connect(request: pytest.FixtureRequest) -> Any:
    """A context manager that opens a client of the kind."""
    return Crossway if request.param == "synchronous" else _asynchronous


@pytest.fixture
def crossway(service: Service, url: str, connect: Any) -> Iterator[Crossway]:
    _, _, secret = new_key(service)
    with connect(secret, url) as client:
        yield client


@pytest.fixture(scope="session")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Programs:
    """The compiled programs that use the JavaScript client."""
    installed = install(tmp_path_factory.mktemp("javascript"))
    installed.compile(all_programs())
    return installed

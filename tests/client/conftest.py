"""Fixtures for client tests: the API on a real port, and a client of it."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount

from crossway.api.app import create_api
from crossway.bootstrap import Service
from crossway.client import Crossway
from tests.api.conftest import new_key, new_service
from tests.processes import free_port, wait_until


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


@pytest.fixture
def crossway(service: Service, url: str) -> Iterator[Crossway]:
    _, _, secret = new_key(service)
    with Crossway(secret, url) as client:
        yield client


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path

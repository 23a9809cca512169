"""Fixtures for API tests: a service of their own and a client with a key."""

import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.testclient import TestClient

from crossway import bootstrap
from crossway.api.app import create_api
from crossway.bootstrap import Service
from crossway.domain.clients import Mode, Owner, Scope, staff_principal
from crossway.ports.services import Services
from crossway.settings import Settings
from crossway.usecases.developers import api_keys, clients
from tests.databases import new_postgres
from tests.ports import free_port
from tests.processes import wait_until

WALLET = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
USDC_BASE = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
USDC_ARBITRUM = "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"
_names = count(1)


def new_service(folder: Path, **settings: Any) -> Service:
    """A service on an empty database; its engine runs only when a test calls `tick`."""
    chosen: Any = {"data_dir": folder, "database_url": f"sqlite:///{folder / 'test.db'}"}
    chosen["loopback_webhooks"] = True
    return bootstrap.build(Settings(_env_file=None, **{**chosen, **settings}))


def new_test_client(services: Services, base_url: str = "http://crossway.test") -> TestClient:
    """A test client of the API, mounted as in the single process."""
    mounted = Starlette(routes=[Mount("/api", create_api(services))])
    return TestClient(mounted, base_url=base_url)


@contextmanager
def listening(services: Services) -> Iterator[int]:
    """The port of a server of the API, for clients that need a connection of their own."""
    port = free_port()
    app = Starlette(routes=[Mount("/api", create_api(services))])
    server = uvicorn.Server(uvicorn.Config(app, port=port, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_until("the API listens", lambda: server.started)
    try:
        yield port
    finally:
        server.should_exit = True
        thread.join(10)


@dataclass
class Api:
    """A client of the API with one key of its own."""

    http: TestClient
    service: Service
    client_id: str
    key_id: int
    secret: str

    @property
    def owner(self) -> Owner:
        """The owner of what the client makes with a test key."""
        return Owner(self.client_id, Mode.TEST)

    def get(self, path: str, **params: Any) -> Any:
        return self.http.get(f"/api/v1{path}", params=params, headers=self.headers())

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.post(f"/api/v1{path}", json=body, headers=self.headers(**named))

    def headers(self, **more: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.secret}", **more}

    def create(self, **changes: Any) -> Any:
        """An intent of 25 USDC from Base to Arbitrum, or as changed."""
        return self.post("/intents", {**INTENT, **changes})

    def tick(self, times: int = 1) -> None:
        for _ in range(times):
            self.service.engine.tick()


INTENT = {
    "sender": WALLET,
    "amount": "25000000",
    "tokenIn": USDC_BASE,
    "source_chain": "BASE_MAINNET",
    "destination_chain": "ARBITRUM_MAINNET",
    "recipient": WALLET,
}


def new_key(
    service: Service,
    mode: Mode = Mode.TEST,
    scopes: frozenset[Scope] = frozenset(Scope),
    **limits: Any,
) -> tuple[str, int, str]:
    """The client id, key id and secret of a new client with a high rate limit."""
    client = clients.create_client(
        service.services, f"Shop {next(_names)}", staff_principal("test")
    )
    change = clients.ClientUpdate(**{"requests_per_minute": 100_000, **limits})
    clients.update_client(service.services, client.id, change, staff_principal("test"))
    api_key = api_keys.create_api_key(
        service.services, client.id, mode, staff_principal("test"), scopes
    )
    return client.id, api_key.key.id, api_key.secret


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = new_service(tmp_path_factory.mktemp("data"))
    yield service
    service.close()


@pytest.fixture
def http(service: Service) -> Iterator[TestClient]:
    with new_test_client(service.services) as client:
        yield client


@pytest.fixture
def api(http: TestClient, service: Service) -> Api:
    return Api(http, service, *new_key(service))


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def service_on_each(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    """A service on each kind of database."""
    with ExitStack() as stack:
        settings: dict[str, Any] = {}
        if request.param == "postgresql":
            server = request.getfixturevalue("postgres_url")
            settings["database_url"] = stack.enter_context(new_postgres(server))
        service = new_service(tmp_path_factory.mktemp("data"), **settings)
        stack.callback(service.close)
        yield service


@pytest.fixture
def api_on_each(service_on_each: Service) -> Iterator[Api]:
    """A new client's key on each kind of database."""
    with new_test_client(service_on_each.services) as client:
        yield Api(client, service_on_each, *new_key(service_on_each))

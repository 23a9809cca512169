"""A running Crossway that is attacked from outside; it asks its visitors to sign in."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.ports import free_port
from tests.processes import Installation, new_installation, wait_until

PASSWORD = "rain on a tin roof"


@dataclass(frozen=True)
class Target:
    """The attacked service: its port, a test key, and its processes."""

    port: int
    key: str
    installation: Installation

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def socket_url(self) -> str:
        return f"ws://127.0.0.1:{self.port}"

    def client(self, **headers: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=headers, timeout=30)


@pytest.fixture(scope="session")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Target]:
    folder, port = tmp_path_factory.mktemp("target"), free_port()
    with new_installation(f"sqlite:///{folder / 'crossway.db'}", folder) as installation:
        installation.start(
            "site", "crossway", "serve", "--port", str(port), DASHBOARD_PASSWORD=PASSWORD
        )
        url = f"http://127.0.0.1:{port}/readyz"
        wait_until("it answers", lambda: installation.responds("site", url))
        yield Target(port, first_key(folder), installation)


def first_key(folder: Path) -> str:
    key: str = json.loads((folder / "first_keys.json").read_text())["test"]
    return key

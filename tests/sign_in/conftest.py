"""The sign-in pages of a small installation, as a browser asks for them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from crossway.api.rate_limits import IpRateLimiter
from crossway.domain.staff import StaffSession
from crossway.ports.services import Services
from crossway.server.security_headers import is_encrypted
from crossway.sign_in.app import create_sign_in
from crossway.sign_in.providers import Providers
from crossway.sign_in.visit import SignInSite
from crossway.usecases.staff import sessions
from tests.harness import Harness
from tests.staff_world import StaffWorld

COOKIE = "crossway_session"
PENDING = "crossway_pending"


@dataclass
class SignInBrowser:
    """A browser at the sign-in pages, which follows no redirect."""

    services: Services
    password: str = ""
    providers: Providers = field(default_factory=lambda: Providers({}))
    url: str = "http://localhost:8600"
    address: str = "203.0.113.7"
    at_machine: bool = False

    def __post_init__(self) -> None:
        limiter, services = IpRateLimiter(), self.services
        self.site = SignInSite(
            services,
            self.password,
            self.providers,
            partial(limiter.find_address, services),
            partial(limiter.wait_seconds, services),
            lambda scope: is_encrypted(scope, services.policy.ingress),
            lambda _: self.at_machine,
        )
        self.http = TestClient(
            create_sign_in(self.site),
            base_url=self.url,
            follow_redirects=False,
            client=(self.address, 1234),
        )

    def open(self, path: str = "/sign-in", **headers: str) -> "Shown":
        return Shown(self.http.get(path, headers=headers))

    def send(self, path: str = "/sign-in", **fields: str) -> "Shown":
        return Shown(self.http.post(path, data=fields))

    @property
    def token(self) -> str:
        return self.http.cookies.get(COOKIE, "")

    @property
    def session(self) -> StaffSession | None:
        """The session of its cookie."""
        active = sessions.get_own_session(self.services, self.token)
        return active.session if active else None


class Shown:
    """One answer: where it leads, or what it says."""

    def __init__(self, response: Any) -> None:
        self.response = response
        self.status: int = response.status_code
        self.place: str = response.headers.get("location", "")

    @property
    def text(self) -> str:
        """The words on the page."""
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", self.response.text)).split())

    @property
    def fields(self) -> list[str]:
        """The names of the fields that a person fills in."""
        inputs = re.findall(r"<input[^>]*>", self.response.text)
        shown = [one for one in inputs if 'type="hidden"' not in one]
        return [re.findall(r' name="([^"]+)"', one)[0] for one in shown]

    @property
    def error(self) -> str:
        found = re.search(r'id="error"[^>]*>([^<]*)<', self.response.text)
        return unescape(found[1]) if found else ""

    def cookie(self, name: str) -> list[str]:
        """The parts of a cookie that the answer sets, without its value."""
        for header in self.response.headers.get_list("set-cookie"):
            if header.startswith(f"{name}="):
                return sorted(header.split("; ")[1:])
        return []


@pytest.fixture
def world(tmp_path: Path) -> Iterator[StaffWorld]:
    """Ada, an admin, is staff."""
    built = StaffWorld(tmp_path)
    yield built
    built.store.close()


@pytest.fixture
def browser(world: StaffWorld) -> SignInBrowser:
    return SignInBrowser(world.services)


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Services]:
    """An installation in which nobody is staff yet."""
    built = Harness(f"sqlite:///{tmp_path / 'empty.db'}", chains=())
    yield built.services
    built.store.close()

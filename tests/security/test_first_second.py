"""A fresh installation that somebody else reaches before its operator does."""

import os
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from crossway.adapters.webhooks.sender import HttpWebhookSender
from crossway.cli.doctor import _reach_findings
from crossway.domain.clients import Mode
from crossway.domain.errors import StorageUnavailable
from crossway.first_keys import FILE, LIFE_SECONDS, expire_first_keys, print_first_keys
from crossway.ports.policy import IngressConfig
from crossway.server.dashboard_gate import DashboardGate, SessionChecks
from crossway.settings import Settings
from tests.event_loops import run_async
from tests.processes import wait_until


async def _dashboard(scope: Scope, receive: Receive, send: Send) -> None:
    await PlainTextResponse("the dashboard")(scope, receive, send)


def visit(peer: str, **headers: str) -> str:
    """What somebody at an address gets of a dashboard that asks nobody to sign in."""
    checks = SessionChecks(lambda: True, lambda _: False, lambda *_: False, IngressConfig)

    async def get() -> str:
        transport = httpx.ASGITransport(DashboardGate(_dashboard, checks), client=(peer, 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            response = await http.get("/", headers={"Accept": "text/html"} | headers)
            return response.headers.get("location") or response.text

    return run_async(get())


def test_without_staff_the_dashboard_opens_on_the_machine_itself() -> None:
    assert visit("127.0.0.1") == visit("::1", Host="[::1]:8600") == "the dashboard"


@pytest.mark.parametrize(
    ("peer", "headers"),
    [
        ("203.0.113.9", {}),
        ("203.0.113.9", {"Host": "localhost", "X-Forwarded-For": "127.0.0.1"}),
        ("127.0.0.1", {"X-Forwarded-For": "203.0.113.9"}),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}),
        ("127.0.0.1", {"Forwarded": "for=203.0.113.9"}),
        ("127.0.0.1", {"Host": "pay.shop.example"}),
        ("127.0.0.1", {"Host": "192.168.1.7:8600"}),
    ],
)
def test_without_staff_nobody_else_enters(peer: str, headers: dict[str, str]) -> None:
    assert visit(peer, **headers) == "/sign-in"


def test_the_first_keys_are_removed_after_ten_minutes(tmp_path: Path) -> None:
    file = tmp_path / FILE
    file.write_text("{}")
    expire_first_keys(tmp_path)
    assert file.exists()
    old = time.time() - LIFE_SECONDS - 1
    os.utime(file, (old, old))
    expire_first_keys(tmp_path)
    wait_until("they are gone", lambda: not file.exists())
    expire_first_keys(tmp_path)


def test_keys_of_an_emptied_installation_have_ten_minutes_of_their_own(tmp_path: Path) -> None:
    """They are written long after the start, by emptying the simulated network."""
    before = set(threading.enumerate())
    print_first_keys(tmp_path, {Mode.TEST: "cr_test_x"})
    (timer,) = set(threading.enumerate()) - before
    assert isinstance(timer, threading.Timer)
    assert timer.interval == pytest.approx(LIFE_SECONDS, abs=60)
    timer.cancel()


def test_a_dashboard_without_its_database_says_so() -> None:
    def unavailable() -> bool:
        raise StorageUnavailable("The database is locked")

    checks = SessionChecks(unavailable, lambda _: False, lambda *_: False, IngressConfig)

    async def get() -> tuple[int, str]:
        transport = httpx.ASGITransport(DashboardGate(_dashboard, checks))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as http:
            response = await http.get("/")
            return response.status_code, response.text

    assert run_async(get()) == (503, "The database is locked.")


def doctor(**settings: Any) -> list[str]:
    return list(_reach_findings(Settings(_env_file=None, **settings)))  # type: ignore[call-arg]


def test_the_doctor_names_what_others_can_reach() -> None:
    assert doctor() == doctor(host="localhost") == doctor(public_url="http://localhost:8600") == []
    open_network = "the simulated network can be reached from outside"
    (found,) = doctor(public_url="https://pay.shop.example")
    assert found.startswith(open_network)
    no_url, simulated = doctor(host="0.0.0.0")
    assert no_url.startswith("CROSSWAY_PUBLIC_URL is not set")
    assert simulated.startswith(open_network)
    (found,) = doctor(host="0.0.0.0", network="live")
    assert found.startswith("CROSSWAY_PUBLIC_URL is not set")


def test_webhooks_reach_the_hosts_own_services_only_where_the_operator_allows_it() -> None:
    """With a key of the simulated network they read what listens on loopback only."""
    assert Settings(_env_file=None).loopback_webhooks is False  # type: ignore[call-arg]
    sender = HttpWebhookSender()
    try:
        assert sender.url_problem("http://127.0.0.1:6379/") == "must begin with https://"
        assert sender.url_problem("https://127.0.0.1:8443/") == "must resolve to a public address"
    finally:
        sender.close()

"""A fresh installation that somebody else reaches before its operator does."""

import os
import pty
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from crossway.adapters.webhooks.sender import HttpWebhookSender
from crossway.cli.doctor import _reach_findings, live_notes
from crossway.domain.clients import Mode
from crossway.domain.errors import StorageUnavailable
from crossway.first_keys import FILE, LIFE_SECONDS, expire_first_keys, print_first_keys
from crossway.ports.policy import IngressConfig
from crossway.server.dashboard_gate import DashboardGate, SessionChecks
from crossway.settings import Settings
from crossway.sign_in_setup import print_setup_token
from crossway.usecases.staff.first_admin import get_setup_token
from tests.event_loops import run_async
from tests.harness import Harness
from tests.ports import free_port
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


def test_over_the_network_the_terminals_token_adds_the_first_admin(tmp_path: Path) -> None:
    port = free_port()
    public = f"http://localhost:{port}"
    with on_a_terminal(tmp_path, port, CROSSWAY_PUBLIC_URL=public) as lines:
        told = next(line for line in lines if "Nobody is staff yet" in line)
        place, token = re.findall(r"at (\S+), one-time token ([0-9a-f]{32})", told)[0]
        assert place == f"{public}/sign-in"
        # As a visitor through a proxy.
        with httpx.Client(base_url=public, headers={"X-Forwarded-For": "203.0.113.9"}) as http:
            page = http.get("/", headers={"Accept": "text/html"}, follow_redirects=True)
            assert "Set up Crossway" in page.text
            assert token not in page.text
            fields = {"token": "0" * 32, "name": "Ada", "password": "rain on a tin roof"}
            assert http.post("/sign-in/first-admin", data=fields).status_code == 401
            added = http.post("/sign-in/first-admin", data=fields | {"token": token})
            assert (added.status_code, added.headers["location"]) == (303, "/")
            assert http.get("/_stcore/health").text == "ok"


def test_the_token_is_printed_in_no_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = Harness(f"sqlite:///{tmp_path / 'w.db'}", chains=())
    token = get_setup_token(world.services)
    reachable = Settings(_env_file=None, host="0.0.0.0")  # type: ignore[call-arg]
    print_setup_token(world.services, reachable)
    printed = capsys.readouterr().out
    assert "one-time token shown by `crossway people setup-token`" in printed
    assert token not in printed
    for settings in (Settings(_env_file=None),  # type: ignore[call-arg]
                     Settings(_env_file=None, host="0.0.0.0", dashboard_password="x" * 12)):  # type: ignore[call-arg]  # fmt: skip
        print_setup_token(world.services, settings)
        assert capsys.readouterr().out == ""
    world.store.close()


@contextmanager
def on_a_terminal(folder: Path, port: int, **settings: str) -> Iterator[list[str]]:
    """The lines of a service whose output is a terminal, once it is ready."""
    ours, theirs = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if "CROSSWAY" not in name}
    command = ("-c", "from crossway.cli import main; main()", "serve", "--port", str(port))
    environment = kept | {"CROSSWAY_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1"} | settings
    process = subprocess.Popen(
        [sys.executable, *command], stdin=theirs, stdout=theirs, stderr=theirs, env=environment,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    os.close(theirs)
    lines: list[str] = []
    try:
        with open(ours, encoding="utf-8", errors="replace") as terminal:
            while not any("Nobody is staff yet" in line for line in lines):
                lines.append(terminal.readline())
            yield lines
    finally:
        process.terminate()
        process.wait(30)


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


def test_the_doctor_advises_a_second_factor_where_real_money_moves() -> None:
    engine_apart = Settings(_env_file=None, network="live", run_engine=False)  # type: ignore[call-arg]
    (note,) = live_notes(engine_apart)
    assert "CROSSWAY_SECOND_FACTOR_FROM=operator" in note
    assert not list(live_notes(engine_apart.model_copy(update={"second_factor_from": "admin"})))


def test_webhooks_reach_the_hosts_own_services_only_where_the_operator_allows_it() -> None:
    """With a key of the simulated network they read what listens on loopback only."""
    assert Settings(_env_file=None).loopback_webhooks is False  # type: ignore[call-arg]
    sender = HttpWebhookSender()
    try:
        assert sender.url_problem("http://127.0.0.1:6379/") == "must begin with https://"
        assert sender.url_problem("https://127.0.0.1:8443/") == "must resolve to a public address"
    finally:
        sender.close()

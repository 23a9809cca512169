"""wire.md §1, Idempotency: what a request leaves whose process is killed while it is in flight."""

import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import httpx
import pytest
import uvicorn
from sqlalchemy import text
from starlette.applications import Starlette
from starlette.routing import Mount

from crossway.api.app import create_api
from crossway.bootstrap import Service
from crossway.usecases.developers import idempotency
from tests.api.conftest import INTENT, WALLET, new_key, new_service
from tests.databases import new_postgres, new_sqlite
from tests.ports import free_port
from tests.processes import PATIENCE_SECONDS, wait_until


def main(url: str, folder: str, port: str) -> None:
    """An API whose requests never come past the failpoint that its folder names, if any."""
    service = new_service(Path(folder), database_url=url)
    stop_at = Path(folder, "stop_at").read_text()

    def reached(step: str) -> None:
        if step == stop_at:
            Path(folder, "reached").touch()
            threading.Event().wait()

    process = replace(service.services.process, failpoint=reached)
    api = create_api(replace(service.services, process=process))
    app = Starlette(routes=[Mount("/api", api)])
    uvicorn.run(app, port=int(port), log_level="error", lifespan="off")


@dataclass
class Processes:
    """Processes of the API on one database, and a client with a key."""

    url: str
    folder: Path
    service: Service
    secret: str
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    clients: list[httpx.Client] = field(default_factory=list)

    def start(self, name: str, stop_at: str = "") -> httpx.Client:
        """Start a process; returns a client of it."""
        folder, port = self.folder / name, free_port()
        folder.mkdir()
        folder.joinpath("stop_at").write_text(stop_at)
        key = self.folder / "secret.key"
        folder.joinpath(key.name).write_bytes(key.read_bytes())
        folder.joinpath(key.name).chmod(0o600)
        command = [sys.executable, "-m", __name__, self.url, str(folder), str(port)]
        self.running.append(subprocess.Popen(command))
        base = f"http://127.0.0.1:{port}/api"
        wait_until("the API answers", lambda: _responds(f"{base}/healthz"))
        headers = {"Authorization": f"Bearer {self.secret}"}
        http = httpx.Client(base_url=f"{base}/v1", headers=headers, timeout=PATIENCE_SECONDS)
        self.clients.append(http)
        return http

    def wait_until_stopped(self, name: str) -> None:
        """Wait until a request of this process is at the failpoint."""
        wait_until("a request is in flight", (self.folder / name / "reached").exists)

    def tick(self) -> None:
        """Let the engine, which no process runs by itself, do what is due."""
        self.service.engine.tick()

    def held_until(self) -> int:
        """Until when the only key is held, in microseconds of the database's time."""
        query = text("SELECT held_until FROM idempotency_slots WHERE key = 'pay'")
        with self.service.services.store.reader.connect() as db:  # type: ignore[attr-defined]
            return int(db.execute(query).scalar_one())


def _responds(url: str) -> bool:
    try:
        return httpx.get(url, timeout=5).status_code == 200
    except httpx.TransportError:
        return False


@pytest.fixture(params=["sqlite", "postgres"])
def processes(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Processes]:
    if request.param == "sqlite":
        yield from _on(new_sqlite(tmp_path), tmp_path)
        return
    with new_postgres(request.getfixturevalue("postgres_url")) as url:
        yield from _on(url, tmp_path)


def _on(url: str, folder: Path) -> Iterator[Processes]:
    service = new_service(folder, database_url=url)
    processes = Processes(url, folder, service, new_key(service)[2])
    try:
        yield processes
    finally:
        for http in processes.clients:
            http.close()
        for process in processes.running:
            process.kill()
            process.wait(PATIENCE_SECONDS)
        service.close()


def pay(http: httpx.Client, address: str) -> httpx.Response:
    body = {"address": address, "amount": "exact"}
    return http.post("/sandbox/deposits", json=body, headers={"Idempotency-Key": "pay"})


def test_a_deposit_is_paid_once_though_its_process_is_killed(processes: Processes) -> None:
    """wire.md §7, POST /sandbox/deposits. The request is killed after the deposit, before the
    answer; while it runs, for however long, it is not started again."""
    stopping, other = processes.start("stopping", "deposited"), processes.start("other")
    intent = other.post("/intents", json=INTENT).json()
    address, total = intent["intent_address"], intent["total_amount_in_asset_token"]
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(pay, stopping, address)
        processes.wait_until_stopped("stopping")
        held = processes.held_until()
        answers: list[int] = []

        def was_renewed() -> bool:
            answers.append(pay(other, address).status_code)
            return processes.held_until() > held + idempotency.LEASE_SECONDS * 1_000_000

        wait_until("the hold outlasts the first lease", was_renewed)
        assert set(answers) == {409}
        processes.running[0].kill()
        assert isinstance(first.exception(PATIENCE_SECONDS), httpx.TransportError)
    again = wait_until("the key is free", lambda: _answered(pay(other, address)))
    assert again.status_code == 200
    assert idempotency.LEASE_SECONDS <= 10, "a key of a killed process is refused for seconds"
    replayed = pay(other, address)
    assert (replayed.content, replayed.headers["idempotent-replayed"]) == (again.content, "true")
    balances = other.get(f"/sandbox/balances/{address}").json()["balances"]
    assert [(b["token"], b["amount"]) for b in balances] == [("USDC", total)]
    services = processes.service.services
    assert services.sandbox is not None
    [sent] = services.sandbox.list_transfers_to("BASE_MAINNET", address, 10)
    assert (sent.tx_hash, sent.block_height) == (again.json()["txHash"], again.json()["block"])


def test_a_refund_is_answered_once_more_after_its_process_was_killed(processes: Processes) -> None:
    """wire.md §1, Idempotency. The request is killed after the refund was signed, before the
    answer; it is repeated when the refund has arrived."""
    stopping, other = processes.start("stopping", "refund-signed"), processes.start("other")
    address = expired_with_money(processes, other)
    path = f"/intents/{address}/refund"
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(stopping.post, path, headers={"Idempotency-Key": "refund"})
        signed = (processes.folder / "stopping" / "reached").exists
        wait_until("the refund is signed", lambda: processes.tick() or signed())
        processes.running[0].kill()
        assert isinstance(first.exception(PATIENCE_SECONDS), httpx.TransportError)

    def is_refused() -> bool:
        pass_time(processes, other, 5)
        return "already refunded" in other.post(path).json()["message"]

    wait_until("the refund is over for every other request", is_refused)

    def refund(key: str) -> httpx.Response:
        return other.post(path, headers={"Idempotency-Key": key})

    again = wait_until("the key is free", lambda: _answered(refund("refund")))
    assert (again.status_code, again.json()["success"]) == (200, True), again.text
    services = processes.service.services
    assert services.sandbox is not None
    [sent] = services.sandbox.list_transfers_to("BASE_MAINNET", WALLET, 10)
    assert sent.tx_hash == again.json()["txHash"]
    assert refund("refund").content == again.content
    assert refund("another").status_code == 400


def test_no_acknowledged_create_is_missing_after_a_kill(processes: Processes) -> None:
    """Many at once, each with a key, until the process is killed in the midst of them. Repeated,
    every request has one payment, and those that were answered have the same answer."""
    killed, other = processes.start("killed"), processes.start("other")
    answered: dict[int, bytes] = {}
    numbers = count()

    def create(number: int, http: httpx.Client) -> httpx.Response:
        # The URL of the payer's page begins with the host that is asked.
        headers = {"Idempotency-Key": f"order-{number}", "Host": "pay.test"}
        return http.post("/intents", json={**INTENT, "metadata": {"n": number}}, headers=headers)

    def create_until_killed(_: int) -> None:
        with suppress(httpx.TransportError):
            while (response := create(number := next(numbers), killed)).status_code == 201:
                answered[number] = response.content

    with ThreadPoolExecutor(16) as pool:
        running = [pool.submit(create_until_killed, n) for n in range(16)]
        wait_until("some are answered", lambda: len(answered) >= 200)
        processes.running[0].kill()
        for one in running:
            one.result(PATIENCE_SECONDS)
    sent = range(next(numbers))
    again = {number: create(number, other) for number in sent}
    assert {response.status_code for response in again.values()} == {201}
    assert {n: again[n].content for n in answered} == answered
    assert all("idempotent-replayed" in again[n].headers for n in answered)
    assert other.get("/intents").json()["total"] == len(sent)


def expired_with_money(processes: Processes, http: httpx.Client) -> str:
    """The address of an expired payment to which a deposit came too late."""
    address = str(http.post("/intents", json=INTENT).json()["intent_address"])
    pass_time(processes, http, 3700, 3700)
    body = {"address": address, "amount": "25000000"}
    assert http.post("/sandbox/deposits", json=body).status_code == 200
    assert http.post("/sandbox/clock", json={"advanceSeconds": 60}).status_code == 200
    return address


def pass_time(processes: Processes, http: httpx.Client, *seconds: int) -> None:
    """Let time pass for every process, with the engine after each part of it."""
    for some in seconds:
        assert http.post("/sandbox/clock", json={"advanceSeconds": some}).status_code == 200
        processes.tick()


def _answered(response: httpx.Response) -> httpx.Response | None:
    return None if response.status_code == 409 else response


if __name__ == "__main__":
    main(*sys.argv[1:])

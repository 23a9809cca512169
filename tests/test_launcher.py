"""Processes as an operator starts them: all in one, or separate parts on one database."""

import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.ports import free_port

ROOT = Path(__file__).parent.parent


@contextmanager
def started(folder: Path, ready: str, *command: str) -> Iterator[list[str]]:
    """The output of a process until it was ready; it is terminated after the block."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("CROSSWAY_")}
    environment = {**kept, "CROSSWAY_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    lines = []
    try:
        for line in process.stdout:
            lines.append(line)
            if ready in line:
                break
        yield lines
    finally:
        process.send_signal(signal.SIGTERM)
        lines += process.stdout.readlines()
        process.stdout.close()
        assert process.wait(20) in (0, -signal.SIGTERM), "".join(lines)


def key_in(folder: Path, mode: str = "test") -> str:
    key: str = json.loads((folder / "first_keys.json").read_text())[mode]
    return key


def test_one_process_serves_pages_and_api_and_runs_the_engine(tmp_path: Path) -> None:
    port = free_port()
    command = ("-c", "from crossway.cli import main; main()", "serve", "--port", str(port))
    with (
        started(tmp_path, "More keys: crossway keys create", *command) as lines,
        httpx.Client(
            base_url=f"http://127.0.0.1:{port}", transport=httpx.HTTPTransport(retries=8)
        ) as http,
    ):
        secret = key_in(tmp_path)
        assert http.get("/api/v1").json()["network"] == "simulated"
        headers = {"Authorization": f"Bearer {secret}"}
        assert len(http.get("/api/v1/chains", headers=headers).json()) == 21
        assert http.get("/").headers["content-type"].startswith("text/html")
        for path in ("nope", "v1/intents/..%2F..%2Fetc", "v1/intents/%0a/timeline", "v1/%E2%80%AE"):
            assert http.get(f"/api/{path}", headers=headers).json() == {
                "statusCode": 404,
                "message": "Not Found",
                "code": "not_found",
            }
        assert http.get("/healthz").json() == http.get("/readyz").json() == {"status": "ok"}
        assert (
            'crossway_requests_total{method="GET",route="/v1/chains"' in http.get("/metrics").text
        )
        through_a_proxy = http.get("/metrics", headers={"X-Forwarded-For": "203.0.113.7"})
        assert through_a_proxy.status_code == 401
    for mode in ("test", "live"):
        assert key_in(tmp_path, mode) not in "".join(lines), "a log never holds a key"
    for name in ("first_keys.json", "secret.key"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600
    assert "Traceback" not in "".join(lines)


def test_the_api_and_the_engine_run_alone(tmp_path: Path) -> None:
    cli = ("-c", "from crossway.cli import main; main()")
    with started(tmp_path, "The engine runs", *cli, "engine") as lines:
        assert "The engine runs; stop it with Ctrl-C\n" in lines
        port = free_port()
        with (
            started(tmp_path, f"localhost:{port}", *cli, "api", "--port", str(port)),
            httpx.Client(
                base_url=f"http://127.0.0.1:{port}", transport=httpx.HTTPTransport(retries=8)
            ) as http,
        ):
            assert http.get("/api/readyz").status_code == 200
            assert http.get("/elsewhere").json() == {
                "statusCode": 404,
                "message": "Not Found",
                "code": "not_found",
            }
    assert "Traceback" not in "".join(lines)

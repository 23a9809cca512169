"""The server as an operator starts it, on a temporary data folder and a free port."""

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

from benchmarks.worlds import caller
from crossway.bootstrap import build
from crossway.domain.clients import Mode, staff_principal
from crossway.settings import Settings
from crossway.usecases.developers import api_keys, clients
from crossway.usecases.developers.clients import ClientUpdate

ROOT = Path(__file__).parent.parent
# A limit, not a measurement: a start takes 4 s on a quiet machine and over 60 s on a crowded one.
WAIT_SECONDS = 180.0
UNLIMITED = 1_000_000
# The commands that start a server; the port follows.
WHOLE = ("-c", "from crossway.cli import main; main()", "serve", "--port")
API = ("-c", "from crossway.cli import main; main()", "api", "--port")


_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Server:
    """A running server.

    `started_in` are the seconds from its start to its first 200, `started_with` the seconds of
    processor time that it used for it.
    """

    folder: Path
    port: int
    pid: int
    started_in: float
    started_with: float

    def processor_seconds(self) -> float:
        """Processor time used so far by all threads."""
        return _processor_seconds(self.pid)

    def memory_mb(self) -> float:
        """Resident memory."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError("the system does not report the size of a process")

    def key(self) -> str:
        """The secret of a new API key with a very high rate limit."""
        built = build(Settings(data_dir=self.folder, database_url=None))
        try:
            client = caller(built).client
            change = ClientUpdate(requests_per_minute=UNLIMITED)
            clients.update_client(built.services, client.id, change, staff_principal("benchmark"))
            return api_keys.create_api_key(
                built.services, client.id, Mode.TEST, staff_principal("benchmark")
            ).secret
        finally:
            built.close()

    def open_page(self) -> None:
        """Open the dashboard until its first page is drawn."""
        asked = BackMsg()
        asked.rerun_script.query_string = ""
        url = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        with connect(url, subprotocols=["streamlit"], max_size=None) as socket_:  # type: ignore[list-item]
            socket_.send(asked.SerializeToString())
            while True:
                told = ForwardMsg()
                told.ParseFromString(bytes(socket_.recv(WAIT_SECONDS)))  # type: ignore[arg-type]
                if told.WhichOneof("type") == "script_finished":
                    return


@contextmanager
def serving(
    folder: Path,
    command: Sequence[str] = WHOLE,
    killed: bool = False,
    checkout: Path = ROOT,
    port: int = 0,
    **settings: str,
) -> Iterator[Server]:
    """Run a server, with its engine if it has one, and stop it by its process id.

    `killed` stops it as a power cut would, without a chance to tidy up. `checkout` is where its
    code is. Without a `port`, a free one is taken. `settings` are environment variables without
    CROSSWAY_."""
    port = port or free_port()
    is_open = command == WHOLE and "DASHBOARD_PASSWORD" not in settings
    paths = ("/api/v1", "/") if is_open else ("/api/v1",)
    began = time.perf_counter()
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, *command, str(port)],
            cwd=checkout,
            env=environment(folder, checkout, **settings),
            stdout=log,
            stderr=log,
        )
    try:
        while not all(_ready(port, path) for path in paths):
            if process.poll() is not None or time.perf_counter() - began > WAIT_SECONDS:
                raise RuntimeError((folder / "server.log").read_text())
            time.sleep(0.02)
        used = _processor_seconds(process.pid)
        yield Server(folder, port, process.pid, time.perf_counter() - began, used)
    finally:
        process.send_signal(signal.SIGKILL if killed else signal.SIGTERM)
        process.wait(WAIT_SECONDS)


def environment(folder: Path, checkout: Path = ROOT, **settings: str) -> dict[str, str]:
    """The environment of a process of Crossway's with its data in this folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("CROSSWAY_", "STREAMLIT_"))}
    given = {"DATA_DIR": str(folder), "LOOPBACK_WEBHOOKS": "true"} | settings
    packages = checkout / "packages"
    sources = (checkout / "src", *sorted(packages.glob("*/src")))
    kept["PYTHONPATH"] = os.pathsep.join(map(str, sources))
    return kept | {f"CROSSWAY_{name}": value for name, value in given.items()}


def free_port() -> int:
    """A port on which nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _processor_seconds(pid: int) -> float:
    """User and system time of all threads of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _ready(port: int, path: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == 200
    except OSError:
        return False
    finally:
        connection.close()

"""A throwaway PostgreSQL cluster for the tests, on a free loopback port."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.ports import free_port

DEBIAN_BINARIES = Path("/usr/lib/postgresql")
UNPRIVILEGED_USER = "postgres"
# Nothing here outlives the tests, so nothing needs to reach a disk.
MEMORY, NEEDED_BYTES = Path("/dev/shm"), 2 * 2**30
SETTINGS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200"


class PostgresMissing(Exception):
    """Why no cluster can be started here, as a sentence to skip with."""


def find_binaries() -> Path:
    """The folder of the newest PostgreSQL that Debian installed."""
    parents = [path.parent for path in DEBIAN_BINARIES.glob("*/bin/initdb")]
    if not parents:
        raise PostgresMissing("PostgreSQL is not installed: apt-get install postgresql")
    return max(parents, key=lambda path: int(path.parent.name))


def unprivileged() -> list[str]:
    """The command in front of every PostgreSQL program, which all refuse to run as root."""
    if os.geteuid() != 0:
        return []
    result = subprocess.run(["id", UNPRIVILEGED_USER], capture_output=True, check=False)
    if result.returncode or not shutil.which("runuser"):
        raise PostgresMissing("PostgreSQL does not run as root, and there is no user postgres")
    return ["runuser", "-u", UNPRIVILEGED_USER, "--"]


def _fastest_folder() -> Path | None:
    """In memory, where creating a database takes a tenth of the time, or the usual place."""
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > NEEDED_BYTES
    return MEMORY if roomy else None


@contextmanager
def running_postgres() -> Iterator[str]:
    """The SQLAlchemy URL of a cluster that lives as long as the block."""
    binaries, as_user = find_binaries(), unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="crossway-postgres-", dir=_fastest_folder()))
    data, log, port = folder / "data", folder / "log", free_port()
    if as_user:
        shutil.chown(folder, UNPRIVILEGED_USER)

    def run(program: str, *arguments: str) -> None:
        command = [*as_user, str(binaries / program), *arguments]
        # Its output goes to a file: the server inherits a pipe and would keep it open.
        with (folder / "output").open("a+") as output:
            done = subprocess.run(
                command,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                check=False,
            )
            output.seek(0)
            assert done.returncode == 0, output.read()

    try:
        run("initdb", "-D", str(data), "-U", "crossway", "-A", "trust", "-E", "UTF8", "--no-sync")
        options = f"-p {port} -h 127.0.0.1 -k {folder} {SETTINGS}"
        run("pg_ctl", "-D", str(data), "-l", str(log), "-w", "-o", options, "start")
        try:
            yield f"postgresql+psycopg://crossway@127.0.0.1:{port}/postgres"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "-w", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)

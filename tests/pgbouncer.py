"""PgBouncer in front of the PostgreSQL of the tests, which lends a connection for a transaction."""

import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
from sqlalchemy.engine import make_url

from tests.ports import free_port
from tests.postgres import UNPRIVILEGED_USER, PostgresMissing, unprivileged
from tests.processes import wait_until

# Debian keeps it where only root looks by default.
PROGRAM = shutil.which("pgbouncer", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")


@contextmanager
def running_pgbouncer(url: str, connections: int) -> Iterator[str]:
    """The URL of a database through PgBouncer with so many connections to PostgreSQL."""
    if PROGRAM is None:
        raise PostgresMissing("PgBouncer is not installed: apt-get install pgbouncer")
    server, port = make_url(url), free_port()
    folder = Path(tempfile.mkdtemp(prefix="crossway-pgbouncer-"))
    file = folder / "pgbouncer.ini"
    file.write_text(
        f"""[databases]
* = host={server.host} port={server.port} user={server.username}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 200
logfile = {folder / "log"}
"""
    )
    command = unprivileged()
    if command:
        shutil.chown(folder, UNPRIVILEGED_USER)
    with (folder / "output").open("w") as output:
        process = subprocess.Popen(
            [*command, PROGRAM, str(file)], cwd=folder, stdout=output, stderr=output
        )
    through = server.set(host="127.0.0.1", port=port).render_as_string(hide_password=False)
    try:
        wait_until("PgBouncer answers", lambda: _answers(through))
        yield through
    finally:
        process.terminate()
        process.wait(20)
        shutil.rmtree(folder, ignore_errors=True)


def _answers(url: str) -> bool:
    try:
        with psycopg.connect(url.replace("+psycopg", "")) as connection:
            return connection.execute("SELECT 1").fetchone() == (1,)
    except psycopg.OperationalError:
        return False

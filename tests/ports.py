"""Ports of this machine for servers of the tests, no port twice while tests run in parallel."""

import fcntl
import os
import socket
import tempfile
from pathlib import Path

_TAKEN: set[int] = set()
# Each byte is a port, locked by the process that took it until that process ends.
_LOCKS = os.open(
    Path(tempfile.gettempdir()) / f"crossway-test-ports-{os.getuid()}", os.O_RDWR | os.O_CREAT
)


def free_port() -> int:
    """A loopback port on which nothing listens, and that no other process of any tests was given.
    A server that finds its port taken ends too late: until then the other's would answer for it."""
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = int(probe.getsockname()[1])
            if port not in _TAKEN and lock_port(port):
                _TAKEN.add(port)
                return port


def lock_port(port: int) -> bool:
    """Keep a port from other processes until this one ends; whether it was not theirs."""
    try:
        fcntl.lockf(_LOCKS, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, port)
    except OSError:
        return False
    return True

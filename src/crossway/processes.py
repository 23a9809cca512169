"""Processes that share a database: their names, and whether this one is alone."""

import os
import secrets
import socket
from typing import Final

from crossway.domain.errors import InvalidStatus
from crossway.ports.services import Services

_WORKERS: Final = ("engine", "indexer")


def require_sole_process(services: Services) -> None:
    """Raise if another process is active: its engine would act on payments that are gone."""
    name = process_name()
    others = services.store.write(
        lambda unit: sum(unit.leases.register_engine(name, 0, kind) for kind in _WORKERS)
    )
    services.store.write(lambda unit: unit.leases.release(name))
    if others:
        raise InvalidStatus(
            "Another process of Crossway works on this database: stop it, wait 15 seconds, and try "
            "again; or do this on the Simulator page of the one that runs"
        )


def process_name() -> str:
    """A unique name of this process, for its leases."""
    return f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"

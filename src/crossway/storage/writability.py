"""Whether the database can be written: the last failure until a write succeeds, and free space."""

import logging
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import URL, text

from crossway.domain.errors import StorageUnavailable

if TYPE_CHECKING:
    from crossway.storage.unit_of_work import SqlUnitOfWork

LOG = logging.getLogger("crossway.storage")
# Less than this is used up by the next minutes.
MIN_FREE_BYTES = 16 * 1024 * 1024


class Writability:
    """What is known of whether a database can be written, by the last attempt."""

    def __init__(self, url: URL) -> None:
        self._file = Path(url.database) if url.database and url.drivername == "sqlite" else None
        self._failure = ""

    def record_failure(self, reason: str) -> None:
        """A write failed; it is logged once until one succeeds."""
        if reason != self._failure:
            LOG.error("the database cannot be written: %s", reason)
        self._failure = reason

    def record_success(self) -> None:
        """A write succeeded."""
        if self._failure:
            LOG.warning("the database can be written again")
            self._failure = ""

    def find_problems(
        self, write: Callable[["Callable[[SqlUnitOfWork], None]"], None]
    ) -> Iterator[str]:
        """Why it cannot be written. After a failure, a `write` is tried that changes nothing."""
        if self._failure:
            try:
                write(_rewrite_version)
            except StorageUnavailable as error:
                yield str(error)
                return
        free = self._free_bytes()
        if free is not None and free < MIN_FREE_BYTES:
            yield f"The disk of the database is nearly full: {free // 1024} KiB are left"

    def _free_bytes(self) -> int | None:
        try:
            return shutil.disk_usage(self._file.parent).free if self._file else None
        except OSError:
            return None


def _rewrite_version(unit: "SqlUnitOfWork") -> None:
    """A write to one page."""
    unit._db.execute(text("UPDATE alembic_version SET version_num = version_num"))

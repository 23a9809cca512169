"""What a start refuses, waits for or reports: folders that cannot be written, a database that is
locked, commits that are gone."""

import logging
import time

from crossway.domain.errors import StorageUnavailable
from crossway.ports.records import Alert
from crossway.ports.services import Services
from crossway.settings import Settings
from crossway.storage.availability import BUSY
from crossway.storage.commit_counter import find_lost_commits
from crossway.storage.migrate import UnknownVersion, upgrade
from crossway.storage.store import SqlStore

LOG = logging.getLogger("crossway")
LONGEST_LOCK_SECONDS = 60


class SetupError(Exception):
    """A configuration that cannot work, in a sentence for the operator."""


def upgrade_when_free(store: SqlStore, seconds: float = LONGEST_LOCK_SECONDS) -> None:
    """Upgrade the tables of a database; waits for so long while another program has it locked.

    Raises `SetupError` for a database of another version, and `StorageUnavailable`."""
    end = time.monotonic() + seconds
    while True:
        try:
            return upgrade(store.writer)
        except UnknownVersion as error:
            raise SetupError(str(error)) from None
        except StorageUnavailable as error:
            if str(error) != BUSY or time.monotonic() >= end:
                raise
            LOG.warning("%s; waiting for it.", error)


def unusable(settings: Settings, error: OSError | StorageUnavailable) -> SetupError:
    """One sentence on what cannot be written, and what to do."""
    folder = settings.data_dir.resolve()
    if isinstance(error, OSError):
        reason = f"{error.filename or folder} cannot be written ({error.strerror or error})"
    else:
        reason = str(error)
    if reason == BUSY:
        return SetupError(
            f"{reason}: end the program that holds {settings.database_file}, which may be a "
            "stopped process of Crossway, a backup or a database tool; then start again"
        )
    if not settings.on_sqlite:
        return SetupError(f"{reason}: check CROSSWAY_DATABASE_URL and CROSSWAY_DATA_DIR")
    return SetupError(
        f"{reason}. Crossway keeps its database and keys in {folder}: let the user that runs it "
        "write there and see that the disk has room, or set CROSSWAY_DATA_DIR to another folder"
    )


def report_lost_commits(services: Services, store: SqlStore) -> None:
    """Raise an alert if the database lacks commits that were acknowledged."""
    lost = find_lost_commits(store.writer)
    if not lost:
        return
    message = (
        f"The database lacks {lost:,} of its newest commits, which were acknowledged: its -wal "
        "file was lost or is of another time, or an older copy was put in its place. "
        "Nothing is paid twice, but payments, events and answers of that time may be missing: "
        "compare the books with the chains, and restore the files if you have them."
    )
    LOG.critical(message)
    now = services.clock.now()
    alert = Alert("lost_commits", "lost_commits", "", message, now, now, None)
    store.write(lambda unit: unit.alerts.raise_alert(alert))

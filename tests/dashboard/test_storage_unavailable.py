"""A database that cannot be written is a sentence on screen, and the page stays."""

import sqlite3
from contextlib import closing

from tests.dashboard.conftest import DashboardApp
from tests.storage.test_availability import shorten_patience


def test_an_action_that_cannot_be_stored_says_so(screen: DashboardApp) -> None:
    screen.open("reconcile")
    shorten_patience(screen.world.store)
    with closing(sqlite3.connect(str(screen.world.store.writer.url.database))) as other:
        other.isolation_level = None
        other.execute("BEGIN IMMEDIATE")
        screen.click("Reconcile now")
        other.execute("ROLLBACK")
    assert "The database is locked by another program." in screen.text
    assert screen.at.exception == []
    assert "Reconcile now" in [button.label for button in screen.rerun().at.button]

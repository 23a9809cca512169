"""A start imports what every process needs; the rest is imported when it is first used."""

import inspect
import subprocess
import sys
from pathlib import Path

from streamlit.watcher import polling_path_watcher

from tests.test_architecture import ROOT

# What the first request, the first webhook or another configuration needs.
UNNEEDED = {
    "alembic", "authlib", "babel", "crossway.adapters.live_environment",
    "crossway.adapters.ramp_registry", "crossway.adapters.webhooks.requests",
    "crossway.api.quotes", "crossway.api.webhooks", "crossway.payer.app",
    "crossway.storage.database_swap", "crossway_client", "crossway_demo", "httpcore", "httpx",
    "jinja2", "numpy", "pandas", "psycopg", "pyarrow", "pycountry", "rich", "solders",
    "sqlalchemy.dialects.postgresql", "starknet_py", "web3",
}  # fmt: skip
API_ALONE = {"crossway.dashboard", "crossway.engine.loop", "streamlit"}
START_API = """
import crossway.cli.program
from crossway import bootstrap
from crossway.cli import serve
serve._create_app(bootstrap.start(with_engine=False))
"""
START_WHOLE = """
import streamlit.web.cli, streamlit.web.bootstrap
import app
from crossway import bootstrap
bootstrap.start(with_engine=False)
"""
END = """
bootstrap.stop()
import sys
print("IMPORTED", *sys.modules)
"""


def imported_by(script: str, folder: Path) -> set[str]:
    """The modules that a start imports in a process of its own."""
    environment = {"CROSSWAY_DATA_DIR": str(folder), "PATH": "", "HOME": str(folder)}
    done = subprocess.run(
        [sys.executable, "-c", script + END],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.partition("IMPORTED ")[2].split())


def test_the_api_starts_without_what_only_some_requests_need(tmp_path: Path) -> None:
    first = imported_by(START_API, tmp_path)
    assert "alembic" in first  # A new database is migrated.
    assert imported_by(START_API, tmp_path) & (UNNEEDED | API_ALONE) == set()


def test_the_whole_starts_without_what_only_some_pages_need(tmp_path: Path) -> None:
    imported_by(START_API, tmp_path)
    assert imported_by(START_WHOLE, tmp_path) & UNNEEDED == set()


def test_streamlits_interval_for_its_settings_is_where_the_launcher_sets_it() -> None:
    assert polling_path_watcher._POLLING_PERIOD_SECS == 0.2
    assert "time.sleep(_POLLING_PERIOD_SECS)" in inspect.getsource(polling_path_watcher)

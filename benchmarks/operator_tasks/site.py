"""A service in front of which tasks are performed, over its API and database."""

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import httpx

PATIENCE_SECONDS: Final = 120


@dataclass(frozen=True)
class Site:
    """A running service, and its first API key for the mode that its dashboard shows."""

    url: str
    folder: Path
    key: str

    def read(self, path: str) -> Any:
        """The API's answer to a GET."""
        answer = httpx.get(f"{self.url}/api/v1{path}", headers=self._headers(), timeout=60)
        return answer.raise_for_status().json()

    def post(self, path: str, **body: Any) -> Any:
        """The API's answer to a POST; raises `RuntimeError` with what it says of an error."""
        answer = httpx.post(
            f"{self.url}/api/v1{path}", headers=self._headers(), json=body, timeout=60
        )
        if answer.is_error:
            raise RuntimeError(f"{path}: {answer.text}")
        return answer.json()

    def until(self, what: str, condition: Callable[[], object], seconds: float = 4) -> None:
        """Wait for a condition; the service's clock is put forward by `seconds` each time."""
        end = time.monotonic() + PATIENCE_SECONDS
        while not condition():
            if time.monotonic() > end:
                raise TimeoutError(what)
            if seconds:
                self.post("/sandbox/clock", advanceSeconds=seconds)
            time.sleep(0.3)

    def query(self, sql: str, *values: object) -> Any:
        """The first column of the first row in the database; None without a row."""
        with closing(sqlite3.connect(self.folder / "crossway.db", timeout=60)) as database:
            row = database.execute(sql, values).fetchone()
        return row[0] if row else None

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


def first_key(folder: Path, mode: Literal["test", "live"]) -> str:
    """The first key of an installation whose dashboard has not been opened yet."""
    return str(json.loads((folder / "first_keys.json").read_text())[mode])

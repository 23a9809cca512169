"""Logging configuration, for our own lines and those of libraries: JSON or console, no secrets.

A line names its values in `extra={"fields": {…}}`.
"""

import logging
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import orjson

from crossway.domain.redaction import redact
from crossway.ports import process

_DIM, _BOLD, _PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[0m"


def configure(level_name: str, log_format: str) -> None:
    """Log a level and above to standard error; the format `auto` is `console` on a terminal and
    `json` otherwise."""
    on_terminal = sys.stderr.isatty()
    console = log_format == "console" or (log_format == "auto" and on_terminal)
    handler = logging.StreamHandler()
    handler.setFormatter(_ConsoleFormatter(on_terminal) if console else _JsonFormatter())
    crossway_logger = logging.getLogger("crossway")
    crossway_logger.handlers, crossway_logger.propagate = [handler], False
    crossway_logger.setLevel(level_name.upper())


class _JsonFormatter(logging.Formatter):
    """One JSON object a line; its values, then the ids of the request and intent in progress."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {"event": record.getMessage(), **_fields(record)}
        line |= {
            "level": record.levelname.lower(),
            "logger": record.name,
            "timestamp": _timestamp(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        # The last line of defence: secrets are redacted in the whole line.
        return redact(orjson.dumps(line, default=repr).decode())


class _ConsoleFormatter(logging.Formatter):
    """For people: time, level, event and values, then the traceback if there is one."""

    def __init__(self, coloured: bool) -> None:
        super().__init__()
        self._marks = (_DIM, _BOLD, _PLAIN) if coloured else ("", "", "")

    def format(self, record: logging.LogRecord) -> str:
        dim, bold, plain = self._marks
        values = " ".join(f"{dim}{name}={plain}{value}" for name, value in _fields(record).items())
        line = (
            f"{dim}{_timestamp(record)}{plain} [{record.levelname.lower():7}] "
            f"{bold}{record.getMessage()}{plain} {values}"
        )
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return redact(line.rstrip())


def _fields(record: logging.LogRecord) -> Mapping[str, Any]:
    """The values of a line, and the ids of the request and intent being processed."""
    return {**process.LOG_IDS.get({}), **getattr(record, "fields", {})}


def _timestamp(record: logging.LogRecord) -> str:
    at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="microseconds")
    return at.removesuffix("+00:00") + "Z"

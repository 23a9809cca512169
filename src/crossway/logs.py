"""Logging configuration, for our own lines and those of libraries: JSON or console, no secrets."""

import logging
import sys
from collections.abc import Callable, MutableMapping
from typing import Any

import orjson
import structlog

from crossway.domain.redaction import redact
from crossway.ports import process

Event = MutableMapping[str, Any]


def configure(level_name: str, log_format: str) -> None:
    """Log a level and above to standard error; the format `auto` is `console` on a terminal and
    `json` otherwise."""
    level = getattr(logging, level_name.upper())
    console = log_format == "console" or (log_format == "auto" and sys.stderr.isatty())
    processors: list[structlog.typing.Processor] = [
        _add_context_ids,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    if not console:
        processors.append(structlog.processors.format_exc_info)
    renderer = _redacting(_console() if console else structlog.processors.JSONRenderer(_json))
    structlog.configure(
        processors=[*processors, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, *processors],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    crossway_logger = logging.getLogger("crossway")
    crossway_logger.handlers, crossway_logger.propagate = [handler], False
    crossway_logger.setLevel(level)


def _add_context_ids(_: object, __: str, event: Event) -> Event:
    """Add the ids of the request and intent being processed."""
    for name, value in process.LOG_IDS.get({}).items():
        event.setdefault(name, value)
    return event


def _redacting(render: Callable[..., Any]) -> structlog.typing.Processor:
    """The last line of defence: redact secrets in the rendered line, tracebacks included."""

    def rendered(logger: Any, name: str, event: Event) -> str:
        return redact(str(render(logger, name, event)))

    return rendered


def _console() -> structlog.dev.ConsoleRenderer:
    return structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)


def _json(event: object, default: Callable[[object], object]) -> str:
    return orjson.dumps(event, default).decode()

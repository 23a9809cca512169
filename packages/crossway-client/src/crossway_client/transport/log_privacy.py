"""What the HTTP library logs about our requests: their URLs, without the queries."""

import logging
from typing import Final

import httpx


class _WithoutQueries(logging.Filter):
    """Takes the query out of each logged URL below one of `bases`."""

    def __init__(self) -> None:
        super().__init__()
        self.bases = set[str]()

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(map(self._hide, record.args))
        return True

    def _hide(self, value: object) -> object:
        if not isinstance(value, httpx.URL) or not str(value).startswith(tuple(self.bases)):
            return value
        return value.copy_with(query=None)


_FILTER: Final = _WithoutQueries()


def hide_queries(base: httpx.URL) -> None:
    """Keep the queries of requests below a URL out of the log of httpx, which programs that log at
    level INFO write: they have e-mail addresses of end users, and signatures that open files."""
    _FILTER.bases.add(str(base))
    logging.getLogger("httpx").addFilter(_FILTER)

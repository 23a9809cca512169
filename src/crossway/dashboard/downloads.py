"""Lists as files: all that a filter leaves, sent as it is read, to whoever is signed in."""

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from crossway.dashboard import cookies, session
from crossway.dashboard.views import intents, ramp_orders
from crossway.domain.clients import Caller, insider
from crossway.domain.errors import Refusal
from crossway.domain.staff import FIRST
from crossway.ports.services import Services
from crossway.usecases.people import stays
from crossway.usecases.people.stays import Door

CHUNK: Final = 64 * 1024  # characters
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
Line = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Download:
    """One list: the names of its columns, and its lines for what an address asks; `lines` refuses
    before it answers the first."""

    columns: tuple[str, ...]
    lines: Callable[[Services, Caller, Mapping[str, str]], Iterator[Line]]


DOWNLOADS: Final[Mapping[str, Download]] = {
    "payments": Download(intents.EXPORTED, intents.exported),
    "ramp_orders": Download(ramp_orders.EXPORTED, ramp_orders.exported),
}
_KINDS: Final = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def routes() -> list[Route]:
    """Where a list is fetched: `/download/payments.csv?all=state:FUNDED`."""
    return [Route("/download/{name}.{kind}", _fetch, methods=["GET"])]


async def _fetch(request: Request) -> Response:
    name, kind = request.path_params["name"], request.path_params["kind"]
    if name not in DOWNLOADS or kind not in _KINDS:
        return PlainTextResponse("There is no such list.", status_code=404)
    services = session.services()
    caller = await run_in_threadpool(_caller, services, request.cookies.get(cookies.NAME, ""))
    if caller is None:
        return PlainTextResponse("Sign in first: open the dashboard.", status_code=401)
    of = DOWNLOADS[name]
    try:
        lines = of.lines(services, caller, dict(request.query_params))
        first = await run_in_threadpool(next, lines, None)
    except Refusal as error:
        return PlainTextResponse(f"{error}.", status_code=400)
    found = lines if first is None else chain([first], lines)
    text = _as_csv(of.columns, found) if kind == "csv" else _as_json(found)
    day = services.clock.now().strftime("%Y-%m-%d")
    headers = {
        "Content-Disposition": f'attachment; filename="{name}-{day}.{kind}"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }
    return StreamingResponse(_chunks(text), media_type=_KINDS[kind], headers=headers)


def _caller(services: Services, token: str) -> Caller | None:
    """As whom a browser asks, by the cookie that keeps it signed in."""
    if session.door() is Door.OPEN:
        return insider(FIRST)
    found = stays.present(services, token) if token else None
    return None if found is None else insider(found.name, found.role)


def _as_csv(columns: tuple[str, ...], lines: Iterable[Line]) -> Iterator[str]:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(columns)
    for line in lines:
        writer.writerow([_harmless(line[column]) for column in columns])
        yield out.getvalue()
        out.seek(0)
        out.truncate()
    yield out.getvalue()


def _harmless(value: Any) -> Any:
    """What no spreadsheet takes for a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return "" if value is None else value


def _as_json(lines: Iterable[Line]) -> Iterator[str]:
    between = "[\n"
    for line in lines:
        yield between + json.dumps(line, ensure_ascii=False, default=str)
        between = ",\n"
    yield "[]\n" if between == "[\n" else "\n]\n"


def _chunks(texts: Iterator[str]) -> Iterator[str]:
    held, size = [], 0
    for text in texts:
        held.append(text)
        size += len(text)
        if size >= CHUNK:
            yield "".join(held)
            held, size = [], 0
    yield "".join(held)

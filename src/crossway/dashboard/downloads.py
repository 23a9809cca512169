"""Exports of lists as CSV or JSON, streamed to signed-in staff."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from crossway.dashboard import session
from crossway.dashboard.views import intents, ramp_orders, requests
from crossway.dashboard.views.links import MODE_PARAM
from crossway.domain.clients import Mode, Principal, staff_principal
from crossway.domain.errors import DomainError, InvalidInput
from crossway.domain.staff import INSTALLATION_OPERATOR
from crossway.ports.services import Services
from crossway.usecases.csv_lines import CsvLines
from crossway.usecases.payments import export_rows as payment_export
from crossway.usecases.ramps import export_rows as order_export
from crossway.usecases.staff import sessions
from crossway.usecases.staff.sessions import SignInRequirement

CHUNK: Final = 64 * 1024  # characters
Record = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Download:
    """One export: its columns, and a function that yields its rows for a query.

    The function raises before the first row.
    """

    columns: tuple[str, ...]
    rows: Callable[[Services, Principal, Mapping[str, str]], Iterator[Record]]


DOWNLOADS: Final[Mapping[str, Download]] = {
    "payments": Download(payment_export.FIELDS, intents.export_rows),
    "ramp_orders": Download(order_export.FIELDS, ramp_orders.export_rows),
    "requests": Download(requests.EXPORT_FIELDS, requests.export_rows),
}
_KINDS: Final = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


def routes() -> list[Route]:
    """The routes of the exports, such as `/download/payments.csv?all=state:FUNDED`."""
    return [Route("/download/{name}.{kind}", _fetch, methods=["GET"])]


async def _fetch(request: Request) -> Response:
    name, kind = request.path_params["name"], request.path_params["kind"]
    if (download := DOWNLOADS.get(name)) is None or kind not in _KINDS:
        return PlainTextResponse("There is no such list.", status_code=404)
    services = session.services()
    caller = await run_in_threadpool(
        find_principal, services, request.cookies.get(sessions.COOKIE, "")
    )
    if caller is None:
        return PlainTextResponse("Sign in first: open the dashboard.", status_code=401)
    try:
        params = dict(request.query_params)
        caller = replace(caller, mode=pop_mode(params))
        rows = download.rows(services, caller, params)
        first = await run_in_threadpool(next, rows, None)
    except DomainError as error:
        return PlainTextResponse(f"{error}.", status_code=400)
    rows = rows if first is None else chain([first], rows)
    text = _as_csv(download.columns, rows) if kind == "csv" else _as_json(rows)
    day = services.clock.now().strftime("%Y-%m-%d")
    headers = file_headers(f"{name}-{day}.{kind}")
    return StreamingResponse(_chunks(text), media_type=_KINDS[kind], headers=headers)


def file_headers(file_name: str) -> dict[str, str]:
    """The headers of a file that the browser saves under this name, and nobody stores."""
    return {
        "Content-Disposition": f'attachment; filename="{file_name}"',
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
    }


def page_headers(nonce: str) -> dict[str, str]:
    """The headers of a printable page, which runs no scripts but ours and those with `nonce`."""
    return {
        "Cache-Control": "no-store",
        "Content-Security-Policy": f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; "
        "style-src 'unsafe-inline'; font-src 'self'; img-src data: blob:; frame-ancestors 'none'",
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
    }


def pop_mode(params: dict[str, str]) -> Mode:
    """The mode of a file, which its link names; removed from the parameters. Raises
    `InvalidInput`."""
    mode = params.pop(MODE_PARAM, "")
    if mode not in tuple(Mode):
        raise InvalidInput(f"{MODE_PARAM} must be one of {', '.join(Mode)}")
    return Mode(mode)


def find_principal(services: Services, token: str) -> Principal | None:
    """The principal behind the session cookie; None without a valid one."""
    if session.sign_in_requirement() is SignInRequirement.NONE:
        return staff_principal(INSTALLATION_OPERATOR)
    active = sessions.get_active_session(services, token) if token else None
    if active is None:
        return None
    return replace(staff_principal(active.name, active.role), session=active.session)


def _as_csv(columns: tuple[str, ...], rows: Iterable[Record]) -> Iterator[str]:
    lines = CsvLines()
    yield lines.format(columns)
    for row in rows:
        yield lines.format(row[column] for column in columns)


def _as_json(rows: Iterable[Record]) -> Iterator[str]:
    separator = "[\n"
    for row in rows:
        yield separator + json.dumps(row, ensure_ascii=False, default=str)
        separator = ",\n"
    yield "[]\n" if separator == "[\n" else "\n]\n"


def _chunks(texts: Iterator[str]) -> Iterator[str]:
    buffer, size = [], 0
    for text in texts:
        buffer.append(text)
        size += len(text)
        if size >= CHUNK:
            yield "".join(buffer)
            buffer, size = [], 0
    yield "".join(buffer)

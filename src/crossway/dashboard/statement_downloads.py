"""The monthly statement and the journal as files, and the statement's printable page, for staff."""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from datetime import date
from secrets import token_urlsafe
from typing import IO, Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from crossway.dashboard import downloads, session
from crossway.dashboard.views import profit as view
from crossway.domain.clients import Principal
from crossway.domain.errors import DomainError, InvalidInput
from crossway.usecases.money import journal, statement
from crossway.usecases.money.sheets import Sheet, stream_csv
from crossway.usecases.staff import sessions

_KINDS: Final = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_CHUNK: Final = 64 * 1024
_SIGN_IN: Final = PlainTextResponse("Sign in first: open the dashboard.", status_code=401)
Params = Mapping[str, str]


def routes() -> list[Route]:
    """Such as `/download/money/statement.xlsx?month=2026-11` and
    `/download/money/journal.csv?from=2026-11-01&to=2026-11-30`."""
    return [
        Route("/download/money/statement.html", _fetch_page, methods=["GET"]),
        Route("/download/money/{name}.{kind}", _fetch_file, methods=["GET"]),
    ]


def _statement_sheets(caller: Principal, params: Params) -> tuple[str, list[Sheet]]:
    services, month = session.services(), params.get("month", "")
    made = statement.make_statement(services, caller, month, view.are_testnets(params))
    return f"statement-{month}", statement.make_sheets(services, made)


def _journal_sheets(caller: Principal, params: Params) -> tuple[str, list[Sheet]]:
    first, last = (_parse_day(params, name) for name in ("from", "to"))
    sheet = journal.make_journal(session.services(), caller, first, last)
    return f"journal-{first}-to-{last}", [sheet]


def _parse_day(params: Params, name: str) -> date:
    try:
        return date.fromisoformat(params.get(name, ""))
    except ValueError:
        raise InvalidInput(f"{name} must be a day such as 2026-11-30") from None


_SHEETS: Final[Mapping[str, Callable[[Principal, Params], tuple[str, list[Sheet]]]]] = {
    "statement": _statement_sheets,
    "journal": _journal_sheets,
}


async def _find_caller(request: Request) -> Principal | None:
    token = request.cookies.get(sessions.COOKIE, "")
    return await run_in_threadpool(downloads.find_principal, session.services(), token)


async def _fetch_file(request: Request) -> Response:
    name, kind = request.path_params["name"], request.path_params["kind"]
    if name not in _SHEETS or kind not in _KINDS:
        return PlainTextResponse("There is no such file.", status_code=404)
    if (caller := await _find_caller(request)) is None:
        return _SIGN_IN
    try:
        file_name, file = await run_in_threadpool(
            _write, caller, dict(request.query_params), name, kind
        )
    except DomainError as error:
        return PlainTextResponse(f"{error}.", status_code=400)
    headers = downloads.file_headers(f"{file_name}.{kind}")
    return StreamingResponse(_pieces(file), media_type=_KINDS[kind], headers=headers)


def _write(caller: Principal, params: Params, name: str, kind: str) -> tuple[str, IO[bytes]]:
    """The file, complete before its first byte is sent; it may exceed memory."""
    file_name, sheets = _SHEETS[name](caller, params)
    file = tempfile.TemporaryFile()  # noqa: SIM115
    try:
        if kind == "csv":
            file.writelines(text.encode() for text in stream_csv(sheets))
        else:
            # Slow to import, and needed by nothing else.
            from crossway.dashboard.spreadsheets import write_workbook

            write_workbook(sheets, file)
    except BaseException:
        file.close()
        raise
    file.seek(0)
    return file_name, file


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    with file:
        while piece := file.read(_CHUNK):
            yield piece


async def _fetch_page(request: Request) -> Response:
    if (caller := await _find_caller(request)) is None:
        return _SIGN_IN
    nonce = token_urlsafe(16)
    try:
        body = await run_in_threadpool(_print, caller, dict(request.query_params), nonce)
    except DomainError as error:
        return PlainTextResponse(f"{error}.", status_code=400)
    return HTMLResponse(body, headers=downloads.page_headers(nonce))


def _print(caller: Principal, params: Params, nonce: str) -> str:
    from crossway.dashboard.statement_print import render

    services = session.services()
    month, testnets = params.get("month", ""), view.are_testnets(params)
    return render(services, statement.make_statement(services, caller, month, testnets), nonce)

"""The exports of Analytics and its printable page, for signed-in staff."""

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from secrets import token_urlsafe
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from crossway.dashboard import downloads, session
from crossway.dashboard.views.analytics_document import make_document
from crossway.domain.clients import Principal
from crossway.domain.errors import DomainError
from crossway.usecases.staff import sessions

_KINDS: Final = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
_SIGN_IN: Final = PlainTextResponse("Sign in first: open the dashboard.", status_code=401)


def routes() -> list[Route]:
    """Such as `/download/analytics/report.xlsx?mode=live&period=7d&group=route`."""
    return [
        Route("/download/analytics/plotly.js", _fetch_plotly, methods=["GET"]),
        Route("/download/analytics/report.html", _fetch_page, methods=["GET"]),
        Route("/download/analytics/report.{kind}", _fetch_file, methods=["GET"]),
    ]


async def _find_caller(request: Request) -> Principal | None:
    token = request.cookies.get(sessions.COOKIE, "")
    return await run_in_threadpool(downloads.find_principal, session.services(), token)


async def _fetch_file(request: Request) -> Response:
    kind = request.path_params["kind"]
    if kind not in _KINDS:
        return PlainTextResponse("There is no such file.", status_code=404)
    if (caller := await _find_caller(request)) is None:
        return _SIGN_IN
    try:
        body = await run_in_threadpool(_write, caller, dict(request.query_params), kind)
    except DomainError as error:
        return PlainTextResponse(f"{error}.", status_code=400)
    day = session.services().clock.now().strftime("%Y-%m-%d")
    headers = downloads.file_headers(f"analytics-{day}.{kind}")
    return Response(body, media_type=_KINDS[kind], headers=headers)


def _write(caller: Principal, params: dict[str, str], kind: str) -> bytes:
    # Slow to import, and needed by nothing else.
    from crossway.dashboard.analytics_files import WRITERS

    services = session.services()
    caller = replace(caller, mode=downloads.pop_mode(params))
    return WRITERS[kind](services, make_document(services, caller, params))


async def _fetch_page(request: Request) -> Response:
    if (caller := await _find_caller(request)) is None:
        return _SIGN_IN
    nonce = token_urlsafe(16)
    try:
        body = await run_in_threadpool(_print, caller, dict(request.query_params), nonce)
    except DomainError as error:
        return PlainTextResponse(f"{error}.", status_code=400)
    return HTMLResponse(body, headers=downloads.page_headers(nonce))


def _print(caller: Principal, params: dict[str, str], nonce: str) -> str:
    from crossway.dashboard.analytics_print import render

    services = session.services()
    caller = replace(caller, mode=downloads.pop_mode(params))
    return render(services, make_document(services, caller, params), nonce)


async def _fetch_plotly(request: Request) -> Response:
    """The script that draws the charts of the printable page, as the package brings it."""
    if await _find_caller(request) is None:
        return _SIGN_IN
    spec = find_spec("plotly")
    if spec is None or spec.origin is None:
        return PlainTextResponse("Plotly is not installed.", status_code=404)
    script = Path(spec.origin).parent / "package_data" / "plotly.min.js"
    headers = {"Cache-Control": "private, max-age=86400", "X-Content-Type-Options": "nosniff"}
    return FileResponse(script, media_type="text/javascript", headers=headers)

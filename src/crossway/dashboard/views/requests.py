"""The request log: what clients asked, what they were answered, and how long it took."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from crossway.dashboard.views.cells import Cell, Chip, Color, Column, Fact, Row
from crossway.dashboard.views.figures import millis, time_cell
from crossway.dashboard.views.links import LONGEST_NUMBER, request_href
from crossway.domain.clients import Caller
from crossway.domain.errors import NotFound
from crossway.ports.logs import AskedRequest, RequestFilter
from crossway.ports.services import Services
from crossway.usecases.developers import clients, request_log

PAGE_SIZE = 50
EVERY = "All"
# A status below ten means its class.
QUICK: Final[Mapping[str, int | None]] = {
    EVERY: None,
    "2xx": 2,
    "4xx": 4,
    "429": 429,
    "5xx": 5,
}
METHODS: Final = ("GET", "POST", "PATCH", "DELETE")
COLUMNS = (
    Column("Request"),
    Column("Answer"),
    Column("Took", "right"),
    Column("Client"),
    Column("When"),
    Column("Request id", wide=True),
)
_COLORS: Final[Mapping[int, tuple[Color, str]]] = {
    2: ("green", "check_circle"),
    3: ("blue", "arrow_forward"),
    4: ("orange", "warning"),
    5: ("red", "error"),
}
NOBODY: Final = "No key"


@dataclass(frozen=True, slots=True)
class Listing:
    """One page: `older_than` is where the next one starts, None on the last."""

    rows: tuple[Row, ...]
    older_than: int | None


def wanted(
    client: str | None,
    quick: str,
    method: str | None,
    path: str,
    request_id: str,
    before_id: int | None,
) -> RequestFilter:
    """The filters of the screen as the store understands them."""
    return RequestFilter(
        client_id=client,
        method=method or "",
        path_part=path.strip(),
        request_id=request_id.strip(),
        status=QUICK.get(quick),
        before_id=before_id,
    )


def listing(services: Services, caller: Caller, filters: RequestFilter) -> Listing:
    """One page of requests, newest first."""
    found = request_log.page(services, caller, filters, PAGE_SIZE + 1)
    shown = found[:PAGE_SIZE]
    names = {client.id: client.name for client in clients.every(services)}
    older = shown[-1].id if len(found) > PAGE_SIZE else None
    return Listing(tuple(_row(one, names) for one in shown), older)


def status(one: AskedRequest) -> Chip:
    """What was answered, by the class of its status."""
    color, icon = _COLORS.get(one.status // 100, ("gray", "circle"))
    return Chip(str(one.status), color, icon)


def took(one: AskedRequest) -> str:
    """How long the answer took: `0.8 ms`, `120 ms`."""
    milliseconds = one.microseconds / 1000
    return f"{milliseconds:,.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


def _who(one: AskedRequest, names: Mapping[str, str]) -> str:
    return names.get(one.client_id, one.client_id) if one.client_id else NOBODY


def _row(one: AskedRequest, names: Mapping[str, str]) -> Row:
    return Row(
        key=str(one.id),
        href=request_href(one.id),
        label=f"{one.method} {one.path}, answered {one.status}",
        cells=(
            Cell(f"{one.method} {one.path}", mono=True),
            Cell(chips=(status(one),)),
            Cell(took(one)),
            Cell(_who(one, names), sub=f"{one.key_shown}…" if one.key_shown else ""),
            Cell(at=millis(one.at)),
            Cell(one.request_id, mono=True),
        ),
    )


def one(services: Services, caller: Caller, text: str) -> AskedRequest:
    """The request that a link names; raises `NotFound`."""
    if not (text.isascii() and text.isdigit() and len(text) < LONGEST_NUMBER):
        raise NotFound(f"No request has the number {text}" if text else "No request is named")
    return request_log.one(services, caller, int(text))


def facts(services: Services, asked: AskedRequest) -> tuple[Fact, ...]:
    """Everything about a request but its bodies."""
    names = {client.id: client.name for client in clients.every(services)}
    return (
        Fact("Request", Cell(f"{asked.method} {asked.path}", mono=True)),
        Fact("Answer", Cell(chips=(status(asked),))),
        Fact("Took", Cell(took(asked))),
        Fact("When", time_cell(asked.at, "exact")),
        Fact("Client", Cell(_who(asked, names))),
        Fact("Key", Cell(f"{asked.key_shown}…" if asked.key_shown else "–", mono=True)),
        Fact(
            "Request id",
            Cell(asked.request_id, copy=asked.request_id, what="request id", mono=True),
            "The X-Request-Id of the answer, also in the logs",
        ),
    )


def laid_out(body: str) -> str:
    """A body as it was kept, laid out to be read where it is whole JSON."""
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except ValueError:
        return body

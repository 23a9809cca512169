"""The API request log on screen: requests, responses and latency."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from crossway.dashboard.views import list_columns
from crossway.dashboard.views.cells import Badge, Cell, Color, Column, Detail, Row, RowAction
from crossway.dashboard.views.clients import client_names
from crossway.dashboard.views.formatting import time_cell, to_millis
from crossway.dashboard.views.links import (
    IDS_PARAM,
    export_selected_href,
    intent_href,
    is_record_id,
    parse_ids,
    request_href,
)
from crossway.dashboard.views.list_columns import ListColumn
from crossway.dashboard.views.merchant_names import MERCHANT_COLUMN, merchant_cell
from crossway.dashboard.views.periods import TimeRange
from crossway.domain.clients import Mode, Principal
from crossway.domain.errors import NotFound
from crossway.ports.logs import LoggedRequest, RequestFilter
from crossway.ports.services import Services
from crossway.usecases.developers import request_log

PAGE_SIZE = 50
ALL = "All"
# A status below ten stands for its class.
QUICK_FILTERS: Final[Mapping[str, int | None]] = {
    ALL: None,
    "2xx": 2,
    "4xx": 4,
    "429": 429,
    "5xx": 5,
}
METHODS: Final = ("GET", "POST", "PATCH", "DELETE")
_COLORS: Final[Mapping[int, tuple[Color, str]]] = {
    2: ("green", "check_circle"),
    3: ("blue", "arrow_forward"),
    4: ("orange", "warning"),
    5: ("red", "error"),
}
NO_KEY: Final = "No key"


_EXPORTED: Final = (
    "request_id", "method", "path", "status", "microseconds", "client_id", "key_prefix", "mode",
)  # fmt: skip
EXPORT_FIELDS: Final = ("at", *_EXPORTED)


@dataclass(frozen=True, slots=True)
class ListedRequest:
    """A request of the list, and the names of the merchants by id."""

    request: LoggedRequest
    names: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ListPage:
    """One page of requests; `older_than` is the cursor of the next page, None on the last."""

    rows: tuple[Row, ...]
    older_than: int | None


def build_filter(
    client: str | None,
    quick: str,
    method: str | None,
    path: str,
    request_id: str,
    made: TimeRange,
    before_id: int | None,
) -> RequestFilter:
    """The page's filters as a `RequestFilter`."""
    return RequestFilter(
        client_id=client,
        method=method or "",
        path_part=path.strip(),
        request_id=request_id.strip(),
        status=QUICK_FILTERS.get(quick),
        start=made.start,
        end=made.end,
        before_id=before_id,
    )


def load_page(
    services: Services,
    caller: Principal,
    filters: RequestFilter,
    columns: Sequence[ListColumn[ListedRequest]],
) -> ListPage:
    """One page of requests with these columns, newest first."""
    requests = request_log.list_requests(services, caller, filters, PAGE_SIZE + 1)
    page_requests = requests[:PAGE_SIZE]
    names = client_names(services)
    older = page_requests[-1].id if len(requests) > PAGE_SIZE else None
    return ListPage(
        tuple(_row(columns, ListedRequest(request, names)) for request in page_requests), older
    )


def status_badge(request: LoggedRequest) -> Badge:
    """The badge of the response status."""
    color, icon = _COLORS.get(request.status // 100, ("gray", "circle"))
    return Badge(str(request.status), color, icon)


def format_latency(request: LoggedRequest) -> str:
    """The latency of a request: `0.8 ms`, `120 ms`."""
    milliseconds = request.microseconds / 1000
    return f"{milliseconds:,.0f} ms" if milliseconds >= 10 else f"{milliseconds:.1f} ms"


def _merchant(request: LoggedRequest, names: Mapping[str, str]) -> Cell:
    if not request.client_id:
        return Cell(NO_KEY)
    key = f"{request.key_prefix}…" if request.key_prefix else ""
    return merchant_cell(names, request.client_id, key)


def _payment(request: LoggedRequest) -> Cell:
    if not request.intent_id:
        return Cell("–")
    return Cell(f"#{request.intent_id}", href=intent_href(request.intent_id))


def _row(columns: Sequence[ListColumn[ListedRequest]], of: ListedRequest) -> Row:
    request = of.request
    return Row(
        key=str(request.id),
        href=request_href(request.id),
        label=f"{request.method} {request.path}, status {request.status}",
        cells=list_columns.cells_of(columns, of),
    )


OFFERED: Final[Sequence[ListColumn[ListedRequest]]] = (
    ListColumn(
        Column("Request", name="request"),
        lambda of: Cell(f"{of.request.method} {of.request.path}", mono=True),
    ),
    ListColumn(
        Column("Status", name="status"), lambda of: Cell(badges=(status_badge(of.request),))
    ),
    ListColumn(
        Column("Latency", "right", name="latency"),
        lambda of: Cell(format_latency(of.request), order=of.request.microseconds),
    ),
    ListColumn(
        Column("Merchant", name=MERCHANT_COLUMN),
        lambda of: replace(_merchant(of.request, of.names), href=""),
    ),
    ListColumn(Column("Time", name="time"), lambda of: Cell(at=to_millis(of.request.at))),
    ListColumn(
        Column("Exact time", wide=True, name="exact"),
        lambda of: time_cell(of.request.at, "exact"),
        on_request=True,
    ),
    ListColumn(
        Column("Request ID", wide=True, name="request_id"),
        lambda of: Cell(of.request.request_id, mono=True),
    ),
    ListColumn(
        Column("Payment", name="payment"),
        lambda of: _payment(of.request),
        on_request=True,
    ),
)
"""All columns; those on request are offered in the columns menu."""


def export_action(mode: Mode) -> RowAction:
    """The export of selected requests."""
    href = export_selected_href("requests", mode)
    return RowAction("export", "Export as CSV", "download", download=href)


def get_request(services: Services, caller: Principal, text: str) -> LoggedRequest:
    """The request with this id; raises `NotFound`."""
    if not is_record_id(text):
        raise NotFound(f"No request with ID {text}" if text else "No request ID in the link")
    return request_log.get_request(services, caller, int(text))


def build_details(services: Services, request: LoggedRequest) -> tuple[Detail, ...]:
    """All details of a request except its bodies."""
    names = client_names(services)
    return (
        Detail("Request", Cell(f"{request.method} {request.path}", mono=True)),
        Detail("Status", Cell(badges=(status_badge(request),))),
        Detail("Latency", Cell(format_latency(request))),
        Detail("Time", time_cell(request.at, "exact")),
        Detail("Merchant", replace(_merchant(request, names), sub="")),
        Detail("Key", Cell(f"{request.key_prefix}…" if request.key_prefix else "–", mono=True)),
        Detail(
            "Request ID",
            Cell(request.request_id, copy=request.request_id, value_name="request ID", mono=True),
            "The X-Request-Id response header, also in the logs",
        ),
    )


def format_body(body: str) -> str:
    """A stored body, indented if it is valid JSON."""
    try:
        return json.dumps(json.loads(body), indent=2, ensure_ascii=False)
    except ValueError:
        return body


def export_rows(
    services: Services, caller: Principal, params: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    """The requests with the ids of the query string, newest first, without their bodies."""
    selected = parse_ids(params.get(IDS_PARAM, ""))
    found = [request_log.get_request(services, caller, number) for number in selected]
    return (
        {"at": request.at.isoformat()} | {name: getattr(request, name) for name in _EXPORTED}
        for request in found
    )

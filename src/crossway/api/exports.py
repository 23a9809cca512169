"""`/v1/exports`: lists as files, written in the background; `/v1/export-files`: their links."""

from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from crossway.api.auth import Reader, ServicesDep, Writer
from crossway.api.idempotency import store_response
from crossway.api.query_params import CursorPage, query
from crossway.api.record_numbers import ExportNumber, format_cursor, parse_cursor
from crossway.api.schemas import exports as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import request_body_schema
from crossway.api.schemas.responses import JsonResponse, api_url
from crossway.domain.exports import Export
from crossway.domain.public_ids import RecordKind
from crossway.usecases.exports import files, jobs
from crossway.usecases.public_numbers import ids_of

router = APIRouter(prefix="/v1/exports", tags=["Exports"])
files_router = APIRouter(prefix="/v1/export-files", tags=["Exports"])
Body = Annotated[wire.CreateExport, Depends(wire.CreateExport.from_request)]
_ROWS = {"type": "array", "items": {"type": "object", "additionalProperties": True}}
_CONTENT = {
    "application/json": {"schema": _ROWS},
    "text/csv": {
        "schema": {"type": "string"},
        "example": "id,state\r\n4807780642760409,FUNDED\r\n",
    },
}


@router.post(
    "",
    status_code=201,
    response_model=wire.ExportOut,
    responses=error_responses(404, post=True),
    openapi_extra=request_body_schema(wire.CreateExport),
    operation_id="createExport",
    summary="Create an export",
)
def create(request: Request, services: ServicesDep, caller: Writer, body: Body) -> JsonResponse:
    """Write a list to a file in the background: read the export until it is `completed`. At most
    3 are in progress and 20 stored at a time, of 500 MB in all, with 500,000 rows each."""

    def respond(export: Export) -> JsonResponse:
        return JsonResponse(_shown(request, export), 201)

    store = store_response(request, respond)
    return respond(jobs.create_export(services, caller, body.to_request(), store))


@router.get(
    "",
    response_model=wire.ExportPage,
    responses=error_responses(400),
    operation_id="listExports",
    summary="List exports",
)
def listed(
    request: Request, services: ServicesDep, caller: Reader, page: Annotated[CursorPage, Depends()]
) -> JsonResponse:
    """The client's exports, newest first."""
    before = parse_cursor(services, RecordKind.EXPORT, page.cursor)
    # A client has at most 20 of them.
    stored = jobs.list_exports(services, caller)
    rest = [export for export in stored if before is None or export.id < before]
    shown = rest[: page.limit]
    more = len(rest) > page.limit
    return JsonResponse(
        wire.ExportPage(
            exports=[_shown(request, export) for export in shown],
            limit=page.limit,
            next_cursor=format_cursor(services, RecordKind.EXPORT, shown[-1].id) if more else None,
        )
    )


@router.get(
    "/{id}",
    response_model=wire.ExportOut,
    responses=error_responses(400, 404),
    operation_id="getExport",
    summary="Get an export",
)
def one(request: Request, services: ServicesDep, caller: Reader, id: ExportNumber) -> JsonResponse:
    """One export: how far it has come, and then the link to its file."""
    return JsonResponse(_shown(request, jobs.get_export(services, caller, id)))


@router.delete(
    "/{id}",
    status_code=204,
    responses=error_responses(400, 404),
    operation_id="deleteExport",
    summary="Delete an export",
)
def remove(services: ServicesDep, caller: Writer, id: ExportNumber) -> Response:
    """Delete an export with its file, also while it is written; its link ends."""
    jobs.delete_export(services, caller, id)
    return Response(status_code=204)


@files_router.get(
    "/{id}",
    response_class=StreamingResponse,
    responses={
        200: {"description": "The file, in the format of the export.", "content": _CONTENT},
        **error_responses(400, 404),
    },
    openapi_extra={"security": []},
    operation_id="downloadExport",
    summary="Download the file of an export",
)
def download(
    services: ServicesDep,
    id: ExportNumber,
    expires: Annotated[str | None, query("Part of the link.", "1795344780")] = None,
    signature: Annotated[str | None, query("Part of the link.", "6f1c4a5d8f0b4b7e")] = None,
) -> StreamingResponse:
    """The `url` of an export leads here. It needs no key, and ends when the export expires."""
    file = files.open_file(services, id, expires, signature)
    headers = {
        "content-disposition": f'attachment; filename="{file.name}"',
        "content-length": str(file.size),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
    }
    return StreamingResponse(file.content, media_type=file.media_type, headers=headers)


def _shown(request: Request, export: Export) -> wire.ExportOut:
    services = request.app.state.services
    link = files.build_link(services, export)
    url = None if link is None else f"{api_url(request)}{link}"
    return wire.ExportOut.from_export(ids_of(services), export, url)

"""Request and response models of `/v1/exports`."""

from typing import Self

from pydantic import Field, SkipValidation

from crossway.api.schemas.fields import (
    RECORD,
    TIME,
    JsonObject,
    Model,
    OptionalObject,
    RequestModel,
    field,
)
from crossway.api.schemas.responses import raw_json
from crossway.domain.exports import Export, ExportFormat, ExportResource, ExportState
from crossway.domain.public_ids import PublicIds, RecordKind
from crossway.usecases.exports.jobs import ExportRequest
from crossway.usecases.instants import timestamp

_RESOURCES = {"enum": [resource.value for resource in ExportResource]}
_FORMATS = {"enum": [format.value for format in ExportFormat]}
_STATUSES = {"enum": [state.value.lower() for state in ExportState]}
_FILTERS = {"status": "completed", "created_after": "2026-11-01"}
_URL = f"https://pay.shop.example/api/v1/export-files/{RECORD}?expires=1795344780&signature=6f1c…"


class CreateExport(RequestModel):
    """The body of POST /exports."""

    resource: SkipValidation[str] = field(
        "The list: that of GET /intents, of GET /ramp/orders, or of GET /webhooks/{id}/deliveries.",
        "intents",
        extra=_RESOURCES,
    )
    format: SkipValidation[str | None] = field(
        "The format of the file; CSV by default.", "csv", extra=_FORMATS, default=None
    )
    filters: OptionalObject = field(
        "The list's filters by the names of its query parameters, as texts; all of it by default. "
        "`deliveries` need `webhook_id`.",
        _FILTERS,
        default=None,
    )

    def to_request(self) -> ExportRequest:
        """The request as the use case takes it."""
        return ExportRequest(self.resource, self.format, self.filters, self.field_errors)


class ExportOut(Model):
    """One export."""

    id: int = field("Record number.", RECORD)
    resource: str = field("The list.", "intents", extra=_RESOURCES)
    format: str = field("The format of the file.", "csv", extra=_FORMATS)
    filters: JsonObject = field("The list's filters.", _FILTERS)
    status: str = field(
        "`pending` until it is begun, `running` until it has ended.", "completed", extra=_STATUSES
    )
    progress: int = field("How much is written, in percent.", 100)
    rows: int = field("Number of rows so far.", 1234)
    error: str | None = field("Why it failed; null unless it did.", None)
    url: str | None = field(
        "Where the file is, without a key, until `expires_at`; null while it is not completed. "
        "Anyone with this URL can read the file.",
        _URL,
    )
    size: int = field("Size of the file in bytes so far.", 345678)
    created_at: str = field("When it was created; the file has what was there then.", TIME)
    updated_at: str = field("When it last changed.", TIME)
    expires_at: str | None = field(
        "When it is deleted with its file, a day after it ended; null before.", TIME
    )

    @classmethod
    def from_export(cls, ids: PublicIds, export: Export, url: str | None) -> Self:
        """One export with the link to its file."""
        ends = export.expires_at
        return cls(
            id=ids.encode(RecordKind.EXPORT, export.id),
            resource=export.resource.value,
            format=export.format.value,
            filters=raw_json(dict(export.filters)),
            status=export.state.value.lower(),
            progress=export.progress_percent,
            rows=export.rows,
            error=export.error or None,
            url=url,
            size=export.byte_count,
            created_at=timestamp(export.created_at),
            updated_at=timestamp(export.updated_at),
            expires_at=timestamp(ends) if ends else None,
        )


class ExportPage(Model):
    """A page of exports, newest first."""

    exports: list[ExportOut] = Field(description="The exports of this page.")
    limit: int = field("Maximum number of results of a page.", 20)
    next_cursor: str | None = field("`cursor` of the next page; null on the last one.", None)

"""Exports: lists as files, written in the background."""

from collections.abc import Mapping

from crossway_client.records.exports import Export
from crossway_client.transport.endpoints import CarrierT, Resource, endpoint, iterator
from crossway_client.transport.requests import (
    Request,
    get,
    given,
    nothing,
    page_of,
    record,
)
from crossway_client.transport.steps import Feed, changes, content, pages


class Exports(Resource[CarrierT]):
    """`/exports`."""

    @endpoint
    def create(
        self,
        resource: str,
        *,
        format: str | None = None,
        filters: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Request[Export]:
        """Write a list to a file: `intents`, `ramp_orders`, or `deliveries` with the filter
        `webhook_id`. `format` is `csv` (default) or `json`; `filters` are those of the list by the
        API's names."""
        body = given(resource=resource, format=format, filters=filters)
        return Request(
            "POST", "/exports", record(Export), body=body, idempotency_key=idempotency_key
        )

    @endpoint
    def get(self, export_id: int) -> Request[Export]:
        """One export: how far it has come, and then the link to its file."""
        return get("/exports/{id}", record(Export), id=export_id)

    @endpoint
    def delete(self, export_id: int) -> Request[None]:
        """Delete an export with its file; its link ends."""
        return Request("DELETE", "/exports/{id}", nothing, {"id": export_id})

    @iterator
    def watch(self, export_id: int, *, every_seconds: float = 1.0) -> Feed[Export]:
        """The export now and whenever it has come further, until it is completed or failed."""
        return changes(
            get("/exports/{id}", record(Export), id=export_id),
            every_seconds,
            lambda now: (now.status, now.rows),
            lambda now: now.ended,
        )

    @iterator
    def download(self, export: Export) -> Feed[bytes]:
        """The file of a completed export, in pieces. Raises `ValueError` for one without a file."""
        if export.url is None:
            raise ValueError(f"export {export.id} is {export.status} and has no file")
        return content("/export-files/" + export.url.partition("/export-files/")[2])

    @iterator
    def list(self) -> Feed[Export]:
        """Every export, newest first."""
        return pages(get("/exports", page_of("exports", Export)))

"""`crossway exports`: lists as files, written in the background by a running service."""

import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from crossway.cli.api_client import (
    Key,
    api_json,
    open_client,
    parse_pairs,
    report_api_errors,
)
from crossway.cli.exit_codes import FAILED
from crossway.cli.output import ListOutput, RecordOutput, prints
from crossway_client.records.exports import Export

group = typer.Typer(no_args_is_help=True, help="Lists as files, over the API.")
Number = Annotated[int, typer.Argument(metavar="EXPORT", help="The export's number.")]
_COLUMNS: Final[Mapping[str, Callable[[Export], object]]] = {
    "id": lambda export: export.id,
    "status": lambda export: export.status,
    "list": lambda export: export.resource,
    "format": lambda export: export.format,
    "rows": lambda export: export.rows,
    "created": lambda export: export.created_at,
    "kept until": lambda export: export.expires_at,
}


@group.command("create")
@report_api_errors
def create(
    resource: Annotated[str, typer.Argument(help="intents, ramp_orders or deliveries.")],
    to: Annotated[Path, typer.Option("--to", help="The new file; - is the output.")],
    file_format: Annotated[str, typer.Option("--format", help="csv or json.")] = "csv",
    filters: Annotated[
        list[str] | None,
        typer.Option("--filter", help="A filter of the list, such as status=completed."),
    ] = None,
    idempotency_key: Key = None,
) -> None:
    """Export a list to a file, and wait for it."""
    pairs = parse_pairs(filters, "--filter must be NAME=VALUE, such as status=completed")
    if to.exists():
        raise typer.BadParameter(f"--to: {to} exists already and was not changed")
    with open_client() as crossway:
        created = export = crossway.exports.create(
            resource, format=file_format, filters=pairs, idempotency_key=idempotency_key
        )
        for export in crossway.exports.watch(created.id):
            typer.echo(f"{export.progress} %, {export.rows:,} rows", err=True)
        if export.error is not None:
            typer.echo(f"crossway: {export.error}", err=True)
            raise typer.Exit(FAILED)
        _write(crossway.exports.download(export), to)


@group.command("list")
@report_api_errors
@prints
def listed() -> ListOutput[Export]:
    """List exports, newest first."""
    with open_client() as crossway:
        found = list(crossway.exports.list())
    return ListOutput(found, _COLUMNS, "No exports: crossway exports create intents", api_json)


@group.command("delete")
@report_api_errors
@prints
def delete(export: Number) -> RecordOutput:
    """Delete an export with its file, also while it is written."""
    with open_client() as crossway:
        crossway.exports.delete(export)
    return RecordOutput(f"Export {export} is deleted", data={"id": export, "deleted": True})


def _write(pieces: Iterable[bytes], to: Path) -> None:
    """Write a file that nobody sees before it is complete."""
    if str(to) == "-":
        for piece in pieces:
            sys.stdout.buffer.write(piece)
        return
    part = to.with_name(f"{to.name}.part")
    with part.open("wb") as file:
        for piece in pieces:
            file.write(piece)
    part.rename(to)

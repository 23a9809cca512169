"""`crossway audit`: the audit log and its verification."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from crossway.cli.errors import cli_principal, open_service, report_errors
from crossway.cli.output import ListOutput, RecordOutput, checked, prints
from crossway.ports.logs import AuditEntry, AuditFilter
from crossway.startup_checks import SetupError
from crossway.storage.backup import audit_head_file
from crossway.usecases.staff import audit

group = typer.Typer(no_args_is_help=True, help="The audit log.")


_COLUMNS: Final[Mapping[str, Callable[[AuditEntry], object]]] = {
    "id": lambda entry: entry.id,
    "at": lambda entry: entry.at,
    "actor": lambda entry: entry.actor,
    "action": lambda entry: entry.action,
    "subject": lambda entry: entry.subject,
    "detail": lambda entry: "; ".join([*_details(entry), *_changes(entry)]),
}


@group.command("list")
@report_errors
@prints
def list_entries(
    actor: Annotated[str, typer.Option(help="Only entries of this actor.")] = "",
    action: Annotated[str, typer.Option(help="Only this action, such as `key created`.")] = "",
    subject: Annotated[
        str, typer.Option(help="Only entries about this subject, such as `intent:12`.")
    ] = "",
    limit: Annotated[int, typer.Option(help="Maximum number of entries, up to 200.")] = 50,
) -> ListOutput[AuditEntry]:
    """List entries, newest first."""
    with open_service() as service:
        filters = AuditFilter(actor=actor, action=action, subject=subject)
        entries = audit.list_entries(service.services, cli_principal(), filters, limit)
    return ListOutput(entries, _COLUMNS, "No such entries.")


def _details(entry: AuditEntry) -> list[str]:
    return [f"{name}={value}" for name, value in entry.detail.items()]


def _changes(entry: AuditEntry) -> list[str]:
    before, after = entry.before or {}, entry.after or {}
    return [f"{name}: {before.get(name)} → {new}" for name, new in after.items()]


@group.command("check")
@report_errors
@prints
def check_entries(
    known: Annotated[
        str, typer.Option(help="A hash printed by an earlier check; the log must still contain it.")
    ] = "",
    backup: Annotated[
        Path | None,
        typer.Option(help="A backup or the file beside it: the log must still contain its hash."),
    ] = None,
) -> RecordOutput:
    """Check that no entry was changed, added or removed, and print the newest hash."""
    if backup is not None:
        known = _read_head(backup)
    with open_service() as service:
        result = audit.verify_log(service.services, cli_principal(), known)
    proven = result.entries - result.unhashed_entries
    passed = f"{proven} entries, none changed; newest hash {result.newest}"
    notes = []
    if result.unhashed_entries:
        notes.append(f"{result.unhashed_entries} entries have no hash: they predate the hashes")
    if result.signed_from > result.first:
        notes.append(f"Entries before {result.signed_from} were signed with it, not by themselves")
    findings = list(_findings(result, known))
    return checked(findings, passed, notes, entries=proven, newest_hash=result.newest)


def _findings(result: audit.AuditVerification, known: str) -> Iterator[str]:
    for number in result.broken:
        yield f"Entry {number} was changed, or an entry before it is missing"
    if not result.holds_known:
        yield f"No entry has the hash {known}: the log was rewritten or truncated"
    if result.unhashed:
        yield "No entry has a hash: changes cannot be detected"
    if not result.signed:
        yield "The newest entry has no signature of the secret key: the log was rewritten"
    for number in result.unsigned:
        yield f"Entry {number} has no signature: it was not written by Crossway"


def _read_head(backup: Path) -> str:
    """The newest hash of the audit log of a backup."""
    file = backup if backup.name.endswith(".audit.json") else audit_head_file(backup)
    try:
        return str(json.loads(file.read_text())["newest"])
    except OSError as error:
        raise SetupError(f"{file} cannot be read: {(error.strerror or '').lower()}") from error
    except (ValueError, KeyError) as error:
        raise SetupError(f"{file} does not have the hash of an audit log") from error

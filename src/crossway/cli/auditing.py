"""`crossway audit`: who changed what, and whether the log itself was changed."""

from typing import Annotated

import typer

from crossway.cli.words import built, in_words, operator
from crossway.ports.logs import AuditFilter
from crossway.usecases.people import audit

group = typer.Typer(no_args_is_help=True, help="Who changed what.")


@group.command("list")
@in_words
def list_entries(
    who: Annotated[str, typer.Option(help="Only what this one did.")] = "",
    what: Annotated[str, typer.Option(help="Only this, such as `key created`.")] = "",
    subject: Annotated[str, typer.Option(help="Only what concerns this, as `intent:12`.")] = "",
    limit: Annotated[int, typer.Option(help="How many entries, at most 200.")] = 50,
) -> None:
    """The newest entries first."""
    with built() as service:
        wanted = AuditFilter(who=who, what=what, subject=subject)
        found = audit.page(service.services, operator(), wanted, limit)
    for entry in found:
        parts = [str(entry.id), f"{entry.at:%Y-%m-%d %H:%M:%S}", entry.who, entry.what]
        parts += [entry.subject, ", ".join(f"{k}={v}" for k, v in entry.detail.items())]
        if entry.after is not None:
            before = entry.before or {}
            parts += [f"{name}: {before.get(name)} → {new}" for name, new in entry.after.items()]
        typer.echo("\t".join(parts))


@group.command("check")
@in_words
def check_entries(
    known: Annotated[
        str, typer.Option(help="A hash that an earlier check told; the log must still hold it.")
    ] = "",
) -> None:
    """Say whether any entry was changed, added or taken out, and tell the newest hash."""
    with built() as service:
        found = audit.check(service.services, operator(), known)
    for number in found.broken:
        typer.echo(f"Entry {number} is not what was written, or one before it is missing")
    if not found.holds_known:
        typer.echo(f"No entry has the hash {known}: the log was written anew or cut short")
    if found.unproven:
        typer.echo(f"{found.unproven} entries have no hash, as those from before there were any")
    if found.bare:
        typer.echo("No entry has a hash: nothing shows whether any was changed")
    if not found.intact:
        raise typer.Exit(1)
    proven = found.entries - found.unproven
    typer.echo(f"{proven} entries, none changed; the newest hash is {found.newest}")

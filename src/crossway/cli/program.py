"""Every command in its place."""

import typer

from crossway.cli import (
    auditing,
    books,
    checking,
    clients,
    contracts,
    data,
    demo,
    doctor,
    intents,
    keys,
    playing,
    quoting,
    remote,
    running,
    secrets,
    staff,
    webhooks,
)

cli = typer.Typer(no_args_is_help=True, add_completion=False, help="Crossway's commands.")
cli.callback()(remote.where)
cli.command("api")(running.api)
cli.command("engine")(running.engine)
cli.command("trigger")(playing.trigger)
cli.command("demo")(demo.month)
cli.command("reconcile")(checking.compare)
cli.command("doctor")(doctor.examine)
cli.command("backup")(data.back_up)
cli.command("restore")(data.restore)
cli.add_typer(auditing.group, name="audit")
cli.add_typer(books.group, name="books")
cli.add_typer(clients.group, name="clients")
cli.add_typer(contracts.group, name="contracts")
cli.add_typer(keys.group, name="keys")
cli.add_typer(secrets.group, name="secrets")
cli.add_typer(staff.group, name="people")
cli.add_typer(intents.group, name="intents")
cli.command("quotes")(quoting.quotes)
cli.add_typer(quoting.ramps, name="ramps")
cli.add_typer(webhooks.group, name="webhooks")

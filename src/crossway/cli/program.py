"""The command tree of `crossway`."""

import typer

from crossway.cli import (
    api_client,
    audit,
    books,
    clients,
    contracts,
    data,
    demo,
    doctor,
    intents,
    keys,
    quotes,
    reconcile,
    secrets,
    serve,
    staff,
    trigger,
    webhooks,
)

cli = typer.Typer(no_args_is_help=True, add_completion=False, help="Crossway's commands.")
cli.callback()(api_client.set_connection_options)
cli.command("api")(serve.api)
cli.command("engine")(serve.engine)
cli.command("trigger")(trigger.trigger)
cli.command("demo")(demo.month)
cli.command("reconcile")(reconcile.compare)
cli.command("doctor")(doctor.examine)
cli.command("backup")(data.back_up)
cli.command("restore")(data.restore)
cli.add_typer(audit.group, name="audit")
cli.add_typer(books.group, name="books")
cli.add_typer(clients.group, name="clients")
cli.add_typer(contracts.group, name="contracts")
cli.add_typer(keys.group, name="keys")
cli.add_typer(secrets.group, name="secrets")
cli.add_typer(staff.group, name="people")
cli.add_typer(intents.group, name="intents")
cli.command("quotes")(quotes.quotes)
cli.add_typer(quotes.ramps, name="ramps")
cli.add_typer(webhooks.group, name="webhooks")

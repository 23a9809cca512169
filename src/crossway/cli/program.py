"""Every command in its place."""

import typer

from crossway.cli import checking, clients, keys, playing, running, secrets

cli = typer.Typer(no_args_is_help=True, add_completion=False, help="Crossway's commands.")
cli.command("api")(running.api)
cli.command("engine")(running.engine)
cli.command("trigger")(playing.trigger)
cli.command("reconcile")(checking.compare)
cli.command("doctor")(checking.examine)
cli.add_typer(clients.group, name="clients")
cli.add_typer(keys.group, name="keys")
cli.add_typer(secrets.group, name="secrets")

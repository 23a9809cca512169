"""The command tree of `crossway`; a command's module is imported when the command is called."""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, Final, NoReturn

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

from crossway.cli import connection, exit_codes
from crossway.cli.usage_errors import UsageError, describe_usage_error

# By name, the module of `crossway.cli` and its function, or its group of further commands.
_COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "serve": ("serve", "serve"),
    "api": ("serve", "api"),
    "engine": ("serve", "engine"),
    "indexer": ("serve", "indexer"),
    "trigger": ("trigger", "trigger"),
    "demo": ("demo", "month"),
    "stop": ("controls", "stop"),
    "release": ("controls", "release"),
    "approvals": ("controls", "group"),
    "addresses": ("controls", "addresses"),
    "reconcile": ("reconcile", "compare"),
    "doctor": ("doctor", "examine"),
    "backup": ("data", "back_up"),
    "restore": ("data", "restore"),
    "quotes": ("quotes", "quotes"),
    "audit": ("audit", "group"),
    "books": ("books", "group"),
    "clients": ("clients", "group"),
    "contracts": ("contracts", "group"),
    "gateway": ("gateway", "group"),
    "keys": ("keys", "group"),
    "secrets": ("secrets", "group"),
    "people": ("staff", "group"),
    "treasury": ("treasury", "group"),
    "intents": ("intents", "group"),
    "links": ("payment_links", "group"),
    "ramp": ("ramp", "group"),
    "webhooks": ("webhooks", "group"),
    "chains": ("lookups", "chains"),
    "search": ("lookups", "search"),
    "whoami": ("lookups", "whoami"),
    "exports": ("exports", "group"),
    "sandbox": ("sandbox", "group"),
    "mcp": ("mcp", "serve"),
}


class _Commands(TyperGroup):
    """Help imports every module; a command, such as the start of a server, only its own."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in _COMMANDS and cmd_name not in self.commands:
            self.commands[cmd_name] = _load(cmd_name)
        return super().get_command(ctx, cmd_name)

    def main(self, *args: Any, **kwargs: Any) -> NoReturn:
        """Run a command and exit; what is wrong with the command line is said in one sentence."""
        try:
            code = super().main(*args, **{**kwargs, "standalone_mode": False})
        except UsageError as error:
            if type(error).__name__ == "NoArgsIsHelpError":
                typer.echo(str(error))
                sys.exit(exit_codes.WRONG_USE)
            typer.echo(f"crossway: {describe_usage_error(error)}", err=True)
            sys.exit(exit_codes.WRONG_USE)
        except typer.Abort:
            # A question was declined, or nobody was there to answer it.
            typer.echo("crossway: nothing was done", err=True)
            sys.exit(exit_codes.FAILED)
        sys.exit(code if isinstance(code, int) else exit_codes.DONE)


def _load(name: str) -> Any:
    """The command as the command-line library knows it."""
    module, attribute = _COMMANDS[name]
    entry: typer.Typer | Callable[..., None]
    entry = getattr(import_module(f"crossway.cli.{module}"), attribute)
    if isinstance(entry, typer.Typer):
        command: Any = get_group(entry)
    else:
        single = typer.Typer(add_completion=False)
        single.command()(entry)
        command = get_command(single)
    command.name = name
    return command


cli = typer.Typer(cls=_Commands, no_args_is_help=True, help="Crossway's commands.")
cli.callback()(connection.set_connection_options)

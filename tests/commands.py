"""`crossway` commands in the process of the tests: starting one for each takes seconds."""

from pathlib import Path

from click.testing import Result
from typer.testing import CliRunner

from crossway.cli.program import cli


def crossway(folder: Path, *arguments: str, typed: str = "", **settings: str) -> Result:
    """The result of a command on an installation in this folder."""
    own = {"CROSSWAY_DATA_DIR": str(folder), "CROSSWAY_DATABASE_URL": "", **settings}
    environment = {name: value or None for name, value in own.items()}
    return CliRunner().invoke(cli, list(arguments), env=environment, input=typed)

"""`crossway trigger`: run one payment scenario."""

from typing import Annotated

import typer

from crossway import plugins
from crossway.cli.errors import report_errors
from crossway.domain.errors import NotFound
from crossway.ports.demo import NOT_INSTALLED


@report_errors
def trigger(
    name: Annotated[str, typer.Argument(help="The scenario's name, such as `over`.")] = "",
    list_all: Annotated[bool, typer.Option("--list", help="List every scenario.")] = False,
) -> None:
    """Run a payment scenario from start to end on a temporary simulated network."""
    scenarios = plugins.find_scenarios()
    if scenarios is None:
        raise NotFound(NOT_INSTALLED)
    if list_all or not name:
        for scenario in scenarios.list_all():
            typer.echo(f"{scenario.number:2}  {scenario.name:28}  {scenario.title}")
        return
    report = scenarios.run(name)
    for line in report.lines:
        typer.echo(line)
    if not report.passed:
        raise typer.Exit(1)

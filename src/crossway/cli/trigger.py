"""`crossway trigger`: run one payment scenario."""

from collections.abc import Callable, Mapping
from typing import Annotated, Final

import typer

from crossway import plugins
from crossway.cli.errors import report_errors
from crossway.cli.output import Format, ListOutput, print_list
from crossway.domain.errors import NotFound
from crossway.ports.demo import NOT_INSTALLED, ScenarioInfo

_COLUMNS: Final[Mapping[str, Callable[[ScenarioInfo], object]]] = {
    "row": lambda scenario: scenario.number,
    "name": lambda scenario: scenario.name,
    "title": lambda scenario: scenario.title,
}
_ALL = 1_000


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
        print_list(ListOutput(scenarios.list_all(), _COLUMNS, ""), Format.TABLE, _ALL)
        return
    report = scenarios.run(name)
    for line in report.lines:
        typer.echo(line)
    if not report.passed:
        raise typer.Exit(1)

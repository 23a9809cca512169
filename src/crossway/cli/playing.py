"""`crossway trigger`: play one way a payment can go."""

from typing import Annotated

import typer

from crossway.cli.words import in_words


@in_words
def trigger(
    name: Annotated[str, typer.Argument(help="A scenario's name, such as `over`.")] = "",
    every: Annotated[bool, typer.Option("--list", help="Name every scenario.")] = False,
) -> None:
    """Play one way a payment can go, from start to end, on a throwaway simulated network."""
    from crossway.scenarios.listing import SCENARIOS, named
    from crossway.scenarios.playing import play

    if every or not name:
        for one in SCENARIOS:
            typer.echo(f"{one.number:2}  {one.name:28}  {one.title}")
        return
    played = play(named(name))
    for line in played.text():
        typer.echo(line)
    if played.wrong:
        raise typer.Exit(1)

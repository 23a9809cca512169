"""The command line, one file a noun; `program.py` puts them together."""


def main() -> None:
    """Run a command; what goes wrong is one sentence, never a traceback."""
    from crossway.cli.program import cli

    cli()

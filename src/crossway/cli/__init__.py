"""The command line: one module per noun, assembled in `program`."""


def main() -> None:
    """Run a command; errors are printed as one sentence without a traceback."""
    from crossway.cli.program import cli

    cli()

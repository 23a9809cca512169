"""The command line: one module per noun, assembled in `program`."""

import gc


def main() -> None:
    """Run a command; errors are printed as one sentence without a traceback."""
    # Imports create many objects and no garbage: collecting meanwhile would only search them.
    gc.disable()
    from crossway.cli.program import cli

    gc.enable()
    cli()

"""`crossway mcp`: the tools of an assistant that works with the payments of a key."""

from typing import Annotated

import typer

from crossway.cli.api_client import check_connection, report_api_errors


@report_api_errors
def serve(
    live: Annotated[
        bool, typer.Option("--live", help="Allow a live key, whose payments are real money.")
    ] = False,
) -> None:
    """Serve the Model Context Protocol on standard input and output: quote, create, show, list,
    find and explain payments, and refund with a confirmation. The key's scopes apply."""
    connection = check_connection()
    # The protocol's library is imported for this command alone.
    from crossway_client.mcp_server.server import run

    run(*connection, live=live)

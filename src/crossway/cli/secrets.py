"""`crossway secrets`: create a secret key, and re-encrypt all data with it."""

import typer
from cryptography.fernet import Fernet

from crossway.cli.errors import ACTOR, open_service, report_errors
from crossway.usecases.operating.key_rotation import rotate_encryption as encrypt_anew

group = typer.Typer(no_args_is_help=True, help="The key that encrypts personal data.")


@group.command("new")
@report_errors
def new() -> None:
    """Print a new secret key. Put it in front of the old one, separated by a comma."""
    typer.echo(Fernet.generate_key().decode())


@group.command("rotate")
@report_errors
def rotate() -> None:
    """Re-encrypt all data with the first secret key, so that the others can be removed. Restart
    every process with all keys first: data encrypted by a process that knows only the old key
    would be lost with it.
    """
    with open_service() as service:
        result = encrypt_anew(service.services, ACTOR)
    for kind, count in result.reencrypted.items():
        typer.echo(f"{kind}: {count} re-encrypted")
    for kind, keys in result.undecryptable.items():
        if keys:
            among = ", ".join(str(key) for key in keys[:10])
            typer.echo(f"{kind}: {len(keys)} that no key decrypts: {among}", err=True)
    if not result.clean:
        typer.echo(
            "Keep the old key: restart every process with the new key first, then run this again",
            err=True,
        )
        raise typer.Exit(1)
    typer.echo(
        "All data is encrypted with the first key. If every process was restarted with it before, "
        "remove the other keys; otherwise restart them now and run this again"
    )

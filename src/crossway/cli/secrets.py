"""`crossway secrets`: a new secret key, and encrypting everything with it."""

import typer
from cryptography.fernet import Fernet

from crossway.cli.words import BY, built, in_words
from crossway.usecases.operating.rotation import rotate as encrypt_anew

group = typer.Typer(no_args_is_help=True, help="The key that encrypts personal data.")


@group.command("new")
@in_words
def new() -> None:
    """Print a new secret key; put it in front of the old one, with a comma between them."""
    typer.echo(Fernet.generate_key().decode())


@group.command("rotate")
@in_words
def rotate() -> None:
    """Encrypt everything with the first of the secret keys, so that the others can go. Restart
    every process with all keys before: what one encrypts that knows the old alone is lost with it.
    """
    with built() as service:
        done = encrypt_anew(service.services, BY)
    for kind, renewed in done.renewed.items():
        typer.echo(f"{kind}: {renewed} encrypted anew")
    for kind, keys in done.lost.items():
        if keys:
            among = ", ".join(str(key) for key in keys[:10])
            typer.echo(f"{kind}: {len(keys)} that none of the keys opens: {among}", err=True)
    if not done.clean:
        typer.echo(
            "The old key must stay: restart every process with the new key first, and try again",
            err=True,
        )
        raise typer.Exit(1)
    typer.echo(
        "Everything is encrypted with the first key. If every process was restarted with it before "
        "that, the others can go; else restart them now, and run this once more"
    )

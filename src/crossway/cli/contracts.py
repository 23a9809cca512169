"""`crossway contracts`: put the contracts on chains, compare them, and let them take tokens."""

from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from crossway.bootstrap import SetupError
from crossway.cli.words import in_words
from crossway.domain.catalogue import ChainKind

group = typer.Typer(no_args_is_help=True, help="The contracts that hold and pay money on chains.")
Chains = Annotated[
    list[str] | None, typer.Option("--chain", help="Only this chain of the profile; repeatable.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Send without asking.")]


@group.command("where")
@in_words
def where() -> None:
    """The addresses of the contracts, the same on every EVM chain; asks no node. With a profile,
    those on its other chains, too."""
    _live().where()


@group.command("deploy")
@in_words
def deploy(
    chain: Chains = None,
    key: Annotated[
        str,
        typer.Option(help="Another account that pays: env:NAME; else the chain's relayer does."),
    ] = "",
    final: Annotated[
        bool,
        typer.Option(
            "--final", help="On Solana: let nobody replace the program any more, for ever."
        ),
    ] = False,
    yes: Yes = False,
) -> None:
    """Put the contracts where they are missing; says what it costs and asks before it sends."""
    _live().deploy(chain, key, yes, final)


@group.command("verify")
@in_words
def verify(chain: Chains = None) -> None:
    """Compare the code on the chains with the code that this version was built with."""
    if not _live().verify(chain):
        raise typer.Exit(1)


@group.command("approve")
@in_words
def approve(
    chain: Annotated[
        list[str], typer.Option("--chain", help="A chain of the profile; repeatable.")
    ],
    token: Annotated[
        list[str] | None,
        typer.Option("--token", help="A symbol such as USDC; else every token that is in stock."),
    ] = None,
    most: Annotated[
        str, typer.Option(help="The most that may be taken, such as 50000; 0 takes it back.")
    ] = "",
    yes: Yes = False,
) -> None:
    """Let the filler pay recipients out of the relayer's tokens; any amount, unless told."""
    _live().approve(chain, token, most, yes)


@group.command("kept")
@in_words
def kept(chain: Chains = None) -> None:
    """What stayed in the escrow of your settled payments: what bridges charge."""
    _live().kept(chain)


@group.command("withdraw")
@in_words
def withdraw(
    chain: Annotated[str, typer.Option(help="A chain of the profile.")],
    token: Annotated[str, typer.Option(help="A symbol such as USDC.")],
    to: Annotated[str, typer.Option(help="Where it goes; the chain's treasury, unless told.")] = "",
    yes: Yes = False,
) -> None:
    """Take all that stayed of a token out of the escrow. The books go on showing it there."""
    _live().withdraw(chain, token, to, yes)


@group.command("reclaim")
@in_words
def reclaim(chain: Chains = None, yes: Yes = False) -> None:
    """Get rent back that payments of long ago do not need any more. The books do not show it."""
    _live().reclaim(chain, yes)


@group.command("account")
@in_words
def account(
    path: Annotated[Path, typer.Argument(help="The new key store; one that exists is left alone.")],
    password: Annotated[str, typer.Option(help="What encrypts it: env:NAME or file:PATH.")],
    family: Annotated[ChainKind, typer.Option(help="Whose keys.")] = "evm",
) -> None:
    """Make a relayer's account: a new key in an encrypted file; tells its address."""
    _live().account(path, password, family)


def _live() -> ModuleType:
    """What works on live chains: its libraries are installed with them."""
    try:
        from crossway.cli import deploying
    except ImportError as error:
        raise SetupError(
            f"{error.name} is not installed: live chains need pip install 'crossway[live]'"
        ) from None
    return deploying

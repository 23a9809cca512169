"""`crossway contracts`: deploy and verify contracts, approve and withdraw tokens."""

from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Annotated

import typer

from crossway.cli.errors import report_errors
from crossway.cli.numbers import record_number
from crossway.domain.catalogue import ChainKind
from crossway.startup_checks import SetupError

group = typer.Typer(no_args_is_help=True, help="Contracts on live chains.")
Chains = Annotated[
    list[str] | None, typer.Option("--chain", help="Only this chain of the profile; repeatable.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Send without confirmation.")]


@group.command("where")
@report_errors
def where() -> None:
    """Print the contract addresses, which are the same on every EVM chain; needs no node. With a
    profile, also those on its other chains."""
    _operations().print_addresses()


@group.command("deploy")
@report_errors
def deploy(
    chain: Chains = None,
    key: Annotated[
        str,
        typer.Option(help="Another account that pays: env:NAME; the chain's relayer by default."),
    ] = "",
    final: Annotated[
        bool,
        typer.Option("--final", help="On Solana: remove the upgrade authority permanently."),
    ] = False,
    yes: Yes = False,
) -> None:
    """Deploy missing contracts, of bridges those that the profile names; prints the maximum cost
    and asks before it sends."""
    if not _operations().deploy(chain, key, yes, final):
        raise typer.Exit(1)


@group.command("verify")
@report_errors
def verify(chain: Chains = None) -> None:
    """Compare the deployed code with the code of this version."""
    if not _operations().verify(chain):
        raise typer.Exit(1)


@group.command("approve")
@report_errors
def approve(
    chain: Annotated[
        list[str], typer.Option("--chain", help="A chain of the profile; repeatable.")
    ],
    token: Annotated[
        list[str] | None,
        typer.Option(
            "--token", help="A symbol such as USDC; by default every token with a balance."
        ),
    ] = None,
    limit: Annotated[
        str, typer.Option(help="Maximum amount, such as 50000; 0 revokes. Unlimited by default.")
    ] = "",
    yes: Yes = False,
) -> None:
    """Approve the filler contract to pay recipients with the relayer's tokens."""
    _operations().approve(chain, token, limit, yes)


@group.command("agent")
@report_errors
def agent(
    chain: Chains = None,
    account: Annotated[
        str, typer.Option("--agent", help="The agent's address; the chain's relayer by default.")
    ] = "",
    revoke: Annotated[
        bool, typer.Option("--revoke", help="The call that takes the permission back.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Ask the chains instead who has named the relayer.")
    ] = False,
) -> None:
    """Print what a coordinator signs to name the relayer its agent: needs no node and no key."""
    if not check:
        _coordinator_operations().print_agent_calls(chain, account, revoke)
    elif not _coordinator_operations().check_agents(chain):
        raise typer.Exit(1)


@group.command("retained")
@report_errors
def retained(chain: Chains = None) -> None:
    """Print what a coordinator can withdraw: spreads that the escrow retained, and what bridges'
    contracts owe."""
    _coordinator_operations().print_retained(chain)


@group.command("withdraw")
@report_errors
def withdraw(
    chain: Annotated[str, typer.Option(help="A chain of the profile.")],
    token: Annotated[str, typer.Option(help="A symbol such as USDC.")],
    to: Annotated[str, typer.Option(help="Recipient; the chain's treasury by default.")] = "",
    coordinator: Annotated[
        str, typer.Option(help="Whose balance; that of the chain's coordinator by default.")
    ] = "",
    yes: Yes = False,
) -> None:
    """Withdraw what the escrow retained and bridges' contracts owe of a token; prints the calls
    where another account than the relayer has to sign them. The engine books it once it is
    final."""
    _coordinator_operations().withdraw(chain, token, to, coordinator, yes)


@group.command("unpark")
@report_errors
def unpark(
    payment: Annotated[int, record_number("The number of a payment that is parked.")],
    yes: Yes = False,
) -> None:
    """Credit to the coordinator what a bridge's contract has parked for 30 days, as its token
    refuses the recipient; prints the call where another account than the relayer has to sign it.
    The engine books it."""
    _coordinator_operations().unpark(payment, yes)


@group.command("reclaim")
@report_errors
def reclaim(chain: Chains = None, yes: Yes = False) -> None:
    """Reclaim the rent of old payments. The books do not record this."""
    _operations().reclaim(chain, yes)


@group.command("account")
@report_errors
def account(
    path: Annotated[
        Path, typer.Argument(help="The new keystore file; an existing file is not overwritten.")
    ],
    password: Annotated[str, typer.Option(help="Password of the keystore: env:NAME or file:PATH.")],
    family: Annotated[ChainKind, typer.Option(help="Chain family of the key.")] = "evm",
) -> None:
    """Create a relayer account: a new key in an encrypted file; prints its address."""
    _operations().account(path, password, family)


def _operations() -> ModuleType:
    """The module that works on live chains; its libraries are optional."""
    return _import("contract_operations")


def _coordinator_operations() -> ModuleType:
    """The module of what concerns the coordinator, likewise."""
    return _import("coordinator_operations")


def _import(name: str) -> ModuleType:
    try:
        return import_module(f"crossway.cli.{name}")
    except ImportError as error:
        problem = f"{error.name} is not installed: live chains need pip install 'crossway[live]'"
        raise SetupError(problem) from None

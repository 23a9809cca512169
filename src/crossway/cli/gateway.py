"""`crossway gateway`: the unified balance at Circle Gateway, and what its depositor signs."""

from importlib import import_module
from types import ModuleType
from typing import Annotated

import typer

from crossway.cli.errors import report_errors
from crossway.startup_checks import SetupError

group = typer.Typer(no_args_is_help=True, help="The unified balance of USDC at Circle Gateway.")
Chain = Annotated[str, typer.Option(help="A chain of the profile.")]
Chains = Annotated[
    list[str] | None, typer.Option("--chain", help="Only this chain of the profile; repeatable.")
]
Yes = Annotated[bool, typer.Option("--yes", help="Send without confirmation.")]


@group.command("balance")
@report_errors
def balance(chain: Chains = None) -> None:
    """Print by chain what can be minted of the unified balance, what the wallet contract has, and
    whether the relayer may sign."""
    _operations().print_balances(chain)


@group.command("deposit")
@report_errors
def deposit(
    chain: Chain,
    amount: Annotated[str, typer.Option(help="How much USDC, such as 50000.")],
    yes: Yes = False,
) -> None:
    """Deposit into the unified balance, by an exact approval and the contract's own function; never
    send USDC to the contract. Prints the calls where the depositor is another account than the
    relayer."""
    _operations().deposit(chain, amount, yes)


@group.command("delegate")
@report_errors
def delegate(
    chain: Chains = None,
    account: Annotated[
        str, typer.Option("--delegate", help="The delegate; the chain's relayer by default.")
    ] = "",
    revoke: Annotated[
        bool, typer.Option("--revoke", help="The call that takes the permission back.")
    ] = False,
) -> None:
    """Print what the depositor signs so that the relayer may sign burn intents, or no longer: what
    it signed before is still burnt. Needs no node."""
    _operations().print_delegate_calls(chain, account, revoke)


@group.command("withdraw")
@report_errors
def withdraw(
    chain: Chain,
    amount: Annotated[
        str, typer.Option(help="How much USDC; all that is available by default.")
    ] = "",
    yes: Yes = False,
) -> None:
    """The way out without Circle: begin a withdrawal, which takes about a week, and once its time
    has come, take it out. Prints the call where the depositor is another account than the
    relayer."""
    _operations().withdraw(chain, amount, yes)


def _operations() -> ModuleType:
    """The module that works on live chains; its libraries are optional."""
    try:
        return import_module("crossway.cli.gateway_operations")
    except ImportError as error:
        problem = f"{error.name} is not installed: live chains need pip install 'crossway[live]'"
        raise SetupError(problem) from None

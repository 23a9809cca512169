"""The part of `crossway contracts` that concerns the coordinator: naming agents, and withdrawing
what is retained. Where its key is elsewhere, calls are printed for a wallet of its own."""

from collections.abc import Sequence
from functools import partial

import typer

from crossway.adapters.chains.rpc.operator_txs import UnsignedCall, describe_withdrawal
from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.rpc.protocols import ChainOperator, HasParking
from crossway.cli.contract_operations import execute, load_profile, make_plan, open_chains
from crossway.cli.errors import cli_principal, open_service
from crossway.domain.bridge_transfer import Custody
from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.money import format_units
from crossway.startup_checks import SetupError
from crossway.usecases.money import address_book, emergency_stop
from crossway.usecases.payments import intents


def print_agent_calls(names: Sequence[str] | None, agent: str, revoke: bool) -> None:
    """Print what the coordinator of each chain signs to name its agent, by default the relayer, or
    to revoke it. Reads no node."""
    _, profile = load_profile()
    chosen = names or [name for name, chain in profile.chains.items() if chain.coordinator]
    if not chosen:
        raise SetupError("no chain of the profile has a coordinator other than its relayer")
    for name, operator in open_chains(chosen, signs=False):
        accounts = operator.chain.accounts
        account = _parse_address(operator, "agent", agent or accounts.relayer)
        if account == accounts.coordinator:
            raise SetupError(f"{name}: {account} is the coordinator itself and needs no permission")
        try:
            calls = operator.agent_calls(account, not revoke)
        except ValueError as error:
            raise SetupError(str(error)) from None
        what = f"{account} no longer acts for it" if revoke else f"{account} acts for it"
        print_calls(name, accounts.coordinator, what, calls)


def check_agents(names: Sequence[str] | None) -> bool:
    """Print whether each coordinator lets the relayer act as its agent; true if all do."""
    results = []
    for name, operator in open_chains(names, signs=False):
        accounts = operator.chain.accounts
        missing = operator.missing_permissions(accounts.coordinator)
        if accounts.coordinator == accounts.relayer:
            text = f"the relayer {accounts.relayer} is the coordinator"
        elif missing:
            text = f"{accounts.coordinator} has not {', '.join(missing)}"
        else:
            text = f"{accounts.coordinator} has named the relayer {accounts.relayer} its agent"
        typer.echo(f"{'✗' if missing else '✓'} {name}: {text}")
        results.append(not missing)
    return all(results)


def print_retained(names: Sequence[str] | None) -> None:
    """Print the token balances that the contracts retain for the coordinator, and for the relayer
    from the time when it was the coordinator."""
    catalogue, _ = load_profile()
    for name, operator in open_chains(names, signs=False):
        accounts = operator.chain.accounts
        whose = "" if accounts.coordinator == accounts.relayer else " for {}"
        tokens = {token.address: token for token in catalogue.by_chain[name]}.values()
        for coordinator in dict.fromkeys((accounts.coordinator, accounts.relayer)):
            for token in tokens:
                if units := operator.retained_amount(token.address, coordinator):
                    amount = f"{format_units(units, token.decimals)} {token.symbol}"
                    typer.echo(f"{name}: {amount}{whose.format(coordinator)}")


def withdraw(name: str, symbol: str, to: str, coordinator: str, yes: bool) -> None:
    """Withdraw what is retained of a token for a coordinator, by default the profile's, to the
    treasury by default. Where the coordinator is not the relayer, print what it has to sign.
    Refused while all outgoing money is stopped, and to other addresses that are not booked."""
    catalogue, profile = load_profile()
    signs = name not in profile.chains or _is_relayer(profile.chains[name], coordinator)
    for _, operator in open_chains([name], signs):
        accounts, token = operator.chain.accounts, catalogue.token(name, symbol, "token")
        receiver = _parse_address(operator, "to", to or accounts.treasury)
        owner = _parse_address(operator, "coordinator", coordinator or accounts.coordinator)
        if not (units := operator.retained_amount(token.address, owner)):
            typer.echo(f"{name}: the contracts retained no {symbol}")
            continue
        _require_allowed(name, receiver, accounts.treasury)
        if owner == accounts.relayer:
            plan = make_plan(partial(operator.plan_withdrawal, token, receiver, units))
            execute(operator, plan, yes)
        else:
            calls = operator.withdrawal_calls(token, receiver, owner)
            print_calls(name, owner, describe_withdrawal(token, receiver, units), calls)


def _require_allowed(name: str, receiver: str, treasury: str) -> None:
    with open_service() as service:
        services = service.services
        if (stop := emergency_stop.get_stop(services, cli_principal())) is not None:
            raise InvalidStatus(emergency_stop.describe_hold(stop))
        if receiver != treasury:
            # A writing unit of work, as the entry is locked.
            services.store.write(
                lambda unit: address_book.require_usable(unit, services, name, receiver)
            )


def unpark(payment: int, yes: bool) -> None:
    """Take out what is parked for a payment, or print what its coordinator has to sign."""
    with open_service() as service:
        intent = intents.get_by_id(service.services, cli_principal(), payment)
    name, owner = intent.terms.destination_chain, intent.coordinator
    _, profile = load_profile()
    signs = name not in profile.chains or _is_relayer(profile.chains[name], owner)
    for _, operator in open_chains([name], signs):
        nothing = f"payment {payment}: nothing is parked for it on {name}"
        if intent.custody is not Custody.BRIDGE or not isinstance(operator, HasParking):
            raise InvalidInput(nothing)
        if (able_from := operator.unpark_time(intent)) is None:
            raise InvalidInput(nothing)
        if able_from > operator.chain.heads().time:
            when = able_from.strftime("%Y-%m-%d %H:%M UTC")
            raise InvalidInput(f"payment {payment}: what is parked can be taken out from {when}")
        if owner == operator.chain.accounts.relayer:
            execute(operator, make_plan(partial(operator.plan_unpark, intent)), yes)
        else:
            what = f"what is parked for payment {payment} is owed to it, to withdraw"
            print_calls(name, owner, what, [operator.unpark_call(intent)])


def _is_relayer(chain: ChainProfile, coordinator: str) -> bool:
    """Whether a coordinator, by default that of the profile, is the relayer, whose key is here."""
    coordinator = coordinator or chain.coordinator
    return not coordinator or coordinator == (chain.account or chain.relayer)


def _parse_address(operator: ChainOperator, field: str, text: str) -> str:
    try:
        return operator.chain.canonical_address(text)
    except ValueError as error:
        raise InvalidInput(f"{field} {error}") from None


def print_calls(
    name: str, account: str, what: str, calls: Sequence[UnsignedCall], role: str = "coordinator"
) -> None:
    """Print calls that an account signs whose key is not here."""
    typer.echo(f"{name}: the {role} {account} signs, with a wallet of its own: {what}")
    for number, call in enumerate(calls, start=1):
        if len(calls) > 1:
            typer.echo(f"  call {number} of {len(calls)}")
        typer.echo(f"  chain id  {call.chain_id}")
        typer.echo(f"  to        {call.contract}")
        typer.echo("  value     0")
        typer.echo(f"  data      {call.data}")
        typer.echo(f"  which is  {call.function} {' '.join(call.arguments)}")

"""The work of `crossway contracts` on the chains of a profile, with its console output."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import typer

from crossway import catalogue as catalogue_data
from crossway.adapters.chain_families import load_family
from crossway.adapters.chains.rpc.family import ChainFamily, ChainSettings
from crossway.adapters.chains.rpc.keys import KeyMissing, Keyring, create_keystore, environment
from crossway.adapters.chains.rpc.operator_txs import TxPlan
from crossway.adapters.chains.rpc.profile import Profile, read_profile
from crossway.adapters.chains.rpc.protocols import ChainOperator, HasRent, HasUpgradeAuthority
from crossway.cli.operator_booking import book
from crossway.domain.catalogue import Catalogue, ChainKind
from crossway.domain.errors import InvalidInput
from crossway.domain.money import Token, format_units, parse_decimal
from crossway.settings import Settings, write_private
from crossway.startup_checks import SetupError


def print_addresses() -> None:
    """Print the contract addresses: those on EVM chains, and with a profile those on its others."""
    for location in open_family("evm").contract_locations(None):
        typer.echo(f"{location.name:16}{location.address}")
    if Settings().profile is None:
        return
    catalogue, profile = load_profile()
    for name, chain in profile.chains.items():
        if catalogue.chains[name].kind != "evm":
            for location in open_family(catalogue.chains[name].kind).contract_locations(chain):
                typer.echo(f"{name}: {location.name:16}{location.address}")


def deploy(names: Sequence[str] | None, key: str, yes: bool, final: bool = False) -> bool:
    """Deploy missing contracts; `key` names another account that pays. `final` removes the upgrade
    authority, on chains that have one. False where a contract cannot be deployed."""
    complete = True
    for name, operator in open_chains(names):
        plan = make_plan(partial(operator.plan_deployment, key))
        for sentence in plan.left_out:
            complete = False
            typer.echo(sentence)
        if plan.transactions:
            execute(operator, plan, yes)
            _check_contracts(operator)
        elif not plan.left_out:
            typer.echo(f"{name}: all contracts are deployed with the expected code")
        if final and isinstance(operator, HasUpgradeAuthority):
            finishing = make_plan(operator.plan_finalization)
            if finishing.transactions:
                execute(operator, finishing, yes)
            typer.echo(f"{name}: the program can no longer be upgraded")
    return complete


def verify(names: Sequence[str] | None) -> bool:
    """Print whether each contract has the expected code; true if all have."""
    results = [_check_contracts(operator) for _, operator in open_chains(names, signs=False)]
    return all(results)


def approve(
    names: Sequence[str], symbols: Sequence[str] | None, max_amount: str, yes: bool
) -> None:
    """Approve tokens of the relayer; `max_amount` is in whole tokens, unlimited if empty."""
    catalogue, _ = load_profile()
    if max_amount and len(symbols or ()) != 1:
        raise InvalidInput("--limit needs exactly one --token")
    for name, operator in open_chains(names):
        tokens = _select_tokens(catalogue, operator, symbols)
        units = parse_decimal("limit", max_amount, tokens[0].decimals) if max_amount else None
        plan = make_plan(partial(operator.plan_approval, tokens, units))
        if not plan.transactions:
            typer.echo(f"{name}: nothing to change")
            continue
        execute(operator, plan, yes)


def reclaim(names: Sequence[str] | None, yes: bool) -> None:
    """Reclaim rent of old accounts, on chains that charge rent."""
    for name, operator in open_chains(names):
        if not isinstance(operator, HasRent):
            typer.echo(f"{name}: charges no rent")
            continue
        plan = make_plan(operator.plan_rent_reclaim)
        if not plan.transactions:
            typer.echo(f"{name}: no rent can be reclaimed yet")
            continue
        execute(operator, plan, yes)


def account(path: Path, password: str, kind: ChainKind) -> None:
    """Write a new key to an encrypted file that only its owner can read."""
    try:
        signer, stored = create_keystore(open_family(kind).keys, password, environment())
    except KeyMissing as error:
        raise SetupError(str(error)) from None
    write_private(path, stored)
    typer.echo(f"{path} holds the key of {signer.address}")
    typer.echo("Back up this file and its password: without them the account's funds are lost")


def open_chains(
    names: Sequence[str] | None, signs: bool = True
) -> Iterator[tuple[str, ChainOperator]]:
    """The requested chains of the profile one after the other, each closed before the next; with
    their keys where this `signs`. Raises `SetupError` and `InvalidInput`."""
    catalogue, profile = load_profile()
    ring = Keyring(environment(), not signs, profile.signers)
    for name in select_chains(profile, names):
        with open_chain(catalogue, profile, name, ring) as operator:
            yield name, operator


def open_family(kind: ChainKind) -> ChainFamily:
    """A family of chains. Raises `SetupError` where its libraries are not installed."""
    try:
        return load_family(kind)
    except ValueError as error:
        raise SetupError(str(error)) from None


def make_plan(plan: Callable[[], TxPlan]) -> TxPlan:
    """A plan; raises `SetupError` where there can be none."""
    try:
        return plan()
    except ValueError as error:
        raise SetupError(str(error)) from None


def load_profile() -> tuple[Catalogue, Profile]:
    """The catalogue and the profile that CROSSWAY_PROFILE names. Raises `SetupError`."""
    settings, catalogue = Settings(), catalogue_data.load_catalogue()
    if settings.profile is None:
        raise SetupError("CROSSWAY_PROFILE must name the file of the live environment's profile")
    try:
        return catalogue, read_profile(settings.profile, catalogue)
    except ValueError as error:
        raise SetupError(str(error)) from None


def select_chains(profile: Profile, names: Sequence[str] | None) -> list[str]:
    """The requested chains of the profile; all without a request. Raises `InvalidInput`."""
    if unknown := [name for name in names or () if name not in profile.chains]:
        available = ", ".join(profile.chains)
        raise InvalidInput(f"chain: the profile has no {', '.join(unknown)}; it has {available}")
    return list(names or profile.chains)


@contextmanager
def open_chain(
    catalogue: Catalogue, profile: Profile, name: str, ring: Keyring
) -> Iterator[ChainOperator]:
    """A chain's operator with its key, closed after the block. Raises `SetupError`."""
    try:
        chain_family = open_family(catalogue.chains[name].kind)
        bridges = profile.contract_users
        settings = ChainSettings(catalogue, name, profile.chains[name], ring, bridges)
        operator = chain_family.open_chain(settings)
    except ValueError as error:
        raise SetupError(str(error)) from None
    try:
        yield operator
    finally:
        operator.chain.close()


def _select_tokens(
    catalogue: Catalogue, operator: ChainOperator, symbols: Sequence[str] | None
) -> list[Token]:
    name = operator.chain.id
    if symbols:
        tokens = [catalogue.token(name, symbol, "token") for symbol in symbols]
    else:
        tokens = [token for token in catalogue.by_chain[name] if token.enabled and not token.native]
        balances = operator.token_balances(tokens)
        tokens = [token for token in tokens if balances[token.address]]
    if native := [token.symbol for token in tokens if token.native]:
        raise InvalidInput(f"token: {native[0]} is the chain's native coin and needs no approval")
    return list({token.address: token for token in tokens}.values())


def execute(
    operator: ChainOperator, plan: TxPlan, yes: bool, unified: Mapping[str, str] | None = None
) -> None:
    """Print a plan with its costs, ask unless `yes`, send it, and book it; `unified` maps contracts
    that hold a unified balance to its location. Raises `SetupError`."""
    chain, name = catalogue_data.load_catalogue().chains[operator.chain.id], operator.chain.id

    def coins(units: int) -> str:
        return f"{format_units(units, chain.native_decimals)} {chain.native_symbol}"

    typer.echo(f"{name}: {plan.account} sends")
    for tx in plan.transactions:
        typer.echo(f"  {tx.description}: at most {tx.gas_limit:,} {plan.gas_unit}")
    typer.echo(f"  at most {coins(plan.max_cost)} in total; balance {coins(plan.balance)}")
    if plan.balance < plan.max_cost:
        raise SetupError(f"{name}: {plan.account} has insufficient {chain.native_symbol}")
    if not yes:
        typer.confirm("Send?", abort=True)
    used = 0
    for tx in plan.transactions:

        def sent(tx_id: str, description: str = tx.description) -> None:
            typer.echo(f"  sent: {description}: {chain.tx_url(tx_id)}")

        try:
            result = tx.send(sent)
        except ValueError as error:
            raise SetupError(str(error)) from None
        book(operator, plan.account, result.tx_id, unified)
        if not result.succeeded:
            raise SetupError(f"{name}: {tx.description}: {result.tx_id} reverted")
        used += result.gas_used
    typer.echo(f"  done, {used:,} {plan.gas_unit}")


def _check_contracts(operator: ChainOperator) -> bool:
    contracts = operator.check_contracts()
    for contract in contracts:
        mark, text = ("✗", contract.problem) if contract.problem else ("✓", "the expected code")
        typer.echo(f"{mark} {operator.chain.id} {contract.name} at {contract.address}: {text}")
    return not any(contract.problem for contract in contracts)

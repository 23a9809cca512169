"""Carrying out `crossway contracts` on the chains of a profile, and telling what happens."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import typer

from crossway import catalogue as catalogue_data
from crossway.adapters.chains.evm import errands
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.contracts import artifact, deployment
from crossway.adapters.chains.evm.errands import Errand, Plan, contract_addresses, contract_trouble
from crossway.adapters.chains.evm.keys import KeyMissing, Keyring, environment, signer_of
from crossway.adapters.chains.evm.keystores import new_keystore
from crossway.adapters.chains.evm.opening import open_chain
from crossway.adapters.chains.evm.profile import Profile, read_profile
from crossway.bootstrap import SetupError
from crossway.domain.catalogue import Catalogue
from crossway.domain.errors import InvalidInput
from crossway.domain.money import Token, format_units, parse_decimal
from crossway.ports.signing import Signer
from crossway.settings import Settings, write_private


def where() -> None:
    """Tell the addresses of the contracts."""
    for name, address in contract_addresses(deployment()).items():
        typer.echo(f"{name:16}{address}  {len(artifact(name).runtime):,} bytes")


def deploy(names: Sequence[str] | None, key: str, yes: bool) -> None:
    """Deploy what is missing; `key` names another account that pays."""
    (catalogue, profile), ring = live_profile(), Keyring(environment())
    payer = _payer(key)
    for name in chosen(profile, names):
        with opened_chain(catalogue, profile, name, ring) as opened:
            signer = payer or opened.ground.signer
            plan = _planned(partial(errands.deployment_plan, opened, signer))
            if not plan.errands:
                typer.echo(f"{name}: everything is there, with the expected code")
                continue
            _carry_out(opened, signer, plan, yes)
            _compare(opened)


def verify(names: Sequence[str] | None) -> bool:
    """Tell whether each contract is the expected one; answers whether all are."""
    (catalogue, profile), ring = live_profile(), Keyring(environment())
    wrong = []
    for name in chosen(profile, names):
        with opened_chain(catalogue, profile, name, ring) as opened:
            wrong += [] if _compare(opened) else [name]
    return not wrong


def approve(names: Sequence[str], symbols: Sequence[str] | None, most: str, yes: bool) -> None:
    """Approve tokens of the relayer; `most` is in whole tokens, any amount when empty."""
    (catalogue, profile), ring = live_profile(), Keyring(environment())
    if most and len(symbols or ()) != 1:
        raise InvalidInput("--most needs one --token, as it is an amount of it")
    for name in chosen(profile, names):
        with opened_chain(catalogue, profile, name, ring) as opened:
            tokens = _tokens(catalogue, opened, name, symbols)
            units = parse_decimal("most", most, tokens[0].decimals) if most else errands.EVERYTHING
            plan = _planned(partial(errands.approval_plan, opened, tokens, units))
            if not plan.errands:
                typer.echo(f"{name}: nothing to change")
                continue
            _carry_out(opened, opened.ground.signer, plan, yes)


def kept(names: Sequence[str] | None) -> None:
    """Tell what stayed in the escrow."""
    (catalogue, profile), ring = live_profile(), Keyring(environment())
    for name in chosen(profile, names):
        with opened_chain(catalogue, profile, name, ring) as opened:
            for token in {one.address: one for one in catalogue.by_chain[name]}.values():
                if units := errands.kept_units(opened, token.address):
                    typer.echo(f"{name}: {format_units(units, token.decimals)} {token.symbol}")


def withdraw(name: str, symbol: str, to: str, yes: bool) -> None:
    """Take what stayed of a token out of the escrow, to the treasury unless told."""
    (catalogue, profile), ring = live_profile(), Keyring(environment())
    chosen(profile, [name])
    token = catalogue.token(name, symbol, "token")
    with opened_chain(catalogue, profile, name, ring) as opened:
        try:
            receiver = opened.canonical_address(to or opened.own.treasury)
        except ValueError as error:
            raise InvalidInput(f"to {error}") from None
        if not (units := errands.kept_units(opened, token.address)):
            typer.echo(f"{name}: no {symbol} stayed in the escrow")
            return
        plan = _planned(partial(errands.withdrawal_plan, opened, token, receiver, units))
        _carry_out(opened, opened.ground.signer, plan, yes)


def account(path: Path, password: str) -> None:
    """Write a new key to an encrypted file that only its owner reads."""
    try:
        address, stored = new_keystore(password, environment())
    except KeyMissing as error:
        raise SetupError(str(error)) from None
    write_private(path, stored)
    typer.echo(f"{path} holds the key of {address}")
    typer.echo(
        "Keep a copy of it and of its password: without them, what the account holds is lost"
    )


def _planned(plan: Callable[[], Plan]) -> Plan:
    try:
        return plan()
    except ValueError as error:
        raise SetupError(str(error)) from None


def live_profile() -> tuple[Catalogue, Profile]:
    """The catalogue and the profile that CROSSWAY_PROFILE names; refuses in words."""
    settings, catalogue = Settings(), catalogue_data.load()
    if settings.profile is None:
        raise SetupError("CROSSWAY_PROFILE must name the file of the live network's chains")
    try:
        return catalogue, read_profile(settings.profile, catalogue)
    except ValueError as error:
        raise SetupError(str(error)) from None


def chosen(profile: Profile, names: Sequence[str] | None) -> list[str]:
    """The chains that were asked for, else all of the profile."""
    if strange := [name for name in names or () if name not in profile.chains]:
        there = ", ".join(profile.chains)
        raise InvalidInput(f"chain: the profile has no {', '.join(strange)}; it has {there}")
    return list(names or profile.chains)


@contextmanager
def opened_chain(
    catalogue: Catalogue, profile: Profile, name: str, ring: Keyring
) -> Iterator[EvmChain]:
    """A chain with its key for the length of a block; refuses in words."""
    try:
        chain = open_chain(catalogue, name, profile.chains[name], environment(), ring)
    except ValueError as error:
        raise SetupError(str(error)) from None
    try:
        yield chain
    finally:
        chain.close()


def _payer(reference: str) -> Signer | None:
    try:
        return signer_of(reference, "", environment()) if reference else None
    except KeyMissing as error:
        raise SetupError(f"--key: {error}") from None


def _tokens(
    catalogue: Catalogue, chain: EvmChain, name: str, symbols: Sequence[str] | None
) -> list[Token]:
    if symbols:
        found = [catalogue.token(name, symbol, "token") for symbol in symbols]
    else:
        found = [one for one in catalogue.by_chain[name] if one.enabled and not one.native]
        owner, places = chain.own.relayer, [one.address for one in found]
        held = chain.ground.nodes.one(lambda line: errands.holdings(line, owner, places))
        found = [one for one in found if held[one.address]]
    if native := [one.symbol for one in found if one.native]:
        raise InvalidInput(f"token: {native[0]} is the chain's own coin and needs no approval")
    return list({one.address: one for one in found}.values())


def _carry_out(chain: EvmChain, signer: Signer, plan: Plan, yes: bool) -> None:
    facts = chain.ground.chain

    def coins(units: int) -> str:
        return f"{format_units(units, facts.native_decimals)} {facts.native_symbol}"

    typer.echo(f"{chain.id}: {plan.account} sends")
    for errand in plan.errands:
        typer.echo(f"  {errand.what}: at most {errand.gas:,} gas")
    typer.echo(f"  at most {coins(plan.cost)} in all; it holds {coins(plan.funds)}")
    if plan.funds < plan.cost:
        raise SetupError(f"{chain.id}: {plan.account} holds too little {facts.native_symbol}")
    if not yes:
        typer.confirm("Send?", abort=True)

    def sent(errand: Errand, tx_id: str) -> None:
        typer.echo(f"  sent: {errand.what}: {facts.tx_url(tx_id)}")

    try:
        done = errands.run(chain, signer, plan, sent)
    except ValueError as error:
        raise SetupError(str(error)) from None
    if failed := [one for one in done if not one.worked]:
        raise SetupError(f"{chain.id}: {failed[0].errand.what}: {failed[0].tx_id} reverted")
    typer.echo(f"  done, {sum(one.gas for one in done):,} gas")


def _compare(chain: EvmChain) -> bool:
    at = chain.ground.at
    trouble = chain.ground.nodes.one(lambda line: contract_trouble(line, at))
    for name, address in contract_addresses(at).items():
        mark, said = ("✗", trouble[name]) if trouble[name] else ("✓", "the expected code")
        typer.echo(f"{mark} {chain.id} {name} at {address}: {said}")
    return not any(trouble.values())

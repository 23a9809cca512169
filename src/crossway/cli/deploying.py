"""Carrying out `crossway contracts` on the chains of a profile, and telling what happens."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import typer

from crossway import catalogue as catalogue_data
from crossway.adapters.chains.families import family
from crossway.adapters.chains.live.errands import Plan
from crossway.adapters.chains.live.families import Opened, Renting, Replaceable
from crossway.adapters.chains.live.keys import KeyMissing, Keyring, environment
from crossway.adapters.chains.live.keystores import new_keystore
from crossway.adapters.chains.live.profile import Profile, read_profile
from crossway.bootstrap import SetupError
from crossway.domain.catalogue import Catalogue, ChainKind
from crossway.domain.errors import InvalidInput
from crossway.domain.money import Token, format_units, parse_decimal
from crossway.settings import Settings, write_private


def where() -> None:
    """Tell where the contracts lie: on EVM chains without a profile, on others with one."""
    for one in family("evm").placed(None):
        typer.echo(f"{one.name:16}{one.address}")
    if Settings().profile is None:
        return
    catalogue, profile = live_profile()
    for name, chain in profile.chains.items():
        if catalogue.chains[name].kind != "evm":
            for one in family(catalogue.chains[name].kind).placed(chain):
                typer.echo(f"{name}: {one.name:16}{one.address}")


def deploy(names: Sequence[str] | None, key: str, yes: bool, final: bool = False) -> None:
    """Deploy what is missing; `key` names another account that pays. `final`: nobody may replace it
    afterwards, where that is not so anyway."""
    for name, opened in _each(names):
        plan = _planned(partial(opened.deployment, key))
        if plan.errands:
            _carry_out(opened, plan, yes)
            _compare(opened)
        else:
            typer.echo(f"{name}: everything is there, with the expected code")
        if final and isinstance(opened, Replaceable):
            finishing = _planned(opened.finishing)
            if finishing.errands:
                _carry_out(opened, finishing, yes)
            typer.echo(f"{name}: nobody can replace the program any more")


def verify(names: Sequence[str] | None) -> bool:
    """Tell whether each contract is the expected one; answers whether all are."""
    right = [_compare(opened) for _, opened in _each(names)]
    return all(right)


def approve(names: Sequence[str], symbols: Sequence[str] | None, most: str, yes: bool) -> None:
    """Approve tokens of the relayer; `most` is in whole tokens, any amount when empty."""
    catalogue, _ = live_profile()
    if most and len(symbols or ()) != 1:
        raise InvalidInput("--most needs one --token, as it is an amount of it")
    for name, opened in _each(names):
        tokens = _tokens(catalogue, opened, symbols)
        units = parse_decimal("most", most, tokens[0].decimals) if most else None
        plan = _planned(partial(opened.approval, tokens, units))
        if not plan.errands:
            typer.echo(f"{name}: nothing to change")
            continue
        _carry_out(opened, plan, yes)


def kept(names: Sequence[str] | None) -> None:
    """Tell what stayed in the escrow."""
    catalogue, _ = live_profile()
    for name, opened in _each(names):
        for token in {one.address: one for one in catalogue.by_chain[name]}.values():
            if units := opened.kept(token.address):
                typer.echo(f"{name}: {format_units(units, token.decimals)} {token.symbol}")


def withdraw(name: str, symbol: str, to: str, yes: bool) -> None:
    """Take what stayed of a token out of the escrow, to the treasury unless told."""
    catalogue, _ = live_profile()
    for _, opened in _each([name]):
        token = catalogue.token(name, symbol, "token")
        try:
            receiver = opened.chain.canonical_address(to or opened.chain.own.treasury)
        except ValueError as error:
            raise InvalidInput(f"to {error}") from None
        if not (units := opened.kept(token.address)):
            typer.echo(f"{name}: no {symbol} stayed in the escrow")
            return
        plan = _planned(partial(opened.withdrawal, token, receiver, units))
        _carry_out(opened, plan, yes)


def reclaim(names: Sequence[str] | None, yes: bool) -> None:
    """Get the rent of old notes back, on chains that take rent."""
    for name, opened in _each(names):
        if not isinstance(opened, Renting):
            typer.echo(f"{name}: takes no rent")
            continue
        plan = _planned(opened.reclaiming)
        if not plan.errands:
            typer.echo(f"{name}: nothing can be given back yet")
            continue
        _carry_out(opened, plan, yes)


def account(path: Path, password: str, kind: ChainKind) -> None:
    """Write a new key to an encrypted file that only its owner reads."""
    try:
        signer, stored = new_keystore(family(kind).KEYS, password, environment())
    except KeyMissing as error:
        raise SetupError(str(error)) from None
    write_private(path, stored)
    typer.echo(f"{path} holds the key of {signer.address}")
    typer.echo(
        "Keep a copy of it and of its password: without them, what the account holds is lost"
    )


def _each(names: Sequence[str] | None) -> Iterator[tuple[str, Opened]]:
    (catalogue, profile), ring = live_profile(), Keyring(environment())
    for name in chosen(profile, names):
        with opened_chain(catalogue, profile, name, ring) as opened:
            yield name, opened


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
) -> Iterator[Opened]:
    """A chain with its key for the length of a block; refuses in words."""
    try:
        of = family(catalogue.chains[name].kind)
        opened = of.open_chain(catalogue, name, profile.chains[name], environment(), ring)
    except ValueError as error:
        raise SetupError(str(error)) from None
    try:
        yield opened
    finally:
        opened.chain.close()


def _tokens(catalogue: Catalogue, opened: Opened, symbols: Sequence[str] | None) -> list[Token]:
    name = opened.chain.id
    if symbols:
        found = [catalogue.token(name, symbol, "token") for symbol in symbols]
    else:
        found = [one for one in catalogue.by_chain[name] if one.enabled and not one.native]
        held = opened.held(found)
        found = [one for one in found if held[one.address]]
    if native := [one.symbol for one in found if one.native]:
        raise InvalidInput(f"token: {native[0]} is the chain's own coin and needs no approval")
    return list({one.address: one for one in found}.values())


def _carry_out(opened: Opened, plan: Plan, yes: bool) -> None:
    facts, name = catalogue_data.load().chains[opened.chain.id], opened.chain.id

    def coins(units: int) -> str:
        return f"{format_units(units, facts.native_decimals)} {facts.native_symbol}"

    typer.echo(f"{name}: {plan.account} sends")
    for errand in plan.errands:
        typer.echo(f"  {errand.what}: at most {errand.limit:,} {plan.unit}")
    typer.echo(f"  at most {coins(plan.cost)} in all; it holds {coins(plan.funds)}")
    if plan.funds < plan.cost:
        raise SetupError(f"{name}: {plan.account} holds too little {facts.native_symbol}")
    if not yes:
        typer.confirm("Send?", abort=True)
    used = 0
    for errand in plan.errands:

        def sent(tx_id: str, what: str = errand.what) -> None:
            typer.echo(f"  sent: {what}: {facts.tx_url(tx_id)}")

        try:
            done = errand.send(sent)
        except ValueError as error:
            raise SetupError(str(error)) from None
        if not done.worked:
            raise SetupError(f"{name}: {errand.what}: {done.tx_id} reverted")
        used += done.used
    typer.echo(f"  done, {used:,} {plan.unit}")


def _compare(opened: Opened) -> bool:
    placed = opened.contracts()
    for one in placed:
        mark, said = ("✗", one.trouble) if one.trouble else ("✓", "the expected code")
        typer.echo(f"{mark} {opened.chain.id} {one.name} at {one.address}: {said}")
    return not any(one.trouble for one in placed)

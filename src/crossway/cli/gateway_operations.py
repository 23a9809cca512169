"""The work of `crossway gateway` on the chains of a profile, with its console output."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial

import typer

from crossway.adapters.bridges.gateway.depositor_calls import (
    DepositorCall,
    delegate_call,
    deposit_calls,
    initiate_call,
    withdraw_call,
)
from crossway.adapters.bridges.gateway.gateway_end import GatewayEnd, Holding
from crossway.adapters.bridges.gateway.networks import contract_block_seconds, has_gateway
from crossway.adapters.bridges.gateway.unified_balance import UnifiedBalance
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.operator_txs import plan_calls
from crossway.adapters.chains.rpc.profile import Profile
from crossway.adapters.chains.rpc.protocols import ChainOperator
from crossway.adapters.live_bridges import open_gateway_apis
from crossway.cli.contract_operations import execute, load_profile, make_plan, open_chains
from crossway.cli.coordinator_operations import print_calls
from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.money import format_units, parse_decimal
from crossway.startup_checks import SetupError

_DECIMALS, _HOUR_SECONDS = 6, 3_600


def print_balances(names: Sequence[str] | None) -> None:
    """Print what each chain's deposits come to, and who may use them."""
    _, profile = load_profile()
    with closing(open_gateway_apis(profile.gateway)) as apis:
        for name, _, end in _open_ends(profile, names, signs=False):
            held = end.holding()
            balance = UnifiedBalance({name: end}, apis)
            try:
                text = f"{_usdc(balance.available(end.chain.testnet)[name])} can be minted"
            except Unreachable as error:
                text = f"what can be minted is unknown: {error}"
            typer.echo(f"{name}: {text}")
            fresh = f", of it {_usdc(held.fresh)} not final" if held.fresh else ""
            typer.echo(f"  in the wallet contract: {_usdc(held.available)}{fresh}")
            if held.withdrawing:
                typer.echo(f"  being withdrawn: {_usdc(held.withdrawing)}, {_when(end, held)}")
            typer.echo(f"  depositor {end.depositor}{_permission(end, held)}")


def deposit(name: str, amount: str, yes: bool) -> None:
    """Deposit an amount of the depositor's USDC, or print what it has to sign."""
    units = _parse_amount(amount)
    for operator, end in _open_for_depositor(name):
        if not end.has_contracts():
            raise SetupError(f"{name}: Circle Gateway's contracts are not there")
        calls = deposit_calls(end, units)
        _send_or_print(operator, end, f"a deposit of {_usdc(units)}", calls, yes)


def print_delegate_calls(names: Sequence[str] | None, account: str, revoke: bool) -> None:
    """Print what the depositor signs about a delegate on each chain. Reads no node."""
    _, profile = load_profile()
    if not profile.gateway.depositor:
        raise SetupError(
            "the relayers own their deposits themselves and need no delegates: the profile has no "
            "gateway.depositor"
        )
    for name, operator, end in _open_ends(profile, names, signs=False):
        try:
            delegate = operator.chain.canonical_address(account or end.relayer)
        except ValueError as error:
            raise InvalidInput(f"delegate {error}") from None
        if delegate == end.depositor:
            raise InvalidInput(f"delegate: {delegate} is the depositor itself")
        made = delegate_call(end, delegate, not revoke)
        print_calls(name, end.depositor, made.description, [made.unsigned(end)], "depositor")


def withdraw(name: str, amount: str, yes: bool) -> None:
    """Take out what has waited for its time, or begin to take out an amount, by default all."""
    for operator, end in _open_for_depositor(name):
        held = end.holding()
        if held.withdrawing and not amount:
            if held.withdrawal_block > held.height:
                raise InvalidInput(f"{name}: {_usdc(held.withdrawing)}: {_when(end, held)}")
            what = f"{_usdc(held.withdrawing)} are taken out"
            _send_or_print(operator, end, what, [withdraw_call(end)], yes)
            continue
        units = _parse_amount(amount) if amount else held.available
        if not 0 < units <= held.available:
            raise InvalidInput(f"{name}: {_usdc(held.available)} can be withdrawn")
        what = f"a withdrawal of {_usdc(units)} begins, which pays out after about a week"
        _send_or_print(operator, end, what, [initiate_call(end, units)], yes)


def _send_or_print(
    operator: ChainOperator,
    end: GatewayEnd,
    what: str,
    calls: Sequence[DepositorCall],
    yes: bool,
) -> None:
    """Send calls of the relayer, one after the other, or print those of another depositor."""
    chain = operator.chain
    if end.depositor != end.relayer:
        unsigned = [made.unsigned(end) for made in calls]
        print_calls(chain.id, end.depositor, what, unsigned, "depositor")
        return
    assert isinstance(chain, EvmChain)
    for made in calls:
        plan = partial(plan_calls, chain, [(f"{what}: {made.description}", made.call)])
        execute(operator, make_plan(plan), yes)


def _open_for_depositor(name: str) -> Iterator[tuple[ChainOperator, GatewayEnd]]:
    """A chain with its contracts; with the relayer's key where that is the depositor's."""
    _, profile = load_profile()
    for _, operator, end in _open_ends(profile, [name], signs=not profile.gateway.depositor):
        yield operator, end


def _open_ends(
    profile: Profile, names: Sequence[str] | None, signs: bool
) -> Iterator[tuple[str, ChainOperator, GatewayEnd]]:
    """Each of the requested chains with Gateway, closed before the next. Raises `InvalidInput` and
    `SetupError`."""
    catalogue, _ = load_profile()
    served = {n for n in profile.chains if has_gateway(catalogue.chains[n])}
    if lacking := [n for n in names or () if n in profile.chains and n not in served]:
        raise InvalidInput(f"chain: Circle Gateway is not on {', '.join(lacking)}")
    if not served:
        raise SetupError("Circle Gateway is on none of the profile's chains")
    for name, operator in open_chains(names or sorted(served), signs):
        assert isinstance(operator.chain, EvmChain)
        yield name, operator, GatewayEnd(operator.chain, profile.gateway.depositor)


def _permission(end: GatewayEnd, held: Holding) -> str:
    if end.depositor == end.relayer:
        return ", which is the relayer"
    if held.authorized:
        return f"; the relayer {end.relayer} may sign burn intents"
    return f"; the relayer {end.relayer} may NOT sign burn intents: see crossway gateway delegate"


def _when(end: GatewayEnd, held: Holding) -> str:
    """From when a withdrawal can be taken out."""
    blocks = held.withdrawal_block - held.height
    if blocks <= 0:
        return "which can be taken out now"
    hours = blocks * contract_block_seconds(end.chain) / _HOUR_SECONDS
    block = f"block {held.withdrawal_block:,}"
    return f"which can be taken out from {block} on, in about {hours:,.0f} hours"


def _parse_amount(text: str) -> int:
    units = parse_decimal("amount", text, _DECIMALS)
    if units <= 0:
        raise InvalidInput("amount must be more than 0")
    return units


def _usdc(units: int) -> str:
    return f"{format_units(units, _DECIMALS, least_places=2)} USDC"

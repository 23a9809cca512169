"""The work of `crossway gateway` on the chains of a profile, with its console output."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, cast

import typer

from crossway.adapters.chains.rpc.profile import Profile
from crossway.adapters.chains.rpc.protocols import ChainOperator
from crossway.cli.contract_operations import execute, load_profile, make_plan, open_chains
from crossway.cli.coordinator_operations import print_calls
from crossway.cli.operator_booking import require_not_stopped
from crossway.domain.errors import InvalidInput, Unreachable
from crossway.domain.ledger import unified_location
from crossway.domain.money import format_units, parse_decimal
from crossway.startup_checks import SetupError

if TYPE_CHECKING:
    from crossway.adapters.bridges.gateway.depositor import Depositor, DepositorCall
    from crossway.adapters.bridges.gateway.gateway_end import DepositorBalance
    from crossway.adapters.chains.evm.chain import EvmChain

_DECIMALS = 6


def print_balances(names: Sequence[str] | None) -> None:
    """Print what each chain's deposits come to, and who may use them."""
    # Imported here, as below: these libraries are optional and needed for live chains only.
    from crossway.adapters.bridges.gateway.unified_balance import UnifiedBalance
    from crossway.adapters.live_bridges import open_gateway_apis

    _, profile = load_profile()
    with closing(open_gateway_apis(profile.gateway)) as apis:
        for operator, depositor in _open_depositors(profile, names, signs=False):
            name, end = operator.chain.id, depositor.end
            held = end.depositor_balance()
            try:
                available = UnifiedBalance({name: end}, apis).available(end.chain.testnet)
                text = f"{_usdc(available[name])} can be minted"
            except Unreachable as error:
                text = f"what can be minted is unknown: {error}"
            typer.echo(f"{name}: {text}")
            fresh = f", of it {_usdc(held.fresh)} not final" if held.fresh else ""
            typer.echo(f"  in the wallet contract: {_usdc(held.available)}{fresh}")
            if held.withdrawing:
                when = _when(depositor, held)
                typer.echo(f"  being withdrawn: {_usdc(held.withdrawing)}, {when}")
            typer.echo(f"  depositor {depositor.address}{_permission(depositor, held)}")


def deposit(name: str, amount: str, yes: bool) -> None:
    """Deposit an amount of the depositor's USDC, or print what it has to sign. Refused while all
    outgoing money is stopped; what comes back to the relayer is not."""
    units = _parse_amount(amount)
    _, profile = load_profile()
    for operator, depositor in _open_depositors(profile, [name], _signs(profile)):
        if not depositor.end.has_contracts():
            raise SetupError(f"{name}: Circle Gateway's contracts are not there")
        if depositor.is_relayer:
            require_not_stopped()
        what = f"a deposit of {_usdc(units)}"
        _send_or_print(operator, depositor, what, depositor.deposit(units), yes)


def print_delegate_calls(names: Sequence[str] | None, account: str, revoke: bool) -> None:
    """Print what the depositor signs about a delegate on each chain. Reads no node."""
    _, profile = load_profile()
    if not profile.gateway.depositor:
        raise SetupError(
            "the relayers own their deposits themselves and need no delegates: the profile has no "
            "gateway.depositor"
        )
    for operator, depositor in _open_depositors(profile, names, signs=False):
        try:
            delegate = operator.chain.canonical_address(account or depositor.end.relayer)
        except ValueError as error:
            raise InvalidInput(f"delegate {error}") from None
        if delegate == depositor.address:
            raise InvalidInput(f"delegate: {delegate} is the depositor itself")
        change = depositor.remove_delegate if revoke else depositor.name_delegate
        made = change(delegate)
        _print(operator, depositor, made.description, [made])


def withdraw(name: str, amount: str, yes: bool) -> None:
    """Take out what has waited for its time, or begin to take out an amount, by default all."""
    _, profile = load_profile()
    for operator, depositor in _open_depositors(profile, [name], _signs(profile)):
        held = depositor.end.depositor_balance()
        if held.withdrawing and not amount:
            if held.withdrawal_block > held.height:
                when = _when(depositor, held)
                raise InvalidInput(f"{name}: {_usdc(held.withdrawing)}, {when}")
            what, made = f"{_usdc(held.withdrawing)} are taken out", depositor.withdraw()
        else:
            units = _parse_amount(amount) if amount else held.available
            if not 0 < units <= held.available:
                raise InvalidInput(f"{name}: {_usdc(held.available)} can be withdrawn")
            what = f"a withdrawal of {_usdc(units)} begins, which pays out after about a week"
            made = depositor.initiate(units)
        _send_or_print(operator, depositor, what, [made], yes)


def _signs(profile: Profile) -> bool:
    """Whether the relayer's key is the depositor's."""
    return not profile.gateway.depositor


def _send_or_print(
    operator: ChainOperator,
    depositor: "Depositor",
    what: str,
    calls: "Sequence[DepositorCall]",
    yes: bool,
) -> None:
    """Send calls of the relayer, one after the other, or print those of another depositor."""
    if not depositor.is_relayer:
        _print(operator, depositor, what, calls)
        return
    typer.echo(f"{operator.chain.id}: {what}")
    testnet = load_profile()[0].chains[operator.chain.id].testnet
    unified = {depositor.end.wallet: unified_location(testnet)}
    for made in calls:
        execute(operator, make_plan(partial(depositor.plan, made)), yes, unified)


def _print(
    operator: ChainOperator, depositor: "Depositor", what: str, calls: "Sequence[DepositorCall]"
) -> None:
    unsigned = [depositor.unsigned(made) for made in calls]
    print_calls(operator.chain.id, depositor.address, what, unsigned, "depositor")


def _open_depositors(
    profile: Profile, names: Sequence[str] | None, signs: bool
) -> "Iterator[tuple[ChainOperator, Depositor]]":
    """The depositor on each of the requested chains with Gateway, each closed before the next; with
    the relayer's key where this `signs`. Raises `InvalidInput` and `SetupError`."""
    from crossway.adapters.bridges.gateway.depositor import Depositor
    from crossway.adapters.bridges.gateway.networks import has_gateway

    catalogue, _ = load_profile()
    served = {name for name in profile.chains if has_gateway(catalogue.chains[name])}
    if lacking := [name for name in names or () if name in profile.chains and name not in served]:
        raise InvalidInput(f"chain: Circle Gateway is not on {', '.join(lacking)}")
    if not served:
        raise SetupError("Circle Gateway is on none of the profile's chains")
    for _, operator in open_chains(names or sorted(served), signs):
        # Gateway is listed for EVM chains alone.
        chain = cast("EvmChain", operator.chain)
        yield operator, Depositor(chain, profile.gateway.depositor)


def _permission(depositor: "Depositor", held: "DepositorBalance") -> str:
    relayer = depositor.end.relayer
    if depositor.is_relayer:
        return ", which is the relayer"
    if held.authorized:
        return f"; the relayer {relayer} may sign burn intents"
    return f"; the relayer {relayer} may NOT sign burn intents: see crossway gateway delegate"


def _when(depositor: "Depositor", held: "DepositorBalance") -> str:
    """From when a withdrawal can be taken out."""
    hours = depositor.hours_until_withdrawal(held)
    if hours <= 0:
        return "which can be taken out now"
    block = f"block {held.withdrawal_block:,}"
    return f"which can be taken out from {block} on, in about {hours:,.0f} hours"


def _parse_amount(text: str) -> int:
    units = parse_decimal("amount", text, _DECIMALS)
    if units <= 0:
        raise InvalidInput("amount must be more than 0")
    return units


def _usdc(units: int) -> str:
    return f"{format_units(units, _DECIMALS, least_places=2)} USDC"

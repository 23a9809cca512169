"""The relayer's inventory: balances, reservations, bridge receivables, targets and gas."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput, InvalidStatus
from crossway.domain.money import Token, micro_usd_down
from crossway.domain.quotes import ExcludedSource
from crossway.domain.roles import Permission
from crossway.ports.policy import TimeoutPolicy
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.ports.treasury_repository import BridgeReceivable, InventoryTarget
from crossway.usecases.money.inventory_records import (
    FLOW_DAYS,
    LocationRecords,
    TokenLocation,
    read_inventory_records,
)
from crossway.usecases.parallel_calls import call_all
from crossway.usecases.pricing.price_snapshot import latest_prices
from crossway.usecases.staff.step_up import require_step_up

COVER_DAYS = 2
TIMEOUT_SECONDS = 4.0
_SIGNIFICANT_DIGITS = 3


@dataclass(frozen=True, slots=True)
class InventoryPosition:
    """One token on one chain; all amounts are in smallest units.

    `balance` is at the relayer's address (None if the chain did not respond). `reserved` is for
    agreed payouts, of which bridges are bringing inventory for `brought`, and have sent none of it
    for `unsent`. `waiting` is for payouts of funded payments that wait to be started, `in_advance`
    for those that a bridge pays unless inventory does first. Bridges are to take `leaving` for
    payments, which is not signed yet, and are `sending` what is signed, also to rebalance;
    `on_bridges` has left and has not arrived. `expected` and `overdue` are bridge receivables.
    `target` was set by `target_set_by` (`POLICY`: a rebalancing policy), or follows from recent
    payouts where that is empty.
    """

    token: Token
    balance: int | None
    reserved: int
    expected: int
    overdue: int
    paid_out: int
    target: int
    target_set_by: str
    pico_usd: int | None
    waiting: int = 0
    in_advance: int = 0
    brought: int = 0
    unsent: int = 0
    leaving: int = 0
    sending: int = 0
    on_bridges: int = 0

    @property
    def available(self) -> int | None:
        """What is not reserved. Below zero, payouts exceed the balance."""
        return None if self.balance is None else self.balance - self.reserved

    @property
    def missing(self) -> int:
        """What payments wait for, zero or more; zero while the balance is unknown.

        As the engine has it: what a bridge has sent for other payouts may have arrived already, so
        nothing is started with it, nor with what is signed to leave; what a bridge takes for
        payments leaves last, and before what only rebalances.
        """
        available = self.available
        if available is None:
            return 0
        uncommitted = available + self.unsent - self.sending
        to_start = max(0, self.waiting - max(0, uncommitted))
        to_send = max(0, self.leaving - max(0, uncommitted))
        return to_start + max(0, -available - self.brought) + to_send

    @property
    def shortfall(self) -> int:
        """What is missing for payments at once, or to the target after all that is expected has
        arrived, whichever is more; zero or more."""
        available = self.available
        if available is None:
            return 0
        arriving = self.brought + self.expected
        return max(0, self.target + self.waiting - available - arriving, self.missing)

    @property
    def surplus(self) -> int:
        """The available amount above the target and what waits for it; zero or more."""
        available = self.available
        return 0 if available is None else max(0, available - self.waiting - self.target)

    @property
    def is_active(self) -> bool:
        """Whether it has recent payouts, needs, receivables, money on bridges or a target set by
        staff."""
        is_needed = self.reserved or self.waiting or self.in_advance
        is_moving = self.expected or self.on_bridges
        return bool(is_needed or is_moving or self.paid_out or self.target_set_by)

    def micro_usd(self, amount: int | None) -> int | None:
        """The value of an amount; None where the amount or the price is unknown."""
        if amount is None or self.pico_usd is None:
            return None
        value = micro_usd_down(abs(amount), self.token.decimals, self.pico_usd)
        return value if amount >= 0 else -value


@dataclass(frozen=True, slots=True)
class GasBalance:
    """The native balance of the relayer, or of another `account` that sends transactions, on a
    chain; `fee_units` is the current fee of a transaction."""

    chain: str
    account: str
    is_relayer: bool
    symbol: str
    decimals: int
    amount: int
    fee_units: int

    @property
    def runway(self) -> int:
        """The number of transactions that the balance pays for."""
        return self.amount // self.fee_units if self.fee_units else 0


@dataclass(frozen=True, slots=True)
class Inventory:
    """The inventory at one time; `unavailable` names the chains that did not respond."""

    positions: tuple[InventoryPosition, ...]
    gas: tuple[GasBalance, ...]
    receivables: tuple[BridgeReceivable, ...]
    unavailable: tuple[ExcludedSource, ...]
    at: datetime


@dataclass(frozen=True, slots=True)
class _Holdings:
    """The relayer's balances on one chain by token address, and the gas of all that send."""

    amounts: Mapping[str, int]
    gas: tuple[GasBalance, ...]


def get_inventory(services: Services, caller: Principal) -> Inventory:
    """The inventory of every configured chain. The cost depends on open payments only, not on how
    many are stored."""
    caller.require_permission(Permission.VIEW)
    return read_inventory(services)


def read_inventory(
    services: Services, wanted: Collection[TokenLocation] | None = None
) -> Inventory:
    """The inventory of every configured chain, or of some tokens, for the service itself."""
    now, tokens = services.clock.now(), dict(_list_tokens(services, wanted))
    calls = {name: _holdings_reader(services, name, tokens[name]) for name in tokens}
    results = call_all(services.executor, calls, TimeoutPolicy(TIMEOUT_SECONDS, enough=len(calls)))
    records = read_inventory_records(services, now)
    prices = latest_prices(services)
    positions = [
        _position(
            token,
            results.results.get(name),
            records.at((name, token.address)),
            prices.get(token.symbol),
        )
        for name in tokens
        for token in tokens[name]
    ]
    holdings = [results.results[name] for name in tokens if name in results.results]
    gas = tuple(balance for holding in holdings for balance in holding.gas)
    ordered = tuple(sorted(records.receivables, key=lambda claim: claim.due))
    return Inventory(tuple(positions), gas, ordered, results.excluded, now)


def set_target(
    services: Services, caller: Principal, chain: str, symbol: str, amount: int | None
) -> None:
    """Set the target amount of a token on a chain, in smallest units; None makes it automatic.
    Audited. Raises `InvalidStatus` where a rebalancing policy sets it."""
    caller.require_permission(Permission.MOVE_FUNDS)
    require_step_up(services, caller.session)
    token = services.catalogue.token(services.catalogue.chain(chain).id, symbol)
    if amount is not None and amount < 0:
        raise InvalidInput("target must be zero or more")
    now = services.clock.now()

    def work(unit: UnitOfWork) -> None:
        policies = {policy.location for policy in unit.rebalancing.list_policies()}
        if amount is not None and (token.chain, token.address) in policies:
            raise InvalidStatus("A rebalancing policy sets this target: change the policy")
        before = _target_of(unit, token)
        if amount is None:
            unit.treasury.delete_target(token.chain, token.address)
        else:
            target = InventoryTarget(token.chain, token.address, amount, caller.actor_name, now)
            unit.treasury.set_target(target)
        unit.audit_log.record(
            caller.actor_name,
            "target set",
            {"token": symbol},
            now,
            f"chain:{token.chain}",
            {"units": before},
            {"units": None if amount is None else str(amount)},
        )

    services.store.write(work)


def _target_of(unit: UnitOfWork, token: Token) -> str | None:
    location = (token.chain, token.address)
    amounts = {
        (target.chain, target.token): str(target.amount) for target in unit.treasury.list_targets()
    }
    return amounts.get(location)


def _holdings_reader(
    services: Services, name: str, tokens: Sequence[Token]
) -> Callable[[], _Holdings]:
    chain = services.chains[name]

    def read_holdings() -> _Holdings:
        relayer, info = chain.accounts.relayer, services.catalogue.chains[chain.id]
        balances = {
            token.address: chain.balances([relayer], token.address).get(relayer, 0)
            for token in tokens
        }
        fee, native = chain.fee_units(), (info.native_symbol, info.native_decimals)
        gas = tuple(
            GasBalance(
                chain.id, sender, sender == relayer, *native, chain.native_balance(sender), fee
            )
            for sender in chain.accounts.senders
        )
        return _Holdings(balances, gas)

    return read_holdings


def _list_tokens(
    services: Services, wanted: Collection[TokenLocation] | None
) -> Iterator[tuple[str, Sequence[Token]]]:
    """The chains and their tokens that are asked about."""
    for name in services.chains:
        tokens = _enabled_tokens(services, name)
        if wanted is not None:
            tokens = [token for token in tokens if (name, token.address) in wanted]
        if tokens or wanted is None:
            yield name, tokens


def _enabled_tokens(services: Services, chain: str) -> Sequence[Token]:
    """The enabled tokens of a chain; a contract with two symbols is listed once."""
    by_address = {t.address: t for t in reversed(services.catalogue.by_chain[chain]) if t.enabled}
    return tuple(reversed(by_address.values()))


def _position(
    token: Token, holdings: _Holdings | None, records: LocationRecords, pico_usd: int | None
) -> InventoryPosition:
    target = records.target
    return InventoryPosition(
        token=token,
        balance=holdings.amounts.get(token.address, 0) if holdings else None,
        reserved=records.reserved,
        expected=records.expected,
        overdue=records.overdue,
        paid_out=records.paid_out,
        target=target.amount if target else automatic_target(records.paid_out),
        target_set_by=target.by if target else "",
        pico_usd=pico_usd,
        waiting=records.waiting,
        in_advance=records.in_advance,
        brought=records.brought.units,
        unsent=records.brought.unsent,
        leaving=records.leaving,
        sending=records.sending,
        on_bridges=records.on_bridges,
    )


def automatic_target(paid_out: int) -> int:
    """The target that covers `COVER_DAYS` of recent payouts, rounded up to three digits."""
    exact = -(-paid_out * COVER_DAYS // FLOW_DAYS)
    step = 10 ** max(0, len(str(exact)) - _SIGNIFICANT_DIGITS)
    return int(-(-exact // step) * step)

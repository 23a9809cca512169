"""Controls of the simulated chains: deposits, the clock, faults and balances."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal, Scope
from crossway.domain.errors import InvalidInput, MissingInput, NotFound
from crossway.domain.intent import Intent
from crossway.domain.money import Token, format_units, parse_units
from crossway.domain.roles import Permission
from crossway.domain.standing import StandingAddress
from crossway.ports.sandbox import Faults, Sandbox, SentDeposit
from crossway.ports.services import Services
from crossway.usecases.chains.request_fields import (
    parse_address,
    parse_known_chain,
    require_token_allowed,
)
from crossway.usecases.simulator.bridge_controls import end_faults
from crossway.usecases.simulator.deposit_targets import find_intent, find_standing
from crossway.usecases.simulator.fault_fields import (
    FAULT_FIELDS,
    MAX_SECONDS,
    parse_faults,
    parse_integer,
    parse_number,
)
from crossway.usecases.validation_errors import ValidationErrors

MAX_DEPOSITS = 10_000
_NO_FAULTS = Faults(
    outage_seconds=0, drop_next=0, revert_next=0, slow_blocks=0, fee_factor=1, lie=""
)


@dataclass(frozen=True, slots=True)
class SimulatedBalance:
    """The balance of an address in one token on one simulated chain, in smallest units."""

    chain: str
    symbol: str
    token: str
    amount: int
    decimals: int

    @property
    def formatted(self) -> str:
        """The decimal amount."""
        return format_units(self.amount, self.decimals)


def send_deposit(
    services: Services,
    caller: Principal,
    address: object,
    amount: object,
    token: object = None,
    chain: object = None,
    count: object = 1,
    reference: str = "",
) -> SentDeposit:
    """Send simulated tokens to an address. An amount of `exact`, `short` or `over` relates to what
    the intent at that address still misses. What was sent with this `reference` before is not sent
    again. Raises `InvalidInput` and `NotFound`."""
    sandbox = _require_sandbox(services, caller)
    on_chain, to_address, known_token, base_amount, deposit_count = _parse_deposit(
        services, caller, address, amount, token, chain, count
    )
    sent = sandbox.deposit(
        on_chain.id,
        to_address,
        known_token.address,
        base_amount,
        deposit_count,
        reference=reference,
    )
    services.process.failpoint("deposited")
    services.process.wake()
    return sent


def _parse_deposit(
    services: Services,
    caller: Principal,
    address: object,
    amount: object,
    token: object,
    chain: object,
    count: object,
) -> tuple[Chain, str, Token, int, int]:
    """The chain, receiver, token and amount of each deposit, and how many; all errors at once."""
    intent = find_intent(services, caller, address)
    errors = ValidationErrors()
    standing = find_standing(services, caller, address)
    on_chain = errors.collect(_parse_chain_of_deposit, services, caller, chain, intent, standing)
    if token is None and standing is not None:
        token = standing.terms.tokens[0].token
    deposit_count = errors.collect(parse_integer, "count", count, 1, MAX_DEPOSITS)
    base_amount, known_token, to_address = None, None, None
    if on_chain is not None:
        to_address = errors.collect(parse_address, services, on_chain, address, "address")
        known_token = errors.collect(_parse_token, services, caller, on_chain, token, intent)
    if known_token is not None:
        base_amount = errors.collect(_parse_amount, amount, intent, known_token)
    errors.raise_if_any()
    assert on_chain is not None
    assert deposit_count is not None
    assert known_token is not None
    assert to_address is not None
    assert base_amount is not None
    return on_chain, to_address, known_token, base_amount, deposit_count


def set_clock(
    services: Services, caller: Principal, advance_seconds: object = None, frozen: object = None
) -> tuple[str, float, bool]:
    """Advance, freeze or unfreeze the clock; returns its time in ISO format, the seconds it is
    ahead, and whether it is frozen."""
    sandbox = _require_sandbox(services, caller)
    if advance_seconds is None and frozen is None:
        raise MissingInput(
            "advanceSeconds or frozen must be given", fields=("advanceSeconds", "frozen")
        )
    seconds = 0.0
    if advance_seconds is not None:
        seconds = parse_number("advanceSeconds", advance_seconds, 0, MAX_SECONDS)
    if frozen is not None and not isinstance(frozen, bool):
        raise InvalidInput("frozen must be true or false")
    if frozen is not None:
        sandbox.freeze(bool(frozen))
    if advance_seconds is not None:
        sandbox.advance(seconds)
    services.process.wake()
    seconds_ahead, is_frozen = sandbox.clock()
    return services.clock.now().isoformat(), seconds_ahead, is_frozen


def inject_faults(
    services: Services, caller: Principal, chain: object, body: Mapping[str, Any]
) -> tuple[str, dict[str, object]]:
    """Inject faults into a simulated chain; `body` holds the fields of the request. Returns the
    chain, and its active faults by the names of these fields."""
    sandbox = _require_sandbox(services, caller)
    known_chain = _parse_chain(services, caller, chain)
    unknown = sorted(set(body) - FAULT_FIELDS)
    if unknown:
        raise InvalidInput("; ".join(f"{name} is not a known fault" for name in unknown))
    sandbox.inject_faults(known_chain.id, parse_faults(services, known_chain, body))
    services.process.wake()
    active = sandbox.faults(known_chain.id)
    return known_chain.id, {_field_name(name): value for name, value in active.items()}


def _field_name(name: str) -> str:
    first, *others = name.split("_")
    return first + "".join(other.capitalize() for other in others)


def reset_faults(services: Services, caller: Principal) -> int:
    """End all faults of all chains and bridges and unfreeze the clock; returns how many of these
    there were. The clock keeps its offset."""
    sandbox = _require_sandbox(services, caller)
    count = end_faults(services.bridge_sandbox)
    count += sum(_end_faults(sandbox, chain) for chain in services.chains)
    if sandbox.clock()[1]:
        sandbox.freeze(False)
        count += 1
    services.process.wake()
    return count


def reset_chain_faults(services: Services, caller: Principal, chain: object) -> bool:
    """End all faults of one chain; whether there were any."""
    sandbox = _require_sandbox(services, caller)
    ended = _end_faults(sandbox, _parse_chain(services, caller, chain).id)
    services.process.wake()
    return ended


def _end_faults(sandbox: Sandbox, chain: str) -> bool:
    active = sandbox.faults(chain)
    if active:
        denied = active.get("refuse", ())
        accept = tuple(denied) if isinstance(denied, list | tuple) else ()
        sandbox.inject_faults(chain, replace(_NO_FAULTS, accept=accept))
    return bool(active)


def get_balances(services: Services, caller: Principal, address: str) -> list[SimulatedBalance]:
    """The balances of an address on every simulated chain."""
    sandbox = _require_sandbox(services, caller, Permission.VIEW)
    balances = []
    for spelling in {address, *_canonical_spellings(services, address)}:
        for chain, token_address, amount in sandbox.holdings(spelling):
            token = services.catalogue.by_address.get((chain, token_address))
            known_chain = services.catalogue.chains[chain]
            symbol = token.symbol if token else known_chain.native_symbol
            decimals = token.decimals if token else known_chain.native_decimals
            balances.append(SimulatedBalance(chain, symbol, token_address, amount, decimals))
    return sorted(balances, key=lambda balance: (balance.chain, balance.symbol))


def _canonical_spellings(services: Services, address: str) -> set[str]:
    spellings = set()
    for chain in services.chains.values():
        try:
            spellings.add(chain.canonical_address(address))
        except ValueError:
            continue
    return spellings


def _require_sandbox(
    services: Services, caller: Principal, permission: Permission = Permission.OPERATE
) -> Sandbox:
    if services.sandbox is None:
        raise NotFound("Not found")
    caller.require_scope(Scope.WRITE, permission)
    return services.sandbox


def _parse_chain(services: Services, caller: Principal, chain: object) -> Chain:
    return parse_known_chain(services, _by_key(caller), chain)


def _by_key(caller: Principal) -> Principal | None:
    """The caller, unless it is staff: their mode limits what they create, not what they
    simulate."""
    return None if caller.is_staff else caller


def _parse_chain_of_deposit(
    services: Services,
    caller: Principal,
    chain: object,
    intent: Intent | None,
    standing: StandingAddress | None,
) -> Chain:
    if chain is not None:
        return _parse_chain(services, caller, chain)
    if standing is not None:
        return services.catalogue.chains[standing.source_chain]
    if intent is None:
        raise MissingInput("chain must be given: no intent of yours has this address")
    return services.catalogue.chains[intent.terms.source_chain]


def _parse_token(
    services: Services, caller: Principal, chain: Chain, token: object, intent: Intent | None
) -> Token:
    require_token_allowed(services, _by_key(caller), token, "token")
    if token is None:
        if intent is None:
            raise MissingInput("token must be given: no intent of yours has this address")
        return services.catalogue.token(chain.id, intent.asset_symbol)
    if isinstance(token, str) and (chain.id, token) in services.catalogue.tokens:
        return services.catalogue.tokens[chain.id, token]
    try:
        canonical = services.chains[chain.id].canonical_address(str(token))
    except ValueError:
        canonical = ""
    known_token = services.catalogue.by_address.get((chain.id, canonical))
    if known_token is None:
        raise InvalidInput(f"token must be a symbol or token address of {chain.id}")
    return known_token


def _parse_amount(amount: object, intent: Intent | None, token: Token) -> int:
    if amount not in ("exact", "short", "over"):
        if amount == "0":
            return 0
        return parse_units("amount", amount)
    if intent is None:
        raise InvalidInput(f"amount must be a number: no intent of yours defines {amount}")
    missing = max(intent.terms.deposit_amount - intent.received_amount, 1)
    if intent.asset_decimals != token.decimals:
        raise InvalidInput(f"amount must be a number for {token.symbol}")
    return {"exact": missing, "short": max(missing // 2, 1), "over": missing + missing // 10 + 1}[
        str(amount)
    ]

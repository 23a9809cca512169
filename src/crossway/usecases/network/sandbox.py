"""The simulated network's own switches: deposits, the clock, faults, balances (wire.md §7)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Caller, Scope
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.intent import Intent
from crossway.domain.money import Token, format_units, parse_units
from crossway.domain.roles import Right
from crossway.ports.sandbox import Faults, Sandbox, SentDeposit
from crossway.ports.services import Services
from crossway.usecases.complaints import Complaints
from crossway.usecases.fields import address_of
from crossway.usecases.payments.intents import by_address

MOST_DEPOSITS = 10_000
MOST_SECONDS = 10 * 365 * 86_400
MOST_BLOCKS = 10_000
_NUMBERS = ("dropNext", "revertNext", "slowBlocks", "reorgDepth", "feeFactor")
_LIES = ("", "forged", "chain_id", "stale")
_NONE = Faults(outage_seconds=0, drop_next=0, revert_next=0, slow_blocks=0, fee_factor=1, lie="")
_KNOWN = {*_NUMBERS, "outageSeconds", "takeNonce", "lie", "refuse", "accept", "balances"}


@dataclass(frozen=True, slots=True)
class Holding:
    """What an address holds of one token on one simulated chain."""

    chain: str
    symbol: str
    token: str
    units: int
    decimals: int

    @property
    def formatted(self) -> str:
        """The amount for people."""
        return format_units(self.units, self.decimals)


def deposit(
    services: Services,
    caller: Caller,
    address: object,
    amount: object,
    token: object = None,
    chain: object = None,
    count: object = 1,
) -> SentDeposit:
    """Send simulated tokens to an address; `exact`, `short` and `over` follow its intent."""
    sandbox = _sandbox(services, caller)
    intent = _intent_at(services, caller, address)
    complaints = Complaints()
    on = complaints.read(lambda: _chain(services, chain, intent))
    times = complaints.read(lambda: _whole("count", count, 1, MOST_DEPOSITS))
    units, which, to = None, None, None
    if on is not None:
        to = complaints.read(lambda: address_of(services, on, address, "address"))
        which = complaints.read(lambda: _token(services, on, token, intent))
    if which is not None:
        units = complaints.read(lambda: _units(amount, intent, which))
    complaints.refuse()
    assert on is not None
    assert times is not None
    assert which is not None
    assert to is not None
    assert units is not None
    sent = sandbox.deposit(on.id, to, which.address, units, times)
    services.wake()
    return sent


def clock(
    services: Services, caller: Caller, advance_seconds: object = None, frozen: object = None
) -> tuple[str, float, bool]:
    """Move or stop the clock; answers its time, how far it is ahead, and whether it stands."""
    sandbox = _sandbox(services, caller)
    if advance_seconds is None and frozen is None:
        raise InvalidInput("advanceSeconds or frozen must be given")
    wanted = _number("advanceSeconds", advance_seconds or 0, 0, MOST_SECONDS)
    if frozen is not None and not isinstance(frozen, bool):
        raise InvalidInput("frozen must be true or false")
    if frozen is not None:
        sandbox.freeze(bool(frozen))
    if advance_seconds is not None:
        sandbox.advance(wanted)
    services.wake()
    ahead, stands = sandbox.clock()
    return services.clock.now().isoformat(), ahead, stands


def faults(services: Services, caller: Caller, chain: object, body: Mapping[str, Any]) -> None:
    """Make a simulated chain misbehave."""
    sandbox = _sandbox(services, caller)
    on = services.catalogue.chain(chain)
    unknown = sorted(set(body) - _KNOWN)
    if unknown:
        raise InvalidInput("; ".join(f"{name} is not a known fault" for name in unknown))
    sandbox.misbehave(on.id, _faults(services, on, body))
    services.wake()


def normal(services: Services, caller: Caller) -> int:
    """End every fault of every chain and let the clock run; answers how many things that were. The
    clock stays where it is: time that has passed does not come back."""
    sandbox = _sandbox(services, caller)
    done = 0
    for chain in services.chains:
        active = sandbox.faults(chain)
        if active:
            refused = active.get("refuse", ())
            accept = tuple(refused) if isinstance(refused, list | tuple) else ()
            sandbox.misbehave(chain, replace(_NONE, accept=accept))
            done += 1
    if sandbox.clock()[1]:
        sandbox.freeze(False)
        done += 1
    services.wake()
    return done


def _faults(services: Services, on: Chain, body: Mapping[str, Any]) -> Faults:
    complaints = Complaints()
    read = {
        name: complaints.read(lambda name=name: _whole(name, body[name], 0, MOST_BLOCKS))  # type: ignore[misc]
        for name in _NUMBERS
        if name in body
    }
    outage = None
    if "outageSeconds" in body:
        outage = complaints.read(
            lambda: _number("outageSeconds", body["outageSeconds"], 0, MOST_SECONDS)
        )
    if body.get("lie", "") not in _LIES:
        complaints.add("lie must be one of forged, chain_id, stale, or empty")
    if not isinstance(body.get("takeNonce", False), bool):
        complaints.add("takeNonce must be true or false")
    refuse = complaints.read(lambda: _addresses(services, on, body, "refuse"))
    accept = complaints.read(lambda: _addresses(services, on, body, "accept"))
    own = complaints.read(lambda: _own_balances(services, on, body.get("balances", {})))
    complaints.refuse()
    return Faults(
        outage_seconds=outage,
        reorg_depth=read.get("reorgDepth") or 0,
        drop_next=read.get("dropNext"),
        revert_next=read.get("revertNext"),
        slow_blocks=read.get("slowBlocks"),
        fee_factor=read.get("feeFactor"),
        take_nonce=bool(body.get("takeNonce", False)),
        lie=body.get("lie"),
        refuse=refuse or (),
        accept=accept or (),
        own=own or {},
    )


def balances(services: Services, caller: Caller, address: str) -> list[Holding]:
    """What an address holds on every simulated chain."""
    sandbox = _sandbox(services, caller, Right.SEE)
    held = []
    for spelled in {address, *_spellings(services, address)}:
        for chain, token_address, units in sandbox.holdings(spelled):
            token = services.catalogue.by_address.get((chain, token_address))
            on = services.catalogue.chains[chain]
            symbol = token.symbol if token else on.native_symbol
            decimals = token.decimals if token else on.native_decimals
            held.append(Holding(chain, symbol, token_address, units, decimals))
    return sorted(held, key=lambda h: (h.chain, h.symbol))


def _spellings(services: Services, address: str) -> set[str]:
    found = set()
    for chain in services.chains.values():
        try:
            found.add(chain.canonical_address(address))
        except ValueError:
            continue
    return found


def _sandbox(services: Services, caller: Caller, right: Right = Right.WORK) -> Sandbox:
    if services.sandbox is None:
        raise NotFound("Not found")
    caller.needs(Scope.WRITE, right)
    return services.sandbox


def _intent_at(services: Services, caller: Caller, address: object) -> Intent | None:
    if not isinstance(address, str) or not address:
        raise InvalidInput("address must be an address")
    try:
        return by_address(services, caller, address)
    except NotFound:
        return None


def _chain(services: Services, chain: object, intent: Intent | None) -> Chain:
    if chain is not None:
        return services.catalogue.chain(chain)
    if intent is None:
        raise InvalidInput("chain must be given: no intent of yours has this address")
    return services.catalogue.chains[intent.terms.source_chain]


def _token(services: Services, on: Chain, token: object, intent: Intent | None) -> Token:
    if token is None:
        if intent is None:
            raise InvalidInput("token must be given: no intent of yours has this address")
        return services.catalogue.token(on.id, intent.asset_symbol)
    if isinstance(token, str) and (on.id, token) in services.catalogue.tokens:
        return services.catalogue.tokens[on.id, token]
    try:
        spelled = services.chains[on.id].canonical_address(str(token))
    except ValueError:
        spelled = ""
    found = services.catalogue.by_address.get((on.id, spelled))
    if found is None:
        raise InvalidInput(f"token must be a symbol or token address of {on.id}")
    return found


def _units(amount: object, intent: Intent | None, token: Token) -> int:
    if amount not in ("exact", "short", "over"):
        if amount == "0":
            return 0
        return parse_units("amount", amount)
    if intent is None:
        raise InvalidInput(f"amount must be a number: no intent of yours defines {amount}")
    missing = max(intent.terms.total_units - intent.received_units, 1)
    if intent.asset_decimals != token.decimals:
        raise InvalidInput(f"amount must be a number for {token.symbol}")
    return {"exact": missing, "short": max(missing // 2, 1), "over": missing + missing // 10 + 1}[
        str(amount)
    ]


def _own_balances(services: Services, on: Chain, given: object) -> dict[str, dict[str, int]]:
    if not isinstance(given, Mapping):
        raise InvalidInput('balances must look like {"relayer": {"USDC": "1000000"}}')
    own: dict[str, dict[str, int]] = {}
    for account, amounts in given.items():
        if account not in ("relayer", "treasury", "bridger", "coordinator"):
            raise InvalidInput(f"balances: {account} must be relayer, treasury or bridger")
        if not isinstance(amounts, Mapping):
            raise InvalidInput(f"balances.{account} must map symbols to amounts")
        own[account] = {}
        for symbol, amount in amounts.items():
            known = (on.id, symbol) in services.catalogue.tokens or symbol == on.native_symbol
            if not known:
                raise InvalidInput(f"balances.{account}: {symbol} is not available on {on.id}")
            text = str(amount)
            if not (text.isascii() and text.isdigit() and len(text) <= 78):
                raise InvalidInput(f"balances.{account}.{symbol} must be an amount in units")
            own[account][symbol] = int(text)
    return own


def _addresses(
    services: Services, on: Chain, body: Mapping[str, Any], name: str
) -> tuple[str, ...]:
    given = body.get(name, [])
    if not isinstance(given, list):
        raise InvalidInput(f"{name} must be a list of addresses")
    return tuple(address_of(services, on, address, name) for address in given)


def _whole(name: str, value: object, least: int, most: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise InvalidInput(f"{name} must be a whole number from {least} to {most}")
    return value


def _number(name: str, value: object, least: float, most: float) -> float:
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not good or not least <= float(str(value)) <= most:
        raise InvalidInput(f"{name} must be a number from {least:.0f} to {most:.0f}")
    return float(str(value))

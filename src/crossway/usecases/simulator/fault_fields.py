"""Parse the fields of a request that injects faults into a simulated chain."""

from collections.abc import Mapping, Sequence
from typing import Any

from crossway.domain.catalogue import Chain
from crossway.domain.errors import InvalidInput
from crossway.ports.sandbox import NODE_LIES, Faults
from crossway.ports.services import Services
from crossway.usecases.chains.request_fields import parse_address
from crossway.usecases.validation_errors import ValidationErrors

MAX_SECONDS = 10 * 365 * 86_400
MAX_BLOCKS = 10_000
_MINIMUMS = {"dropNext": 0, "revertNext": 0, "slowBlocks": 0, "reorgDepth": 0, "feeFactor": 1}
FAULT_FIELDS = {
    *_MINIMUMS,
    "outageSeconds",
    "takeNonce",
    "lie",
    "refuse",
    "accept",
    "balances",
}


def parse_faults(services: Services, chain: Chain, body: Mapping[str, Any]) -> Faults:
    """Parse the faults of a request body; raises `InvalidInput` with all errors."""
    errors = ValidationErrors()
    numbers = {
        name: errors.collect(parse_integer, name, body[name], minimum, MAX_BLOCKS)
        for name, minimum in _MINIMUMS.items()
        if name in body
    }
    outage = None
    if "outageSeconds" in body:
        outage = errors.collect(
            parse_number, "outageSeconds", body["outageSeconds"], 0, MAX_SECONDS
        )
    if body.get("lie", "") not in ("", *NODE_LIES):
        errors.add(f"lie must be one of {', '.join(NODE_LIES)}, or empty")
    if not isinstance(body.get("takeNonce", False), bool):
        errors.add("takeNonce must be true or false")
    refuse = errors.collect(_parse_addresses, services, chain, body, "refuse")
    accept = errors.collect(_parse_addresses, services, chain, body, "accept")
    own_balances = errors.collect(_parse_own_balances, services, chain, body.get("balances", {}))
    errors.raise_if_any()
    return Faults(
        outage_seconds=outage,
        reorg_depth=numbers.get("reorgDepth") or 0,
        drop_next=numbers.get("dropNext"),
        revert_next=numbers.get("revertNext"),
        slow_blocks=numbers.get("slowBlocks"),
        fee_factor=numbers.get("feeFactor"),
        take_nonce=bool(body.get("takeNonce", False)),
        lie=body.get("lie"),
        refuse=refuse or (),
        accept=accept or (),
        balances=own_balances or {},
    )


def _parse_own_balances(
    services: Services, chain: Chain, value: object
) -> dict[str, dict[str, int]]:
    if not isinstance(value, Mapping):
        raise InvalidInput('balances must look like {"relayer": {"USDC": "1000000"}}')
    balances: dict[str, dict[str, int]] = {}
    for account, amounts in value.items():
        if account not in ("relayer", "treasury", "bridger", "coordinator"):
            raise InvalidInput(f"balances: {account} must be relayer, treasury or bridger")
        if not isinstance(amounts, Mapping):
            raise InvalidInput(f"balances.{account} must map symbols to amounts")
        balances[account] = {}
        for symbol, amount in amounts.items():
            is_known = (
                chain.id,
                symbol,
            ) in services.catalogue.tokens or symbol == chain.native_symbol
            if not is_known:
                raise InvalidInput(f"balances.{account}: {symbol} is not available on {chain.id}")
            text = str(amount)
            if not (text.isascii() and text.isdigit() and len(text) <= 78):
                raise InvalidInput(f"balances.{account}.{symbol} must be an amount in units")
            balances[account][symbol] = int(text)
    return balances


def _parse_addresses(
    services: Services, chain: Chain, body: Mapping[str, Any], name: str
) -> tuple[str, ...]:
    addresses = body.get(name, [])
    if not isinstance(addresses, list):
        raise InvalidInput(f"{name} must be a list of addresses")
    return tuple(parse_address(services, chain, address, name) for address in addresses)


def parse_integer(name: str, value: object, minimum: int, maximum: int) -> int:
    """A whole number from `minimum` to `maximum`; raises `InvalidInput` naming the field."""
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        raise InvalidInput(f"{name} must be a whole number from {minimum} to {maximum}")
    return value


def parse_number(name: str, value: object, minimum: float, maximum: float) -> float:
    """A number from `minimum` to `maximum`; raises `InvalidInput` naming the field."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not minimum <= float(str(value)) <= maximum:
        raise InvalidInput(f"{name} must be a number from {minimum:.0f} to {maximum:.0f}")
    return float(str(value))


def parse_boolean(name: str, value: object) -> bool:
    """True or false; raises `InvalidInput` naming the field."""
    if not isinstance(value, bool):
        raise InvalidInput(f"{name} must be true or false")
    return value


def parse_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """One of these texts; raises `InvalidInput` naming the field."""
    if not isinstance(value, str) or value not in choices:
        named = ", ".join(choice or "an empty text" for choice in choices)
        raise InvalidInput(f"{name} must be one of {named}")
    return value

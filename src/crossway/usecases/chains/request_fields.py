"""Parse the request fields that name chains, addresses and tokens, and lists of names."""

from collections.abc import Collection

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Principal
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, MissingInput
from crossway.domain.money import Token
from crossway.ports.services import Services
from crossway.usecases.chains.kill_switches import is_chain_disabled, is_source_disabled


def parse_known_chain(
    services: Services, caller: Principal | None, name: object, field: str = "chain"
) -> Chain:
    """The catalogue's chain with this name; raises `InvalidInput`, also for a live key that names a
    test network."""
    chain = services.catalogue.chain(name, field)
    if caller is not None:
        caller.require_chain_allowed(chain.testnet, field)
    return chain


def parse_chain(
    services: Services,
    caller: Principal | None,
    disabled: Collection[str],
    name: object,
    field: str,
) -> Chain:
    """The chain with this name, if it is configured, enabled and allowed for the caller's key."""
    chain = parse_known_chain(services, caller, name, field)
    if chain.id not in services.chains:
        raise InvalidInput(
            f"{field}: {chain.id} is not configured here", ErrorCode.CHAIN_UNAVAILABLE
        )
    if is_chain_disabled(disabled, chain.id):
        raise InvalidInput(f"{field}: {chain.id} is disabled", ErrorCode.CHAIN_UNAVAILABLE)
    return chain


def parse_source_chain(
    services: Services,
    caller: Principal | None,
    disabled: Collection[str],
    name: object,
    field: str,
) -> Chain:
    """As `parse_chain`, if what is paid in there can be settled."""
    chain = parse_chain(services, caller, disabled, name, field)
    require_open_source(disabled, chain.id, field)
    return chain


def require_open_source(disabled: Collection[str], chain: str, field: str) -> None:
    """Raises `InvalidInput` where nothing may be paid in on a chain."""
    if is_chain_disabled(disabled, chain):
        raise InvalidInput(f"{field}: {chain} is disabled", ErrorCode.CHAIN_UNAVAILABLE)
    if is_source_disabled(disabled, chain):
        raise InvalidInput(
            f"{field}: {chain} takes no new payments at the moment", ErrorCode.CHAIN_UNAVAILABLE
        )


def parse_address(services: Services, chain: Chain, text: object, field: str) -> str:
    """An address in the canonical spelling of its chain."""
    if text is None:
        raise MissingInput(f"{field} is required")
    try:
        return services.chains[chain.id].canonical_address(text if isinstance(text, str) else "")
    except ValueError as error:
        raise InvalidInput(f"{field} {error}") from error


def require_token_allowed(
    services: Services, caller: Principal | None, text: object, field: str
) -> None:
    """Raises `InvalidInput` for a live key that names a token of a test network."""
    if caller is not None:
        caller.require_chain_allowed(services.catalogue.is_test_token(text), field)


def parse_token(
    services: Services, caller: Principal | None, chain: Chain, text: object, field: str
) -> Token:
    """The catalogue's token at an address of a chain; raises `InvalidInput`, also for a live key
    that names a token of a test network."""
    require_token_allowed(services, caller, text, field)
    return services.catalogue.token_at(chain.id, parse_address(services, chain, text, field), field)


def split_list(text: str | None) -> list[str]:
    """The items of a comma-separated list."""
    return [item for part in (text or "").split(",") if (item := part.strip())]

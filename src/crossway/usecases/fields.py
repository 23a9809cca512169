"""Reading the fields that several requests share: chains, addresses and tokens as text."""

from collections.abc import Collection

from crossway.domain.catalogue import Chain
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.money import Token
from crossway.ports.services import Services
from crossway.usecases.network.switches import chain_is_off


def chain_of(
    services: Services, caller: Caller | None, off: Collection[str], name: object, field: str
) -> Chain:
    """The chain of this name, if it is configured, switched on and allowed to this key."""
    chain = services.catalogue.chain(name, field)
    if caller is not None:
        caller.may_use(chain.id, chain.testnet)
    if chain.id not in services.chains:
        raise InvalidInput(f"{field}: {chain.id} is not configured here")
    if chain_is_off(off, chain.id):
        raise InvalidInput(f"{field}: {chain.id} is switched off")
    return chain


def address_of(services: Services, chain: Chain, text: object, field: str) -> str:
    """An address of a chain in its one spelling."""
    try:
        return services.chains[chain.id].canonical_address(text if isinstance(text, str) else "")
    except ValueError as error:
        raise InvalidInput(f"{field} {error}") from error


def token_of(services: Services, chain: Chain, text: object, field: str) -> Token:
    """The token at an address of a chain."""
    return services.catalogue.token_at(chain.id, address_of(services, chain, text, field), field)

"""Which addresses may receive a payment or a refund: not burn addresses, tokens or our own."""

from collections.abc import Callable, Collection, Set

from crossway.domain.catalogue import Chain
from crossway.domain.errors import InvalidInput
from crossway.ports.services import Services
from crossway.usecases.chains.request_fields import parse_address


def parse_payable_address(
    services: Services,
    chain: Chain,
    text: object,
    field: str,
    is_deposit_address: Callable[[str], bool] | None = None,
) -> str:
    """The canonical form of an address that may receive a payment or a refund on a chain.

    `is_deposit_address` tells whether an address is that of a payment, where it was read before;
    else it is read here. Raises `InvalidInput` that names the field and what would be right: for
    burn addresses, contracts of tokens, our own accounts and contracts, and deposit addresses of
    any payment, where money would be lost, or be mixed up with what others are owed.
    """
    address = parse_address(services, chain, text, field)
    why = _refusal(services, chain, address)
    if why is None:
        if is_deposit_address is None:
            is_deposit_address = read_deposit_addresses(services, [address]).__contains__
        why = "the deposit address of a payment" if is_deposit_address(address) else None
    if why is not None:
        raise InvalidInput(f"{field} is {why}; give the address of a wallet on {chain.name}")
    return address


def read_deposit_addresses(services: Services, addresses: Collection[str]) -> Set[str]:
    """Those of the addresses that are deposit addresses of payments, archived ones included."""
    with services.store.read() as unit:
        return unit.intents.find_deposit_addresses(addresses)


def _refusal(services: Services, chain: Chain, address: str) -> str | None:
    """What an address is that must not be paid; None for any other. Reads no database."""
    catalogue = services.catalogue
    if (why := catalogue.burn_addresses.get((chain.kind, address))) is not None:
        return f"{why}: funds sent there are lost"
    if (token := catalogue.by_address.get((chain.id, address))) is not None:
        return f"the contract of {token.symbol}: funds sent there are lost"
    if (owner := services.chains[chain.id].accounts.role_of(address)) is not None:
        return f"{owner} of this service"
    return None

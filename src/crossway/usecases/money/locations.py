"""The names of the places where money is booked: chains, and places beside them."""

from crossway.domain.ledger import FIAT, is_fiat, is_unified, unified_title
from crossway.ports.services import Services


def location_name(services: Services, location: str) -> str:
    """The name of a chain, of a unified balance, or of the provider that holds fiat money."""
    if is_unified(location):
        return unified_title(location)
    if is_fiat(location):
        return location.removeprefix(FIAT)
    return services.catalogue.chains[location].name

"""The public numbers of an installation's records."""

from crossway.domain.public_ids import PURPOSE, PublicIds, public_ids
from crossway.ports.services import Services


def ids_of(services: Services) -> PublicIds:
    """Encodes and decodes the numbers under which outsiders know records."""
    return public_ids(services.vault.derive_key(PURPOSE))

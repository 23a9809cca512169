"""What a simulated deposit is sent to, as far as its sender may know it."""

from crossway.domain.clients import Principal
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput, NotFound
from crossway.domain.intent import Intent
from crossway.domain.standing import StandingAddress
from crossway.ports.services import Services
from crossway.usecases.payments.intents import find_by_address


def find_intent(services: Services, caller: Principal, address: object) -> Intent | None:
    """The caller's intent at an address; None where there is no intent. Raises `NotFound` for an
    intent of another client or mode."""
    if not isinstance(address, str) or not address:
        raise InvalidInput("address must be an address")
    intent = find_by_address(services, address)
    if intent is not None and not caller.can_access(intent):
        raise NotFound("Intent not found", ErrorCode.INTENT_NOT_FOUND)
    return intent


def find_standing(services: Services, caller: Principal, address: object) -> StandingAddress | None:
    """The caller's standing address; None where there is none. Raises `NotFound` for one of another
    client or mode."""
    with services.store.read() as unit:
        found = unit.standing.find_by_addresses([str(address)]).get(str(address))
    if found is not None and not caller.can_access(found):
        raise NotFound("Standing address not found", ErrorCode.STANDING_ADDRESS_NOT_FOUND)
    return found

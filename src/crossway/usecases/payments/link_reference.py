"""The payment link that a new payment names as its own."""

from crossway.domain.clients import Principal
from crossway.domain.errors import InvalidInput
from crossway.domain.payment_links import ClosedReason
from crossway.ports.services import Services

MAX_LINK_ID_LENGTH = 255
_PROBLEMS = {
    ClosedReason.OFF: "this payment link is switched off",
    ClosedReason.OVER: "this payment link has expired",
}


def parse_link_id(services: Services, caller: Principal, value: object) -> str:
    """The id of a payment link of the caller's client and mode that takes payments.

    How often a link may be paid limits those who pay by its page: a payment that its merchant
    creates is not counted, so that it is taken where all uses are used up. Raises `InvalidInput`.
    """
    is_printable = isinstance(value, str) and value.isprintable()
    if not is_printable or not 1 <= len(str(value)) <= MAX_LINK_ID_LENGTH:
        raise InvalidInput("payment_link_id must be a text of 1 to 255 printable characters")
    with services.store.read() as unit:
        link = unit.payment_links.get(str(value))
    if link is None or (link.client_id, link.mode) != (caller.owner.client_id, caller.owner.mode):
        raise InvalidInput("payment_link_id: no payment link of yours has this id")
    if (closed := link.closed_reason(services.clock.now())) in _PROBLEMS:
        raise InvalidInput(f"payment_link_id: {_PROBLEMS[closed]}")
    return link.id

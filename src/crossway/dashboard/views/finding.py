"""What the search of the frame finds: a payment, a ramp order, or a person by e-mail address."""

import re
from dataclasses import dataclass

from crossway.dashboard.views import ramp_story
from crossway.dashboard.views.links import intent_href, link, order_href
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.identity import read_email
from crossway.ports.services import Services
from crossway.usecases import tracking

_ORDER = re.compile(r"order\s*#?\s*([0-9]{1,17})\Z", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True, slots=True)
class Found:
    """Where to go: a screen's link, and the e-mail address that it is to start from, which never
    stands in a link."""

    href: str
    email: str = ""


def found(services: Services, caller: Caller, text: str) -> Found | None:
    """Where a text leads: `order 12` and a provider's reference to that order, an e-mail address to
    the identity checks, everything else to payments first; None where nothing is known by it."""
    if email := _email(text):
        return Found("kyc", email)
    if named := _ORDER.match(text):
        orders = ramp_story.sought(services, caller, named.group(1))
        return Found(order_href(orders[0].id)) if orders else None
    payments = tracking.find(services, caller, text)
    if payments:
        one = len(payments) == 1
        return Found(intent_href(payments[0].id) if one else link("intents", search=text))
    orders = ramp_story.sought(services, caller, text)
    if not orders:
        return None
    return Found(order_href(orders[0].id) if len(orders) == 1 else link("ramp_orders", search=text))


def _email(text: str) -> str:
    try:
        return read_email(text)
    except InvalidInput:
        return ""

"""Records with the related ones that `expand` names."""

from crossway_client.records.intents import Intent
from crossway_client.records.payment_links import LinkUse
from crossway_client.records.ramp_orders import RampOrder
from crossway_client.records.webhooks import Delivery


class ExpandedIntent(Intent):
    """A payment that was read. With `expand` it has its ramp `order`, None if there is none, and
    the newest `deliveries` of its events; None where they were not asked for."""

    order: RampOrder | None = None
    deliveries: tuple[Delivery, ...] | None = None


class ExpandedOrder(RampOrder):
    """A ramp order that was read. With `expand` it has its `intent`, None before it has one."""

    intent: Intent | None = None


class ExpandedUse(LinkUse):
    """One use of a payment link. With `expand` it has its `intent`."""

    intent: Intent | None = None

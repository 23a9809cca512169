"""Resources with the related ones that `expand` names, and the pages of their lists."""

from typing import Final

from pydantic import Field

from crossway.api.schemas.fields import RECORD, Model, field
from crossway.api.schemas.intents import ReadIntent
from crossway.api.schemas.payment_links import UseOut
from crossway.api.schemas.ramp_orders import OrderOut
from crossway.api.schemas.webhooks import DeliveryOut


class ExpandedIntent(ReadIntent):
    """An intent in the read form, with what `expand` names."""

    order: OrderOut | None = Field(
        default=None, description="With `expand=order`: its ramp order; null if it has none."
    )
    deliveries: list[DeliveryOut] | None = Field(
        default=None,
        description="With `expand=deliveries`: the newest 10 webhook deliveries of its events.",
    )


class ExpandedOrder(OrderOut):
    """A ramp order, with what `expand` names."""

    intent: ReadIntent | None = Field(
        default=None, description="With `expand=intent`: its intent; null before it has one."
    )


class ExpandedUse(UseOut):
    """One payment made with a payment link, with what `expand` names."""

    intent: ReadIntent | None = Field(default=None, description="With `expand=intent`: its intent.")


MINIMUM: Final = (
    "Whether there may be more results than `total`: counts by status are complete, others may end "
    "early."
)


class IntentPage(Model):
    """A page of intents, newest first."""

    intents: list[ExpandedIntent] = Field(description="The intents of this page.")
    total: int = field("Total number of results.", 1)
    totalIsMinimum: bool = field(MINIMUM, False)
    limit: int = field("Maximum number of results of a page.", 20)
    offset: int = field("Number of skipped results.", 0)
    nextCursor: str | None = field("`cursor` of the next page; null on the last one.", "42")


class OrderPage(Model):
    """A page of orders, newest first."""

    orders: list[ExpandedOrder] = Field(description="The orders of this page.")
    total: int = field("Total number of results.", 1)
    totalIsMinimum: bool = field(MINIMUM, False)
    limit: int = field("Maximum number of results of a page.", 20)
    offset: int = field("Number of skipped results.", 0)
    nextCursor: str | None = field("`cursor` of the next page; null on the last one.", "42")


class UsePage(Model):
    """A page of uses, newest first."""

    uses: list[ExpandedUse] = Field(description="The uses of this page.")
    limit: int = field("Maximum number of results of a page.", 20)
    next_cursor: str | None = field("`cursor` of the next page; null on the last one.", str(RECORD))

"""What can change that people look at."""

from enum import StrEnum


class Topic(StrEnum):
    """What a part of a screen may be about; everything that is none of the others is REST."""

    PAYMENTS = "payments"
    ORDERS = "orders"
    WEBHOOKS = "webhooks"
    REQUESTS = "requests"
    ALARMS = "alarms"
    REST = "rest"

"""Topics of data changes that live screens subscribe to."""

from enum import StrEnum


class Topic(StrEnum):
    """The subject of a data change; REST is everything that has no topic of its own."""

    PAYMENTS = "payments"
    ORDERS = "orders"
    WEBHOOKS = "webhooks"
    REQUESTS = "requests"
    ALERTS = "alerts"
    REST = "rest"

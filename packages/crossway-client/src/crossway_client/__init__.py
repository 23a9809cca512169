"""A typed client of the Crossway API, synchronous and asynchronous."""

from crossway_client.client import LOCAL, AsyncCrossway, Crossway
from crossway_client.records.events import (
    Event,
    IntentEvent,
    RampOrderEvent,
    StandingDepositEvent,
)
from crossway_client.records.intents import Intent
from crossway_client.records.payment_links import PaymentLink
from crossway_client.records.quotes import MultiSourceQuote, Quote
from crossway_client.records.ramp_orders import RampOrder
from crossway_client.records.ramps import RampQuotes
from crossway_client.records.standing import StandingAddress, StandingDeposit, StandingQuote
from crossway_client.records.webhooks import Delivery, Webhook
from crossway_client.signatures import verify_webhook
from crossway_client.transport.errors import (
    APIConnectionError,
    ApiError,
    BadRequest,
    Conflict,
    CrosswayError,
    Forbidden,
    InvalidArgument,
    KycRequired,
    NotFound,
    RateLimited,
    ServerError,
    SignatureVerificationError,
    Unauthorized,
    UnexpectedResponse,
)
from crossway_client.transport.retries import RetryPolicy

__all__ = [
    "LOCAL",
    "APIConnectionError",
    "ApiError",
    "AsyncCrossway",
    "BadRequest",
    "Conflict",
    "Crossway",
    "CrosswayError",
    "Delivery",
    "Event",
    "Forbidden",
    "Intent",
    "IntentEvent",
    "InvalidArgument",
    "KycRequired",
    "MultiSourceQuote",
    "NotFound",
    "PaymentLink",
    "Quote",
    "RampOrder",
    "RampOrderEvent",
    "RampQuotes",
    "RateLimited",
    "RetryPolicy",
    "ServerError",
    "SignatureVerificationError",
    "StandingAddress",
    "StandingDeposit",
    "StandingDepositEvent",
    "StandingQuote",
    "Unauthorized",
    "UnexpectedResponse",
    "Webhook",
    "verify_webhook",
]

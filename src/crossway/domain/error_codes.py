"""The codes of errors: what a program decides by, stable however a sentence is worded."""

from enum import StrEnum
from types import MappingProxyType
from typing import Final


class ErrorCode(StrEnum):
    """The member `code` of every error response."""

    UNAUTHORIZED = "unauthorized"
    SCOPE_MISSING = "scope_missing"
    ADDRESS_NOT_ALLOWED = "address_not_allowed"
    FORBIDDEN = "forbidden"
    HOST_NOT_ALLOWED = "host_not_allowed"
    RATE_LIMITED = "rate_limited"
    BODY_INVALID = "body_invalid"
    BODY_TOO_LARGE = "body_too_large"
    PARAMETER_MISSING = "parameter_missing"
    PARAMETER_INVALID = "parameter_invalid"
    PARAMETER_UNKNOWN = "parameter_unknown"
    PARAMETER_REPEATED = "parameter_repeated"
    LIVE_KEY_ON_TEST_NETWORK = "live_key_on_test_network"
    CHAIN_UNAVAILABLE = "chain_unavailable"
    ROUTE_NOT_SUPPORTED = "route_not_supported"
    AMOUNT_OUT_OF_RANGE = "amount_out_of_range"
    KYC_REQUIRED = "KYC_REQUIRED"
    INVALID_STATUS = "invalid_status"
    INTENT_NOT_FUNDED = "intent_not_funded"
    NOTHING_TO_REFUND = "nothing_to_refund"
    LIMIT_REACHED = "limit_reached"
    NOT_FOUND = "not_found"
    INTENT_NOT_FOUND = "intent_not_found"
    ORDER_NOT_FOUND = "order_not_found"
    PAYMENT_LINK_NOT_FOUND = "payment_link_not_found"
    STANDING_ADDRESS_NOT_FOUND = "standing_address_not_found"
    STANDING_DEPOSIT_NOT_FOUND = "standing_deposit_not_found"
    INVOICE_NOT_FOUND = "invoice_not_found"
    SUBSCRIPTION_NOT_FOUND = "subscription_not_found"
    WEBHOOK_NOT_FOUND = "webhook_not_found"
    DELIVERY_NOT_FOUND = "delivery_not_found"
    EXPORT_NOT_FOUND = "export_not_found"
    PROVIDER_NOT_FOUND = "provider_not_found"
    NO_QUOTES = "no_quotes"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    IDEMPOTENCY_KEY_IN_USE = "idempotency_key_in_use"
    IDEMPOTENCY_KEY_REUSED = "idempotency_key_reused"
    UPSTREAM_UNAVAILABLE = "upstream_unavailable"
    QUOTES_UNAVAILABLE = "quotes_unavailable"
    PAYMENTS_STOPPED = "payments_stopped"
    STORAGE_UNAVAILABLE = "storage_unavailable"
    STARTING = "starting"
    INTERNAL_ERROR = "internal_error"


_C = ErrorCode
# By code the HTTP statuses it comes with, and what it means for a program.
CATALOGUE: Final = MappingProxyType(
    {
        _C.UNAUTHORIZED: ((401,), "The key is missing, unknown, expired or revoked."),
        _C.SCOPE_MISSING: ((403,), "The key lacks the scope that this endpoint needs."),
        _C.ADDRESS_NOT_ALLOWED: ((403,), "The key may not be used from this network address."),
        _C.HOST_NOT_ALLOWED: ((421,), "The service is not known under the host of this request."),
        _C.FORBIDDEN: ((403,), "This is not allowed, as the message says."),
        _C.RATE_LIMITED: ((429,), "Too many requests: wait for the seconds of `Retry-After`."),
        _C.BODY_INVALID: (
            (400,),
            "The body is not a JSON object or the document asked for, or was cut off.",
        ),
        _C.BODY_TOO_LARGE: ((413,), "The body is longer than this endpoint takes."),
        _C.PARAMETER_MISSING: ((400, 403), "Every refused field is required and missing."),
        _C.PARAMETER_INVALID: (
            (400,),
            "A field has a value that is not accepted; also several fields refused for "
            "different reasons.",
        ),
        _C.PARAMETER_UNKNOWN: ((400,), "The endpoint has no such field or query parameter."),
        _C.PARAMETER_REPEATED: ((400,), "A query parameter is there more than once."),
        _C.LIVE_KEY_ON_TEST_NETWORK: (
            (400,),
            "A live key names a test network, or one of its tokens.",
        ),
        _C.CHAIN_UNAVAILABLE: ((400,), "The chain is not configured here, or is switched off now."),
        _C.ROUTE_NOT_SUPPORTED: ((400,), "No bridge, or not this bridge, carries this payment."),
        _C.AMOUNT_OUT_OF_RANGE: ((400,), "The amount is outside the limits; the message names it."),
        _C.KYC_REQUIRED: (
            (400,),
            "The user must pass an identity check first; `kyc` has its state.",
        ),
        _C.INVALID_STATUS: ((400,), "The status of the resource does not allow this."),
        _C.INTENT_NOT_FUNDED: ((400,), "The intent has received less than its deposit."),
        _C.NOTHING_TO_REFUND: ((400,), "The intent holds nothing that could be refunded."),
        _C.LIMIT_REACHED: ((400,), "The client has as many of these as it may have."),
        _C.NOT_FOUND: ((404,), "There is no such path, or no such resource of this key's mode."),
        _C.INTENT_NOT_FOUND: ((404,), "No intent of this client and mode has this id or address."),
        _C.ORDER_NOT_FOUND: ((404,), "No ramp order of this client and mode has this id."),
        _C.PAYMENT_LINK_NOT_FOUND: (
            (400, 404),
            "No payment link of this client and mode has this id.",
        ),
        _C.STANDING_ADDRESS_NOT_FOUND: (
            (404,),
            "No standing address of this client and mode has this id.",
        ),
        _C.STANDING_DEPOSIT_NOT_FOUND: (
            (404,),
            "No deposit at a standing address of this client and mode has this id.",
        ),
        _C.INVOICE_NOT_FOUND: ((404,), "No invoice of this client and mode has this id."),
        _C.SUBSCRIPTION_NOT_FOUND: ((404,), "No subscription of this client and mode has this id."),
        _C.WEBHOOK_NOT_FOUND: ((404,), "No webhook of this client and mode has this id."),
        _C.DELIVERY_NOT_FOUND: ((404,), "No delivery of this client and mode has this id."),
        _C.EXPORT_NOT_FOUND: (
            (404,),
            "No export of this client and mode has this id, or the link to its file has expired.",
        ),
        _C.PROVIDER_NOT_FOUND: ((404,), "No ramp provider reports under this name."),
        _C.NO_QUOTES: ((404,), "No bridge quotes this route."),
        _C.METHOD_NOT_ALLOWED: ((405,), "The path has other methods, which `Allow` lists."),
        _C.CONFLICT: ((409,), "The same operation is in progress."),
        _C.IDEMPOTENCY_KEY_IN_USE: (
            (409,),
            "The first request with this `Idempotency-Key` is in progress: repeat it shortly.",
        ),
        _C.IDEMPOTENCY_KEY_REUSED: (
            (422,),
            "This `Idempotency-Key` belongs to another request: use a new one.",
        ),
        _C.UPSTREAM_UNAVAILABLE: (
            (500, 503),
            "A chain, a provider or a price source gave no answer: repeat the request later.",
        ),
        _C.QUOTES_UNAVAILABLE: ((500, 503), "Nothing can be quoted now: repeat it later."),
        _C.PAYMENTS_STOPPED: ((503,), "The operator has stopped payments for the time being."),
        _C.STORAGE_UNAVAILABLE: ((503,), "The service cannot store anything now: repeat it later."),
        _C.STARTING: ((503,), "The service is starting: repeat the request in a moment."),
        _C.INTERNAL_ERROR: ((500,), "An error of the service; `X-Request-Id` identifies it."),
    }
)

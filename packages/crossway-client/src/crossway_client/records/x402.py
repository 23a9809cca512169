"""Records of x402: what a customer is asked to pay, and what became of it."""

from typing import Any

from crossway_client.records.base import CamelCaseRecord


class PaymentRequired(CamelCaseRecord):
    """What to answer with status 402; `response_json` is the body as it is. `accepts` are the
    offers, the cheapest first, each with a deposit address for one payment."""

    x402_version: int
    error: str
    resource: dict[str, Any]
    accepts: list[dict[str, Any]]


class Verification(CamelCaseRecord):
    """Whether a payment would be settled now; `invalid_reason` is the protocol's."""

    is_valid: bool
    payer: str
    invalid_reason: str = ""


class Settlement(CamelCaseRecord):
    """What became of a payment: `transaction` on the payer's chain, or why it failed."""

    success: bool
    transaction: str
    network: str
    payer: str
    amount: int | None = None
    error_reason: str = ""


class SupportedKinds(CamelCaseRecord):
    """What can be settled: version, scheme and network of each kind."""

    kinds: list[dict[str, Any]]
    extensions: list[str]
    signers: dict[str, list[str]]

"""The domain's errors; the API maps each class to one status and shape."""

from crossway.domain.kyc import KycAssessment


class DomainError(Exception):
    """A request that cannot be fulfilled; the message is a sentence the caller can act on."""


class InvalidInput(DomainError):
    """A field is invalid; several problems are joined by `; `."""


class Unauthorized(DomainError):
    """The API key is missing, unknown or revoked."""


class Forbidden(DomainError):
    """The API key or the role lacks a permission."""


class NotFound(DomainError):
    """The resource does not exist or belongs to another client."""


class InvalidStatus(DomainError):
    """The status of the resource does not allow this."""


class Conflict(DomainError):
    """The same operation is already in progress."""


class IdempotencyConflict(DomainError):
    """An idempotency key was reused with a different request."""


class KycRequired(DomainError):
    """An order requires KYC; `assessment` says which level and what is missing."""

    def __init__(self, message: str, assessment: KycAssessment) -> None:
        super().__init__(message)
        self.assessment = assessment


class TooManyRequests(DomainError):
    """The rate limit is exceeded for `retry_after_seconds`."""

    def __init__(self, message: str, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class SigningRefused(Exception):
    """A transaction is not signed, because it does not match what is stored about it, because its
    signer refuses it by rules of its own, or because this process holds no key."""


class Unreachable(Exception):
    """A chain, bridge, provider or price source gave no answer: the result is unknown."""


class WrongChain(Unreachable):
    """The nodes of a chain answer, but at least one that is needed serves another chain: nothing
    that it says counts, and it stays so until its URL is corrected."""


class StorageUnavailable(Unreachable):
    """The database cannot be used now: its disk is full, another program has locked it, or it does
    not answer. Nothing is decided; what was under way is tried again later."""


class QuotesUnavailable(Exception):
    """No bridge or no price source answered, so nothing can be quoted."""


class NoTerms(QuotesUnavailable):
    """Bridges of a payment's route do not say what they charge, and none that does carries it: the
    payment has no terms, whatever their models estimate."""


class PaymentsStopped(QuotesUnavailable):
    """The operator stopped all outgoing money, so no payment is taken; the message says so."""


class InvalidTransition(Exception):
    """An event that the state machine does not allow: a bug, never a user error."""

"""The domain's errors; the API maps each class to one status and shape."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.domain.error_codes import ErrorCode
from crossway.domain.kyc import KycAssessment


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with a field of a request. `text` is a sentence that begins with the field's
    name; `fields` names the fields of one that does not."""

    text: str
    code: ErrorCode = ErrorCode.PARAMETER_INVALID
    fields: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The fields that it is about."""
        return self.fields or (self.text.partition(" ")[0].rstrip(":"),)


class DomainError(Exception):
    """A request that cannot be fulfilled; the message is a sentence the caller can act on, and
    `code` what a program decides by. `field_errors` are about the fields of the request, if any."""

    code = ErrorCode.INVALID_STATUS

    def __init__(self, message: str, code: ErrorCode | None = None) -> None:
        super().__init__(message)
        if code is not None:
            self.code = code
        self.field_errors: tuple[FieldError, ...] = (FieldError(message, self.code),)


class InvalidInput(DomainError):
    """Fields are invalid; `field_errors` has a sentence for each, joined by `; ` in the message."""

    code = ErrorCode.PARAMETER_INVALID

    def __init__(
        self, message: str, code: ErrorCode | None = None, fields: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, code)
        self.field_errors = (FieldError(message, self.code, fields),)

    @classmethod
    def of(cls, errors: Sequence[FieldError]) -> "InvalidInput":
        """One error of several field errors; its code is theirs, if they share one. A sentence
        about several fields is said once."""
        codes = {one.code for one in errors}
        code = codes.pop() if len(codes) == 1 else ErrorCode.PARAMETER_INVALID
        error = cls("; ".join(dict.fromkeys(one.text for one in errors)), code)
        error.field_errors = tuple(errors)
        return error


class MissingInput(InvalidInput):
    """A required field is missing."""

    code = ErrorCode.PARAMETER_MISSING


class Unauthorized(DomainError):
    """The API key is missing, unknown or revoked."""

    code = ErrorCode.UNAUTHORIZED


class Forbidden(DomainError):
    """The API key or the role lacks a permission."""

    code = ErrorCode.FORBIDDEN


class NotFound(DomainError):
    """The resource does not exist or belongs to another client."""

    code = ErrorCode.NOT_FOUND


class InvalidStatus(DomainError):
    """The status of the resource does not allow this."""


class Conflict(DomainError):
    """The same operation is already in progress."""

    code = ErrorCode.CONFLICT


class IdempotencyConflict(DomainError):
    """An idempotency key was reused with a different request."""

    code = ErrorCode.IDEMPOTENCY_KEY_REUSED


class KycRequired(DomainError):
    """An order requires KYC; `assessment` says which level and what is missing."""

    code = ErrorCode.KYC_REQUIRED

    def __init__(self, message: str, assessment: KycAssessment) -> None:
        super().__init__(message)
        self.assessment = assessment


class TooManyRequests(DomainError):
    """The rate limit is exceeded for `retry_after_seconds`."""

    code = ErrorCode.RATE_LIMITED

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

"""Every refusal in the words of the domain; the API maps each kind to one status and shape."""

from crossway.domain.kyc import KycState


class Refusal(Exception):
    """Something asked for that is not done; the text is a sentence a person can act on."""


class InvalidInput(Refusal):
    """A field is wrong; several complaints are joined by `; `."""


class Unauthorized(Refusal):
    """The key is missing, unknown or revoked."""


class Forbidden(Refusal):
    """The key is known and lacks the scope."""


class NotFound(Refusal):
    """No such thing, or not this client's."""


class WrongState(Refusal):
    """The thing exists and its state does not allow this."""


class Conflict(Refusal):
    """Something else is doing the same thing right now."""


class KeyReused(Refusal):
    """An idempotency key came again with another request than its first."""


class KycRequired(Refusal):
    """An identity check stands in the way of an order; `state` says which, and what is missing."""

    def __init__(self, message: str, state: KycState) -> None:
        super().__init__(message)
        self.state = state


class TooManyRequests(Refusal):
    """The rate limit is reached; `retry_after_seconds` says when it is not."""

    def __init__(self, message: str, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.retry_after_seconds = retry_after_seconds


class Unreachable(Exception):
    """A chain, a bridge, a provider or a price source gave no answer: unknown, never a failure."""


class QuotesUnavailable(Exception):
    """No bridge and no price source could answer, so no quote can be given."""


class IllegalMove(Exception):
    """An event that the state's table does not have: a defect, never a user's mistake."""

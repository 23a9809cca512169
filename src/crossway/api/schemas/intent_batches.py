"""Request and response models of `POST /v1/intents/batch`."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from crossway.api.schemas.error_responses import ErrorBody
from crossway.api.schemas.fields import (
    NOT_AN_OBJECT,
    USDC_BASE,
    WALLET,
    Model,
    RequestModel,
    Text,
    field,
)
from crossway.api.schemas.intents import CreatedIntent, CreateIntent
from crossway.domain.error_codes import ErrorCode
from crossway.domain.errors import InvalidInput
from crossway.usecases.payments.create_batch import MAX_INTENTS, Asked, BatchMode

_EXAMPLE = {
    "amount": "25000000",
    "tokenIn": USDC_BASE,
    "source_chain": "BASE_MAINNET",
    "destination_chain": "ARBITRUM_MAINNET",
    "recipient": WALLET,
    "sender": WALLET,
}
# What is no list is read as an empty one, which the use case refuses by name.
_Listed = Annotated[
    list[Any],
    BeforeValidator(lambda value: value if isinstance(value, list) else []),
    WithJsonSchema(
        {
            "type": "array",
            "minItems": 1,
            "maxItems": MAX_INTENTS,
            "items": CreateIntent.model_json_schema(),
        }
    ),
]


class CreateIntentBatch(RequestModel):
    """The body of POST /intents/batch."""

    mode: Text = field(
        "`all`: if one cannot be created, none is, which is a 400. `each`: the others are.",
        BatchMode.ALL.value,
        default=BatchMode.ALL.value,
        extra={"enum": [mode.value for mode in BatchMode]},
    )
    intents: _Listed = field("The intents, each as in POST /intents.", [_EXAMPLE])

    def to_requests(self) -> list[Asked]:
        """The requests as the use case takes them."""
        return [_to_request(one) for one in self.intents]


class BatchItem(Model):
    """What came of one intent of a batch; it has either `intent` or `error`."""

    index: int = field("Its place in `intents` of the request, from 0.", 0)
    intent: CreatedIntent | None = Field(default=None, description="The intent, if it was created.")
    error: ErrorBody | None = Field(
        default=None, description="What POST /intents answers for it, if it was not."
    )


class IntentBatch(Model):
    """What came of a batch."""

    created: int = field("How many intents were created.", 1)
    failed: int = field("How many were not; in the mode `all` 0.", 0)
    results: list[BatchItem] = Field(
        description="One for each intent, in the order of the request."
    )


def _to_request(item: Any) -> Asked:
    if not isinstance(item, dict):
        return InvalidInput(NOT_AN_OBJECT, ErrorCode.BODY_INVALID)
    return CreateIntent.parse(item).to_request()

"""Request and response models of `/v1/search`."""

from typing import Self

from pydantic import Field, SkipValidation

from crossway.api.schemas.fields import IDENTIFIER, RECORD, Model, RequestModel, field
from crossway.usecases.payments.client_search import TYPES, FoundResource
from crossway.usecases.payments.search import MATCHED_BY

_URL = f"https://pay.shop.example/api/v1/intents/{RECORD}"


class SearchRequest(RequestModel):
    """The body of POST /search."""

    q: SkipValidation[str] = field(
        "The identifier, as it was copied; an e-mail address too.",
        "ada@example.com",
        extra=IDENTIFIER,
    )


class ResultOut(Model):
    """A resource that matches."""

    type: str = field("Its type.", "intent", extra={"enum": list(TYPES)})
    id: int | str = field("Its id.", RECORD)
    title: str = field(
        "What it is, in English.",
        "Payment of 25.034567 USDC from Base to Arbitrum One, FUNDED",
    )
    matched_field: str = field(
        "The field that matched.", "recipient", extra={"enum": list(MATCHED_BY)}
    )
    matched_by: str = field("The same in English.", "recipient address")
    unique: bool = field("Whether that field identifies the resource.", False)
    url: str = field("Where the API has it.", _URL)

    @classmethod
    def from_found(cls, found: FoundResource, base_url: str) -> Self:
        """One result; `base_url` is that of the API."""
        return cls(
            type=found.type,
            id=found.id,
            title=found.title,
            matched_field=found.matched_field,
            matched_by=MATCHED_BY.get(found.matched_field, found.matched_field),
            unique=found.is_unique,
            url=f"{base_url}/v1/{found.path}",
        )


class SearchResults(Model):
    """What an identifier finds."""

    results: list[ResultOut] = Field(description="The surest first, then the newest.")
    truncated: bool = field("Whether there may be more than are listed.", False)

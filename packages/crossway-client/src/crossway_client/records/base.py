"""What all records share: attributes in snake case, exact amounts, and the JSON they come from."""

from typing import Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    model_validator,
)
from pydantic.alias_generators import to_camel


class Record(BaseModel):
    """A record of the API. Amounts in the smallest unit are `int`, amounts for people `Decimal`,
    instants `datetime` with a time zone. Members that this client does not know are attributes
    too, with the names that they have in the JSON."""

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)
    _response_json: Any = PrivateAttr(None)

    @classmethod
    def parse(cls, response: Any) -> Self:
        """The record in a JSON response. Raises `ValueError` if it is none."""
        return cls.model_validate(response)

    @model_validator(mode="wrap")
    @classmethod
    def _keep_json(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Keep the JSON of a record, and of those inside it."""
        record = handler(value)
        if not isinstance(value, Record):
            record._response_json = value
        return record

    @property
    def response_json(self) -> Any:
        """The JSON of the record as the API returned it, with the API's names."""
        return self._response_json


class CamelCaseRecord(Record):
    """A record whose members are in camel case in the JSON."""

    model_config = ConfigDict(alias_generator=to_camel)

"""What all records share: attributes in snake case, exact amounts, and the JSON they come from."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict, PrivateAttr
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
        record = cls.model_validate(response)
        record._response_json = response
        return record

    @property
    def response_json(self) -> Any:
        """The JSON of the record as the API returned it, with the API's names."""
        return self._response_json


class CamelCaseRecord(Record):
    """A record whose members are in camel case in the JSON."""

    model_config = ConfigDict(alias_generator=to_camel)

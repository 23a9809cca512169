"""Payment channels of ramp providers: limits, fees and required fields."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from crossway.domain.errors import FieldError, InvalidInput, MissingInput
from crossway.domain.ramps import Direction

MAX_FIELD_CHARACTERS = 200
MAX_KEY_CHARACTERS = 40
FieldType = Literal["string", "phone", "enum"]
_PHONE = re.compile(r"\+?[0-9][0-9 ()-]{5,18}[0-9]\Z", re.ASCII)
_PHONE_SEPARATORS = re.compile(r"[ ()-]")


class ChannelType(StrEnum):
    """The payment method on the user's side."""

    BANK_TRANSFER = "BANK_TRANSFER"
    CARD = "CARD"
    MOBILE_MONEY = "MOBILE_MONEY"
    WALLET = "WALLET"


@dataclass(frozen=True, slots=True)
class Option:
    """One option of an enum field, such as a bank: the value to send and its label."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a channel requires; `pattern` is a regular expression for the whole value."""

    key: str
    label: str
    type: FieldType
    required: bool = True
    options: tuple[Option, ...] = ()
    pattern: str = ""
    example: str = ""

    def parse(self, value: object) -> str | None:
        """The value in canonical form; raises `InvalidInput` naming `fields.KEY`."""
        name = f"fields.{self.key}"
        if value is None or (isinstance(value, str) and not value.strip()):
            if self.required:
                raise MissingInput(f"{name} is required: {self.label}")
            return None
        if not isinstance(value, str) or not value.isprintable():
            raise InvalidInput(f"{name} must be a text: {self.label}")
        text = value.strip()
        if len(text) > MAX_FIELD_CHARACTERS:
            raise InvalidInput(f"{name} must be at most {MAX_FIELD_CHARACTERS} characters")
        if self.type == "enum" and text not in {option.value for option in self.options}:
            values = ", ".join(option.value for option in self.options)
            raise InvalidInput(f"{name} must be one of {values}")
        if self.type == "phone":
            if not _PHONE.match(text):
                raise InvalidInput(f"{name} must be a phone number such as {self.example}")
            text = _PHONE_SEPARATORS.sub("", text)
        if self.pattern and not re.fullmatch(self.pattern, text, re.ASCII):
            raise InvalidInput(f"{name} must look like {self.example}: {self.label}")
        return text


@dataclass(frozen=True, slots=True)
class Channel:
    """One way to pay a provider or be paid by it, in one currency and its countries.

    Limits and the fixed fee are in minor units, `fee_bps` in basis points of the fiat amount.
    `direct` channels work server to server, others send the user to the provider's page.
    `pay_seconds` is how long the user has to pay, `deliver_seconds` how long delivery may take.
    """

    id: str
    name: str
    type: ChannelType
    direct: bool
    direction: Direction
    currency: str
    countries: tuple[str, ...]
    min_minor: int
    max_minor: int
    fee_fixed_minor: int
    fee_bps: int
    fields: tuple[Field, ...]
    pay_seconds: int = 1_800
    deliver_seconds: int = 3_600

    def fee_minor(self, fiat_minor: int) -> int:
        """The channel's fee on an amount, rounded up."""
        return self.fee_fixed_minor + -(-fiat_minor * self.fee_bps // 10_000)


def parse_fields(channel: Channel, submitted: Mapping[str, object]) -> dict[str, str]:
    """Parse a channel's fields; raises `InvalidInput` with every problem, unknown fields too."""
    errors = [
        FieldError(f"fields.{key[:MAX_KEY_CHARACTERS]} is not a field of {channel.name}")
        for key in submitted
        if key not in {field.key for field in channel.fields}
    ]
    values: dict[str, str] = {}
    for field in channel.fields:
        try:
            value = field.parse(submitted.get(field.key))
        except InvalidInput as error:
            errors += error.field_errors
            continue
        if value is not None:
            values[field.key] = value
    if errors:
        raise InvalidInput.of(errors)
    return values

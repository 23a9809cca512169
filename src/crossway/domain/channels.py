"""How a provider is paid or pays out: channels with their limits, fees and required fields."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from crossway.domain.errors import InvalidInput
from crossway.domain.ramps import Direction

MOST_FIELD_CHARACTERS = 200
MOST_KEY_CHARACTERS = 40
FieldType = Literal["string", "phone", "enum"]
_PHONE = re.compile(r"\+?[0-9][0-9 ()-]{5,18}[0-9]\Z", re.ASCII)
_IN_PHONES = re.compile(r"[ ()-]")


class ChannelType(StrEnum):
    """What the user's side of a channel is."""

    BANK_TRANSFER = "BANK_TRANSFER"
    CARD = "CARD"
    MOBILE_MONEY = "MOBILE_MONEY"
    WALLET = "WALLET"


@dataclass(frozen=True, slots=True)
class Option:
    """One choice of an enum field, such as a bank: what is sent, and what is shown."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field that a channel asks for; `pattern` is a regular expression of the whole value."""

    key: str
    label: str
    type: FieldType
    required: bool = True
    options: tuple[Option, ...] = ()
    pattern: str = ""
    example: str = ""

    def read(self, given: object) -> str | None:
        """The value in its one form, or `InvalidInput` naming `fields.KEY`."""
        name = f"fields.{self.key}"
        if given is None or (isinstance(given, str) and not given.strip()):
            if self.required:
                raise InvalidInput(f"{name} is required: {self.label}")
            return None
        if not isinstance(given, str) or not given.isprintable():
            raise InvalidInput(f"{name} must be a text: {self.label}")
        text = given.strip()
        if len(text) > MOST_FIELD_CHARACTERS:
            raise InvalidInput(f"{name} must be at most {MOST_FIELD_CHARACTERS} characters")
        if self.type == "enum" and text not in {option.value for option in self.options}:
            values = ", ".join(option.value for option in self.options)
            raise InvalidInput(f"{name} must be one of {values}")
        if self.type == "phone":
            if not _PHONE.match(text):
                raise InvalidInput(f"{name} must be a phone number such as {self.example}")
            text = _IN_PHONES.sub("", text)
        if self.pattern and not re.fullmatch(self.pattern, text, re.ASCII):
            raise InvalidInput(f"{name} must look like {self.example}: {self.label}")
        return text


@dataclass(frozen=True, slots=True)
class Channel:
    """One way to pay a provider or be paid by it, in one currency and its countries.

    Limits and the fixed fee are in minor units, `fee_bps` in basis points of the fiat amount;
    `direct` means server to server, else the user is sent to the provider's own page.
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
        """The channel's fee on this amount, rounded up."""
        return self.fee_fixed_minor + -(-fiat_minor * self.fee_bps // 10_000)


def read_fields(channel: Channel, given: Mapping[str, object]) -> dict[str, str]:
    """The values of a channel's fields; refuses with every complaint, unknown fields too."""
    complaints = [
        f"fields.{key[:MOST_KEY_CHARACTERS]} is not a field of {channel.name}"
        for key in given
        if key not in {field.key for field in channel.fields}
    ]
    read: dict[str, str] = {}
    for field in channel.fields:
        try:
            value = field.read(given.get(field.key))
        except InvalidInput as refusal:
            complaints.append(str(refusal))
            continue
        if value is not None:
            read[field.key] = value
    if complaints:
        raise InvalidInput("; ".join(complaints))
    return read

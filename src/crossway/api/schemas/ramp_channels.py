"""Response models of the payment channels of ramp providers."""

from typing import Self

from pydantic import Field

from crossway.api.schemas.fields import ExactNumber, Model, currency_field, field
from crossway.api.schemas.responses import json_decimal
from crossway.domain.payment_channels import Channel, ChannelType
from crossway.domain.payment_channels import Field as ChannelField


class OptionOut(Model):
    """One choice of an enumerated field."""

    value: str = field("The value to send.", "044")
    label: str = field("The label to show.", "Access Bank")


class FieldOut(Model):
    """A field that a payment channel requires; send it under `fields`."""

    key: str = field("Its name under `fields`.", "phone")
    label: str = field("Its display name.", "Phone number")
    type: str = field("Its type.", "phone", extra={"enum": ["string", "phone", "enum"]})
    required: bool = field("Whether an order requires it.", True)
    options: list[OptionOut] = Field(description="The choices of an `enum`; else empty.")
    pattern: str = field("A regular expression that the whole value matches; empty for none.", "")
    example: str = field("An example value.", "+2348012345678")

    @classmethod
    def from_field(cls, channel_field: ChannelField) -> Self:
        """One field of a payment channel."""
        return cls(
            key=channel_field.key,
            label=channel_field.label,
            type=channel_field.type,
            required=channel_field.required,
            options=[OptionOut(value=o.value, label=o.label) for o in channel_field.options],
            pattern=channel_field.pattern,
            example=channel_field.example,
        )


class ChannelFees(Model):
    """Fees of a payment channel; `fiatAmount` includes them."""

    fixed: ExactNumber = field("In the currency.", 50)
    percentage: ExactNumber = field("In percent of the amount.", 1.5)


class ChannelOut(Model):
    """A payment channel of a provider."""

    id: str = field("The channel.", "ngn-bank-transfer")
    name: str = field("Its display name.", "Bank transfer")
    type: str = field(
        "The user's payment method.",
        "BANK_TRANSFER",
        extra={"enum": [kind.value for kind in ChannelType]},
    )
    transferType: str = field(
        "`direct` is server to server; `redirect` sends the user to the provider's own page.",
        "direct",
        extra={"enum": ["direct", "redirect"]},
    )
    currency: str = currency_field()
    minAmount: ExactNumber = field("Minimum amount of an order, in the currency.", 1500)
    maxAmount: ExactNumber = field("Maximum amount of an order, in the currency.", 5000000)
    fees: ChannelFees = Field(description="Its fees.")
    fieldsRequired: list[FieldOut] = Field(description="Its required fields.")

    @classmethod
    def from_channel(cls, channel: Channel, digits: int) -> Self:
        """A payment channel; its amounts have `digits` decimal places."""
        return cls(
            id=channel.id,
            name=channel.name,
            type=channel.type.value,
            transferType="direct" if channel.direct else "redirect",
            currency=channel.currency,
            minAmount=json_decimal(channel.min_minor, digits),
            maxAmount=json_decimal(channel.max_minor, digits),
            fees=ChannelFees(
                fixed=json_decimal(channel.fee_fixed_minor, digits),
                percentage=json_decimal(channel.fee_bps, 2),
            ),
            fieldsRequired=[FieldOut.from_field(entry) for entry in channel.fields],
        )

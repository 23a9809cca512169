"""The fields that payment channels require, loaded from `fields.toml` by country."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from crossway.domain.payment_channels import Field, Option
from crossway.domain.ramps import ProviderName


def build_field(key: str, country: str, provider: ProviderName) -> Field:
    """A field as a provider requires it in a country; options use the provider's own codes."""
    data = _data()
    if key == "bank":
        options = _options(data["banks"][country], provider)
        return Field("bankCode", "Bank", "enum", options=options, example=options[0].value)
    if key == "network":
        options = _options(data["networks"][country], provider)
        label = "Mobile network"
        return Field("network", label, "enum", options=options, example=options[0].value)
    if key == "phone":
        phone_format = data["phones"][country]
        return Field("phone", "Phone number", "phone", **phone_format)
    if key == "accountNumber":
        return Field("accountNumber", "Account number", "string", **data["accounts"][country])
    if key == "accountName":
        return Field("accountName", "Name of the account holder", "string", example="Ada Obi")
    raise ValueError(f"{provider}: {key} is not a field of fields.toml")


def _options(rows: list[Mapping[str, str]], provider: ProviderName) -> tuple[Option, ...]:
    """The options that the provider supports; a provider with codes of its own uses only these."""
    has_own_codes = any(provider in row for row in rows)
    options = tuple(
        Option(row[provider] if has_own_codes else row["code"], row["name"])
        for row in rows
        if not has_own_codes or provider in row
    )
    if len({option.value for option in options}) != len(options):
        raise ValueError(f"{provider}: two choices of a list have the same code")
    return options


@cache
def _data() -> Mapping[str, Any]:
    file = files("crossway.adapters.ramps").joinpath("fields.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))

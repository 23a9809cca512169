"""The tiers of identity checks, as `identity.toml` has them by country."""

import tomllib
from collections.abc import Collection, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from crossway.domain.kyc import KycType, Requirement, Tier
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal


def tiers_of(countries: Collection[str], asks: bool) -> Mapping[str, tuple[Tier, ...]]:
    """The tiers by country; a provider that checks on its own page asks for nothing here."""
    if not asks:
        return {"": tuple(_tier(kyc_type, "") for kyc_type in _data()["tiers"])}
    return {
        country: tuple(_tier(kyc_type, country) for kyc_type in _data()["tiers"])
        for country in sorted(countries)
    }


def _tier(kyc_type: str, country: str) -> Tier:
    entry = _data()["tiers"][kyc_type]
    return Tier(
        kyc_type=KycType(kyc_type),
        max_micro_usd=parse_decimal(f"{kyc_type}.max_usd", entry["max_usd"], MICRO_USD_DECIMALS),
        period=entry["period"],
        requirements=tuple(_requirement(key, country) for key in entry["asks"]) if country else (),
    )


def _requirement(key: str, country: str) -> Requirement:
    numbers = _data()["numbers"]
    form = numbers.get(country, numbers["other"])
    if key == "idType":
        options = tuple(form["types"])
        return Requirement(key, "Kind of identity number", "enum", options=options, sensitive=False)
    if key == "idNumber":
        return Requirement(key, form["label"], "text", pattern=form["pattern"])
    return Requirement(key, **_data()["fields"][key])


@cache
def _data() -> Mapping[str, Any]:
    file = files("crossway.adapters.ramps").joinpath("identity.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))

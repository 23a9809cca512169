"""The KYC tiers, loaded from `identity.toml` by country."""

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from crossway.domain.kyc import KycType, Requirement, Tier
from crossway.domain.money import MICRO_USD_DECIMALS, parse_decimal
from crossway.domain.ramps import ProviderName


def build_tiers(
    provider: ProviderName, countries: Collection[str], with_requirements: bool
) -> Mapping[str, tuple[Tier, ...]]:
    """The tiers by country; without requirements for a provider that verifies on its own page."""
    if not with_requirements:
        return {"": tuple(_tier(kyc_type, ()) for kyc_type in _tiers())}
    return {country: tuple(_tiers_in(provider, country)) for country in sorted(countries)}


def _tiers_in(provider: ProviderName, country: str) -> Iterator[Tier]:
    """Each tier with the requirements that the tiers below it do not have."""
    additional = _data()["also"].get(provider, {})
    extra_keys = (*additional.get("everywhere", ()), *additional.get(country, ()))
    required_keys: set[str] = set()
    for kyc_type, entry in _tiers().items():
        requirements = [
            _requirement(key, country) for key in entry["asks"] if key not in required_keys
        ]
        if not required_keys:
            requirements += [
                replace(_requirement(key, country), required=False) for key in extra_keys
            ]
        required_keys |= {requirement.key for requirement in requirements}
        yield _tier(kyc_type, requirements)


def _tiers() -> Mapping[str, Any]:
    tiers: Mapping[str, Any] = _data()["tiers"]
    return tiers


def _tier(kyc_type: str, requirements: Sequence[Requirement]) -> Tier:
    entry = _tiers()[kyc_type]
    return Tier(
        kyc_type=KycType(kyc_type),
        limit_micro_usd=parse_decimal(f"{kyc_type}.max_usd", entry["max_usd"], MICRO_USD_DECIMALS),
        period=entry["period"],
        requirements=tuple(requirements),
    )


def _requirement(key: str, country: str) -> Requirement:
    numbers = _data()["numbers"]
    id_format = numbers.get(country, numbers["other"])
    is_second = key.startswith("additional")
    if key in ("idType", "additionalIdType"):
        options = tuple(id_format["types"])
        label = "Type of the second identity number" if is_second else "Type of identity number"
        return Requirement(key, label, "enum", options=options, sensitive=False)
    if key in ("idNumber", "additionalIdNumber"):
        label = f"Second identity number: {id_format['label']}" if is_second else id_format["label"]
        return Requirement(key, label, "text", pattern=id_format["pattern"])
    return Requirement(key, **_data()["fields"][key])


@cache
def _data() -> Mapping[str, Any]:
    file = files("crossway.adapters.ramps").joinpath("identity.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))

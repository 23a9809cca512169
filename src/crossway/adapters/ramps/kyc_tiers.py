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
    provider: ProviderName, countries: Collection[str], asks: bool
) -> Mapping[str, tuple[Tier, ...]]:
    """The tiers by country; without requirements for a provider that verifies on its own page."""
    if not asks:
        return {"": tuple(_tier(kyc_type, ()) for kyc_type in _tiers())}
    return {country: tuple(_tiers_in(provider, country)) for country in sorted(countries)}


def _tiers_in(provider: ProviderName, country: str) -> Iterator[Tier]:
    """Each tier with the requirements that the tiers below it do not have."""
    also = _data()["also"].get(provider, {})
    more = (*also.get("everywhere", ()), *also.get(country, ()))
    seen: set[str] = set()
    for kyc_type, entry in _tiers().items():
        needs = [_requirement(key, country) for key in entry["asks"] if key not in seen]
        if not seen:
            needs += [replace(_requirement(key, country), required=False) for key in more]
        seen |= {need.key for need in needs}
        yield _tier(kyc_type, needs)


def _tiers() -> Mapping[str, Any]:
    found: Mapping[str, Any] = _data()["tiers"]
    return found


def _tier(kyc_type: str, needs: Sequence[Requirement]) -> Tier:
    entry = _tiers()[kyc_type]
    return Tier(
        kyc_type=KycType(kyc_type),
        limit_micro_usd=parse_decimal(f"{kyc_type}.max_usd", entry["max_usd"], MICRO_USD_DECIMALS),
        period=entry["period"],
        requirements=tuple(needs),
    )


def _requirement(key: str, country: str) -> Requirement:
    numbers = _data()["numbers"]
    form = numbers.get(country, numbers["other"])
    other = key.startswith("additional")
    if key in ("idType", "additionalIdType"):
        options = tuple(form["types"])
        label = "Type of the second identity number" if other else "Type of identity number"
        return Requirement(key, label, "enum", options=options, sensitive=False)
    if key in ("idNumber", "additionalIdNumber"):
        label = f"Second identity number: {form['label']}" if other else form["label"]
        return Requirement(key, label, "text", pattern=form["pattern"])
    return Requirement(key, **_data()["fields"][key])


@cache
def _data() -> Mapping[str, Any]:
    file = files("crossway.adapters.ramps").joinpath("identity.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))

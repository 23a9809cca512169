"""Reading a family's chain_params.toml: defaults, and one section for each chain that differs."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


def chain_section(package: str, chain: str) -> Mapping[str, Any]:
    """The parameters of a chain: the section [default] with the chain's own values on top."""
    sections = read_params(package)
    merged: Mapping[str, Any] = sections["default"] | sections.get(chain, {})
    return merged


@cache
def read_params(package: str) -> Mapping[str, Any]:
    """The content of chain_params.toml in a package."""
    text = files(package).joinpath("chain_params.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)

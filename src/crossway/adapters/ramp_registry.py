"""Builds the clients of the real ramp providers from the operator's accounts file."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.ramps.capabilities import load_capabilities
from crossway.adapters.ramps.credentials import (
    FonbnkCredentials,
    OnrampMoneyCredentials,
    PaycrestCredentials,
    ProviderCredentials,
    YellowCardCredentials,
)
from crossway.adapters.ramps.fonbnk.client import Fonbnk
from crossway.adapters.ramps.http_client import new_client
from crossway.adapters.ramps.onramp_money.client import OnrampMoney
from crossway.adapters.ramps.paycrest.client import Paycrest
from crossway.adapters.ramps.yellow_card.client import YellowCard
from crossway.domain.catalogue import Catalogue
from crossway.domain.fiat import Fiat
from crossway.domain.ramps import ProviderName
from crossway.ports.ramps import RampProvider

_CLIENTS: Final[Mapping[ProviderName, Callable[..., RampProvider]]] = {
    ProviderName.FONBNK: Fonbnk,
    ProviderName.ONRAMP_MONEY: OnrampMoney,
    ProviderName.PAYCREST: Paycrest,
    ProviderName.YELLOW_CARD: YellowCard,
}


class ProviderAccounts(BaseModel):
    """The operator's accounts file: a table for each provider with an account."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    fonbnk: FonbnkCredentials | None = None
    onramp_money: OnrampMoneyCredentials | None = None
    paycrest: PaycrestCredentials | None = None
    yellow_card: YellowCardCredentials | None = None


def load_accounts(path: Path) -> ProviderAccounts:
    """Load the accounts from a TOML file. Raises `ValueError` without repeating any value."""
    try:
        return ProviderAccounts.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError):
        raise ValueError(f"{path} cannot be read") from None
    except tomllib.TOMLDecodeError:
        raise ValueError(f"{path} is not TOML") from None
    except ValidationError as error:
        errors = "; ".join(
            f"{'.'.join(map(str, item['loc']))}: {item['msg']}"
            for item in error.errors(include_input=False, include_url=False, include_context=False)
        )
        raise ValueError(f"{path}: {errors}") from None


def load_providers(path: Path | None, catalogue: Catalogue, fiat: Fiat) -> tuple[RampProvider, ...]:
    """The clients of the providers in a file; none without a file. Their HTTP client lives as long
    as the process. Raises `ValueError`."""
    return (
        () if path is None else build_providers(load_accounts(path), catalogue, fiat, new_client())
    )


def build_providers(
    accounts: ProviderAccounts, catalogue: Catalogue, fiat: Fiat, client: httpx.Client
) -> tuple[RampProvider, ...]:
    """The clients of all providers with an account. Each is offered only on chains with a refund
    address. Raises `ValueError` for an invalid address."""
    digits = {code: corridor.currency.digits for code, corridor in fiat.corridors.items()}
    providers: list[RampProvider] = []
    for name, client_class in _CLIENTS.items():
        credentials: ProviderCredentials | None = getattr(accounts, name.lower())
        if credentials is None:
            continue
        _check_refund_addresses(name, credentials.refund_addresses, catalogue)
        capabilities = load_capabilities(name, catalogue, fiat)
        tokens = tuple(t for t in capabilities.tokens if t.chain in credentials.refund_addresses)
        served = replace(capabilities, tokens=tokens)
        providers.append(client_class(credentials, served, digits, client))
    return tuple(providers)


def _check_refund_addresses(
    name: ProviderName, addresses: Mapping[str, str], catalogue: Catalogue
) -> None:
    """Raise `ValueError` for a refund address that is not in canonical form."""
    for chain, address in addresses.items():
        field = f"{name.lower()}.refund_addresses.{chain}"
        if chain not in catalogue.chains:
            raise ValueError(f"{field}: there is no such chain")
        try:
            canonical = canonical_address(catalogue.chains[chain].kind, address)
        except ValueError as error:
            raise ValueError(f"{field}: {error}") from None
        if canonical != address:
            raise ValueError(f"{field}: must be written {canonical}")

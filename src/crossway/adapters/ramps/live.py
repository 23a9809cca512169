"""The real providers of an operator: which of them, by the file that holds their keys."""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import httpx
from pydantic import BaseModel, ConfigDict, ValidationError

from crossway.adapters.chains.addresses import canonical
from crossway.adapters.ramps.access import (
    Access,
    FonbnkAccess,
    OnrampMoneyAccess,
    PaycrestAccess,
    YellowCardAccess,
)
from crossway.adapters.ramps.calling import new_client
from crossway.adapters.ramps.capabilities import capabilities
from crossway.adapters.ramps.fonbnk.client import Fonbnk
from crossway.adapters.ramps.onramp_money.client import OnrampMoney
from crossway.adapters.ramps.paycrest.client import Paycrest
from crossway.adapters.ramps.yellow_card.client import YellowCard
from crossway.domain.catalogue import Catalogue
from crossway.domain.fiat import Fiat
from crossway.domain.ramps import ProviderName
from crossway.ports.ramps import Capabilities, RampProvider


class Accounts(BaseModel):
    """The operator's file: a table for each provider that there is an account with."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    fonbnk: FonbnkAccess | None = None
    onramp_money: OnrampMoneyAccess | None = None
    paycrest: PaycrestAccess | None = None
    yellow_card: YellowCardAccess | None = None


def read_accounts(path: Path) -> Accounts:
    """The accounts in a TOML file. Raises `ValueError` with a sentence that repeats no value."""
    try:
        return Accounts.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError):
        raise ValueError(f"{path} cannot be read") from None
    except tomllib.TOMLDecodeError:
        raise ValueError(f"{path} is not TOML") from None
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(map(str, one['loc']))}: {one['msg']}"
            for one in error.errors(include_input=False, include_url=False, include_context=False)
        )
        raise ValueError(f"{path}: {wrong}") from None


def providers_of(path: Path | None, catalogue: Catalogue, fiat: Fiat) -> tuple[RampProvider, ...]:
    """The providers in a file, none without one; their client lives as long as the process.
    Raises `ValueError` with a sentence."""
    return () if path is None else providers(read_accounts(path), catalogue, fiat, new_client())


def providers(
    accounts: Accounts, catalogue: Catalogue, fiat: Fiat, client: httpx.Client
) -> tuple[RampProvider, ...]:
    """The clients of all providers that there is an account with. Each is offered only on chains
    with a refund address. Raises `ValueError` for an address that is none."""
    digits = {code: corridor.currency.digits for code, corridor in fiat.corridors.items()}

    def can(name: ProviderName, access: Access) -> Capabilities:
        _check(name, access.refund_addresses, catalogue)
        whole = capabilities(name, catalogue, fiat)
        served = tuple(t for t in whole.tokens if t.chain in access.refund_addresses)
        return replace(whole, tokens=served)

    return tuple(_clients(accounts, can, digits, client))


def _clients(
    accounts: Accounts,
    can: Callable[[ProviderName, Access], Capabilities],
    digits: Mapping[str, int],
    client: httpx.Client,
) -> list[RampProvider]:
    made: list[RampProvider] = []
    if (fonbnk := accounts.fonbnk) is not None:
        made.append(Fonbnk(fonbnk, can(ProviderName.FONBNK, fonbnk), digits, client))
    if (onramp := accounts.onramp_money) is not None:
        made.append(OnrampMoney(onramp, can(ProviderName.ONRAMP_MONEY, onramp), client))
    if (paycrest := accounts.paycrest) is not None:
        made.append(Paycrest(paycrest, can(ProviderName.PAYCREST, paycrest), client))
    if (card := accounts.yellow_card) is not None:
        made.append(YellowCard(card, can(ProviderName.YELLOW_CARD, card), digits, client))
    return made


def _check(name: ProviderName, addresses: Mapping[str, str], catalogue: Catalogue) -> None:
    """Refuse a refund address that is not one in the form its chain writes it."""
    for chain, address in addresses.items():
        place = f"{name.lower()}.refund_addresses.{chain}"
        if chain not in catalogue.chains:
            raise ValueError(f"{place}: there is no such chain")
        try:
            right = canonical(catalogue.chains[chain].kind, address)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
        if right != address:
            raise ValueError(f"{place}: must be written {right}")

"""The operator's profile of a live environment: its chains, their nodes, and where keys are."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError, model_validator

from crossway.adapters.chains.addresses import canonical_address
from crossway.adapters.chains.rpc.bridge_profile import (
    AcrossProfile,
    CctpProfile,
    GatewayProfile,
    RhinofiProfile,
)
from crossway.adapters.chains.rpc.signer_profile import SignerProfile
from crossway.domain.catalogue import Catalogue, ChainKind
from crossway.domain.quotes import BridgeName

_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
Depth = Annotated[int, Field(ge=0, le=100_000)]
DEFAULT_CLOCK_SECONDS = 120.0
MAX_GAS_ACCOUNTS = 32
KEY_PATTERN, PASSWORD_PATTERN = r"^(env|keystore|remote|pkcs11):\S+$", r"^((env|file):\S+)?$"
"""How far a chain's time may be ahead of this machine's clock."""


class ConfirmationDepths(BaseModel):
    """Confirmation depths in blocks that override the catalogue's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    fast: Depth
    normal: Depth
    large: Depth
    finalized: Depth


class GasAccountProfile(BaseModel):
    """An account that holds gas alone and makes calls that anyone may make. `key` and
    `key_password` are as the chain's; `address` is that of the key, which processes that do not
    sign read instead of opening it."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    key: str = Field(pattern=KEY_PATTERN)
    key_password: str = Field(default="", pattern=PASSWORD_PATTERN)
    address: str = ""


class ChainProfile(BaseModel):
    """One chain. `rpc` has URLs in which `${NAME}` stands for an environment variable; `quorum` of
    them must agree before a deposit is credited. `key` is `env:NAME`, `keystore:PATH`,
    `remote:NAME` or `pkcs11:NAME` (of a table `[signers.NAME]`), never a key;
    `key_password` is `env:NAME` or `file:PATH`.

    Each node is sent at most `batch_size` calls in one request, and `calls_per_minute` and
    `calls_per_day` calls; one in a batch counts as one. A node whose time is more than
    `clock_seconds` ahead of this machine's clock is not believed alone.

    `relayer` is the address of the key's account: processes that do not sign read it and leave the
    key closed. It is not needed on Starknet, whose profile has the `account`.

    `gas_accounts` are further accounts on an EVM chain, so that not all transactions wait for the
    nonces of one.

    `coordinator` is the address of another account than the relayer's that is the coordinator of
    new payments, and has named the relayer its agent; its key is never configured.

    Some fields are for one family only: `account` is the relayer's account on Starknet, `program`
    is Crossway's program on Solana, and `contracts` has the contracts' addresses on Tron.
    `deposits` says whether deposit addresses on Solana are the program's or derived from
    `deposit_key`."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    rpc: list[str] = Field(min_length=1, max_length=10)
    quorum: int = Field(default=1, ge=1, le=10)
    key: str = Field(pattern=KEY_PATTERN)
    key_password: str = Field(default="", pattern=PASSWORD_PATTERN)
    gas_accounts: list[GasAccountProfile] = Field(default_factory=list, max_length=MAX_GAS_ACCOUNTS)
    treasury: str
    relayer: str = ""
    coordinator: str = ""
    account: str = ""
    program: str = ""
    contracts: dict[str, str] = Field(default_factory=dict, max_length=10)
    deposits: Literal["program", "derived"] = "program"
    deposit_key: str = Field(default="", pattern=r"^((env|keystore):\S+)?$")
    confirmations: ConfirmationDepths | None = None
    transfer_cost_usd: Decimal | None = Field(default=None, ge=0, le=1_000, decimal_places=6)
    timeout_seconds: float = Field(default=5.0, gt=0, le=60)
    poll_seconds: float | None = Field(default=None, ge=0, le=60)
    batch_size: int | None = Field(default=None, ge=1, le=1_000)
    calls_per_minute: int | None = Field(default=None, ge=1)
    calls_per_day: int | None = Field(default=None, ge=1)
    clock_seconds: float = Field(default=DEFAULT_CLOCK_SECONDS, ge=10, le=1e9)

    @model_validator(mode="after")
    def _enough_nodes(self) -> "ChainProfile":
        if self.quorum > len(self.rpc):
            raise ValueError("quorum must not be more than there are nodes in rpc")
        return self


class Profile(BaseModel):
    """The whole file. `prices` come from Pyth, or are the catalogue's fixed ones, which are only
    for tests. `bridges` are those that may be quoted, by default CCTP alone: ACROSS, which gives
    production keys on request, and GATEWAY, RHINOFI and INVENTORY, under which the operator pays
    out of inventory, have to be named. `standing_addresses`: their contract is deployed."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)

    prices: Literal["pyth", "fixed"] = "pyth"
    pyth_url: str = "https://hermes.pyth.network"
    pyth_key: str = Field(default="", pattern=r"^(env:\S+)?$")
    bridges: list[BridgeName] = [BridgeName.CCTP]
    standing_addresses: bool = False
    most_settle_seconds: int | None = Field(default=None, ge=0, le=30 * 86_400)
    cctp: CctpProfile = CctpProfile()
    across: AcrossProfile = AcrossProfile()
    gateway: GatewayProfile = GatewayProfile()
    rhinofi: RhinofiProfile = RhinofiProfile()
    signers: dict[str, SignerProfile] = Field(default_factory=dict, max_length=100)
    chains: dict[str, ChainProfile] = Field(min_length=1)

    @property
    def contract_users(self) -> tuple[str, ...]:
        """What needs contracts that others do not: its bridges, and standing addresses."""
        return (*self.bridges, *(["STANDING"] if self.standing_addresses else []))


def read_profile(path: Path, catalogue: Catalogue) -> Profile:
    """The profile in a TOML file. Raises `ValueError`, whose message contains no value of it."""
    try:
        profile = Profile.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError):
        raise ValueError(f"{path} cannot be read") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path} is not TOML: {error}") from None
    except ValidationError as error:
        raise ValueError(f"{path}: {'; '.join(_error_messages(error))}") from None
    for name, chain in profile.chains.items():
        _check(path, name, chain, catalogue)
        _check_signer(path, name, chain, profile)
    return profile


_MESSAGES = {"missing": "is missing", "extra_forbidden": "there is no such field"}
_PATTERN_MESSAGES = {
    "key": "must be env:NAME, keystore:PATH, remote:NAME or pkcs11:NAME, never a key itself",
    "access_token": "must be env:NAME or file:PATH, never a token itself",
    "pin": "must be env:NAME or file:PATH, never a PIN itself",
    "key_password": "must be env:NAME or file:PATH, never a password itself",
    "deposit_key": "must be env:NAME or keystore:PATH, never a key itself",
    "api_key": "must be env:NAME, never a key itself",
    "pyth_key": "must be env:NAME, never a key itself",
    "url": "must begin with https:// and name a host",
    "test_url": "must begin with https:// and name a host",
}


def _error_messages(error: ValidationError) -> Iterator[str]:
    """What is wrong with each field, without its value."""
    for item in error.errors(include_input=False, include_url=False, include_context=False):
        field = str(item["loc"][-1]) if item["loc"] else ""
        message = _MESSAGES.get(item["type"]) or item["msg"].removeprefix("Value error, ")
        if item["type"] == "string_pattern_mismatch":
            message = _PATTERN_MESSAGES.get(field, message)
        yield f"{'.'.join(map(str, item['loc']))}: {message}"


def _check(path: Path, name: str, chain: ChainProfile, catalogue: Catalogue) -> None:
    known = catalogue.chains.get(name)
    if known is None:
        raise ValueError(f"{path}: chains.{name}: there is no such chain")
    if chain.coordinator and known.kind == "solana":
        raise ValueError(
            f"{path}: chains.{name}.coordinator cannot be set: Crossway's program on Solana knows "
            "no agents, so the relayer is the coordinator there"
        )
    for field in _foreign_fields(known.kind, chain):
        raise ValueError(f"{path}: chains.{name}.{field} means nothing on {known.name}")
    for field, address in _addresses(chain):
        try:
            canonical = canonical_address(known.kind, address)
        except ValueError as error:
            raise ValueError(f"{path}: chains.{name}.{field} {error}") from None
        ours = field in ("treasury", "relayer", "coordinator") or field.endswith(".address")
        if ours and canonical != address:
            raise ValueError(f"{path}: chains.{name}.{field} must be written {canonical}")


def _check_signer(path: Path, name: str, chain: ChainProfile, profile: Profile) -> None:
    keys = {"key": chain.key} | {
        f"gas_accounts.{number}.key": account.key
        for number, account in enumerate(chain.gas_accounts)
    }
    for field, key in keys.items():
        kind, _, signer_name = key.partition(":")
        signer = profile.signers.get(signer_name)
        if kind in ("remote", "pkcs11") and (signer is None or signer.kind != kind):
            raise ValueError(
                f"{path}: chains.{name}.{field} is {kind}:{signer_name}, but there is no [signers."
                f"{signer_name}] with the fields of a {kind} signer"
            )


def _addresses(chain: ChainProfile) -> Iterator[tuple[str, str]]:
    """Name and value of every address field; optional ones only where they are set."""
    yield "treasury", chain.treasury
    given = {
        "relayer": chain.relayer,
        "coordinator": chain.coordinator,
        "account": chain.account,
        "program": chain.program,
    } | {
        f"contracts.{what}": where
        for what, where in chain.contracts.items()
        # The one field there that is a byte.
        if what != "prefix"
    }
    given |= {
        f"gas_accounts.{number}.address": account.address
        for number, account in enumerate(chain.gas_accounts)
    }
    yield from ((field, address) for field, address in given.items() if address)


_FAMILIES_OF = {
    "coordinator": ("evm", "tron", "starknet"),
    "gas_accounts": ("evm",),
    "relayer": ("evm", "solana", "tron"),
    "account": ("starknet",),
    "program": ("solana",),
    "contracts": ("tron",),
    "deposits": ("solana",),
    "deposit_key": ("solana",),
}


def _foreign_fields(kind: ChainKind, chain: ChainProfile) -> list[str]:
    """The fields that are set but belong to other families."""
    used = chain.model_fields_set
    return [field for field, kinds in _FAMILIES_OF.items() if field in used and kind not in kinds]


def resolve_urls(name: str, chain: ChainProfile, environment: Mapping[str, str]) -> list[SecretStr]:
    """The nodes' URLs with their variables replaced. Raises `ValueError` that names a missing
    variable, but never a value."""

    def value(match: re.Match[str]) -> str:
        found = environment.get(match.group(1))
        if not found:
            raise ValueError(f"chains.{name}.rpc: the environment has no {match.group(1)}")
        return found

    filled = [_VARIABLE.sub(value, url) for url in chain.rpc]
    for place, url in enumerate(filled, start=1):
        if not _is_url(url):
            raise ValueError(
                f"chains.{name}.rpc: URL {place} must begin with https:// and name a host"
            )
    return [SecretStr(url) for url in filled]


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("https", "http") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # Brackets without an address, or a port that is none.
        return False

"""Private keys of every family's accounts, in the environment or in encrypted key stores."""

import json
import os
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any, Generic, NoReturn, TypeVar, cast

from crossway.adapters.chains.rpc.profile import ChainProfile
from crossway.adapters.chains.rpc.signer_profile import SignerProfile, open_key
from crossway.adapters.chains.signers.external_key import Curve, ExternalKey
from crossway.domain.errors import SigningRefused, Unreachable

S = TypeVar("S")
_PLAIN = re.compile(r"(?:0x)?([0-9a-fA-F]{64})\Z", re.ASCII)


class KeyMissing(ValueError):
    """A key that is missing or invalid. The message never contains any part of the key."""


class KeyHolder:
    """Holds a private key in memory. Neither `repr` nor any error shows it. `address` is the
    account's or, on Starknet, the public key."""

    __slots__ = ("address",)

    def __init__(self, address: str) -> None:
        self.address = address

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address})"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a key cannot be pickled")


@dataclass(frozen=True, slots=True)
class KeyKind(Generic[S]):
    """A family's kind of private key: its format in words, parsing one (None where the text is
    none), and creating its signer (raises `KeyMissing` for an invalid key). Where keys of its
    `curve` may be outside, `create_external` creates the signer of such a key and of the address
    that the profile names, or of the key's own address where that is empty."""

    format_description: str
    parse: Callable[[str], bytes | None]
    create_signer: Callable[[bytes], S]
    curve: Curve | None = None
    create_external: Callable[[ExternalKey, str], S] | None = None


def parse_hex_key(text: str) -> bytes | None:
    """The 32 bytes of 64 hex digits, with or without 0x."""
    match = _PLAIN.match(text)
    return None if match is None else bytes.fromhex(match.group(1))


def load_signer(
    kind: KeyKind[S], reference: str, password: str, environment: Mapping[str, str]
) -> S:
    """The signer of the key that a profile names: `env:NAME` or `keystore:PATH`, whose password is
    `env:NAME` or `file:PATH`. Raises `KeyMissing`."""
    source, _, name = reference.partition(":")
    if source == "env":
        return kind.create_signer(_from_environment(kind, name, environment))
    if source == "keystore":
        return kind.create_signer(_from_keystore(Path(name), load_password(password, environment)))
    raise KeyMissing("its key must be env:NAME or keystore:PATH")


class WatchOnlySigner:
    """Stands for the key of an account in a process that opens no keys."""

    def __init__(self, address: str) -> None:
        self.address = address

    def sign(self, *_: object) -> NoReturn:
        """Raises `SigningRefused`."""
        raise SigningRefused(f"This process opens no keys, so {self.address} signs nothing here.")


class Keyring:
    """Opens each key once, however many chains use it: decrypting a key store deliberately takes
    seconds and a quarter of a gigabyte. A watch-only one opens none."""

    def __init__(
        self,
        environment: Mapping[str, str],
        watch_only: bool = False,
        signers: Mapping[str, SignerProfile] = MappingProxyType({}),
    ) -> None:
        """`signers` are those of the profile, by name."""
        self.environment, self.watch_only, self._signers = environment, watch_only, signers
        self._lock = Lock()
        self._opened: dict[tuple[object, str, str], Any] = {}

    def signer(self, kind: KeyKind[S], reference: str, password: str, address: str = "") -> S:
        """As `load_signer`, or the signer of a key outside that is to have this address. Raises
        `KeyMissing`, also where the keyring is watch-only."""
        if self.watch_only:
            raise KeyMissing("this process opens no keys")
        with self._lock:
            known: S | None = self._opened.get((kind, reference, password))
            if known is None:
                source, _, name = reference.partition(":")
                if source in ("remote", "pkcs11"):
                    known = self._open_external(kind, name, address)
                else:
                    known = load_signer(kind, reference, password, self.environment)
                self._opened[kind, reference, password] = known
            return known

    def _open_external(self, kind: KeyKind[S], name: str, address: str) -> S:
        if kind.curve is None or kind.create_external is None:
            raise KeyMissing(
                "keys of this family stay in this process (env:NAME or keystore:PATH): neither "
                "remote signers nor tokens sign on its curve"
            )
        profile = self._signers.get(name)
        if profile is None:
            raise KeyMissing(f"the profile has no [signers.{name}]")
        try:
            key = open_key(
                name, profile, kind.curve, lambda text: load_password(text, self.environment)
            )
            return kind.create_external(key, address)
        except Unreachable as error:
            raise KeyMissing(f"its address is unknown: {error}") from None
        except KeyMissing:
            raise
        except ValueError as error:
            raise KeyMissing(str(error)) from None

    def relayer_signer(self, kind: KeyKind[S], name: str, profile: ChainProfile) -> S:
        """The relayer's signer on a chain of a profile, or what stands for it. Raises `ValueError`
        where the profile lacks its address or has another one."""
        if self.watch_only:
            address = profile.account or profile.relayer
            if not address:
                raise ValueError(
                    f"chains.{name}.relayer is missing: a process that does not sign takes the "
                    "relayer's address from there, instead of opening the key (where the key is, "
                    "crossway doctor prints it)"
                )
            return cast(S, WatchOnlySigner(address))
        field = f"chains.{name}.key"
        signer = self.signer_for(field, kind, profile.key, profile.key_password, profile.relayer)
        address = getattr(signer, "address", "")
        if profile.relayer and profile.relayer != address:
            raise ValueError(
                f"chains.{name}.relayer is {profile.relayer}, but its key is that of {address}"
            )
        return signer

    def gas_signers(
        self, kind: KeyKind[S], name: str, profile: ChainProfile, relayer: str
    ) -> tuple[S, ...]:
        """The signers of the accounts that hold gas alone, or what stands for them. Raises
        `ValueError` where the profile lacks an address, has another one, or one twice."""
        signers: list[S] = []
        known = {relayer, profile.treasury, profile.coordinator}
        for number, account in enumerate(profile.gas_accounts):
            field = f"chains.{name}.gas_accounts.{number}"
            address = account.address
            if self.watch_only and not address:
                raise ValueError(
                    f"{field}.address is missing: a process that does not sign takes it from there"
                )
            if self.watch_only:
                signers.append(cast(S, WatchOnlySigner(address)))
            else:
                given = account.key, account.key_password, address
                signers.append(self.signer_for(f"{field}.key", kind, *given))
                address = getattr(signers[-1], "address", "")
            if account.address not in ("", address):
                raise ValueError(
                    f"{field}.address is {account.address}, but its key is that of {address}"
                )
            if address in known:
                raise ValueError(f"{field} is the account {address}, which the chain has already")
            known.add(address)
        return tuple(signers)

    def signer_for(
        self,
        field: str,
        kind: KeyKind[S],
        reference: str,
        password: str = "",
        address: str = "",
    ) -> S:
        """As `signer`. Raises `ValueError` that names the profile's field."""
        try:
            return self.signer(kind, reference, password, address)
        except KeyMissing as error:
            raise ValueError(f"{field}: {error}") from None


def _from_environment(kind: KeyKind[Any], name: str, environment: Mapping[str, str]) -> bytes:
    value = environment.get(name, "").strip()
    if not value:
        raise KeyMissing(f"the environment has no {name}")
    key = kind.parse(value)
    if key is None:
        raise KeyMissing(f"{name} must be {kind.format_description}")
    return key


def load_password(reference: str, environment: Mapping[str, str]) -> str:
    """A key store's password: `env:NAME` or `file:PATH`. Raises `KeyMissing`."""
    kind, _, where = reference.partition(":")
    if kind == "env" and environment.get(where):
        return environment[where]
    if kind == "env":
        raise KeyMissing(f"the environment has no {where} for the key store's password")
    if kind == "file":
        try:
            return Path(where).read_text(encoding="utf-8").rstrip("\r\n")
        except (OSError, UnicodeDecodeError):
            raise KeyMissing(f"the key store's password file {where} cannot be read") from None
    raise KeyMissing("the key store's password must be env:NAME or file:PATH")


def _from_keystore(path: Path, password: str) -> bytes:
    # Heavy, and many keys are in the environment.
    from eth_account import Account

    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValueError):
        raise KeyMissing(f"the key store {path} cannot be read") from None
    try:
        return bytes(Account.decrypt(stored, password))
    except Exception:
        # The library's own message may repeat the password.
        raise KeyMissing(f"the key store {path} does not open with its password") from None


def environment() -> Mapping[str, str]:
    """The environment in which keys and variables of URLs are looked up."""
    return os.environ


def create_keystore(
    kind: KeyKind[S], password: str, environment: Mapping[str, str]
) -> tuple[S, bytes]:
    """The signer of a new key, and its key store as JSON; `password` is `env:NAME` or `file:PATH`.
    Raises `KeyMissing`."""
    from eth_account import Account

    passphrase = load_password(password, environment)
    key, signer = _new(kind)
    return signer, json.dumps(Account.encrypt(key, passphrase, kdf="scrypt")).encode()


def _new(kind: KeyKind[S]) -> tuple[bytes, S]:
    """A random key that is valid for the family, which nearly all 32 bytes are."""
    while True:
        key = secrets.token_bytes(32)
        try:
            return key, kind.create_signer(key)
        except KeyMissing:
            continue

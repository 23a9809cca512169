"""Settings from environment variables CROSSWAY_…, and the file of secret keys."""

import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Literal

from cryptography.fernet import Fernet
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import SettingsConfigDict

from crossway.control_settings import ControlSettings
from crossway.domain.branding import origin_of
from crossway.domain.clients import parse_networks
from crossway.domain.errors import InvalidInput
from crossway.mail_settings import MailSettings
from crossway.shard_settings import parse_shards

SECRET_KEY_FILE = "secret.key"
OWNER_ONLY = 0o600
LOOPBACK = "127.0.0.1"
HOST_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


class Settings(ControlSettings, MailSettings):
    """The operator's settings; times in seconds."""

    model_config = SettingsConfigDict(env_prefix="CROSSWAY_", env_file=".env", extra="ignore")

    data_dir: Path = Field(default=Path("data"), description="Folder of the service's files.")
    database_url: str | None = Field(
        default=None, description="A SQLAlchemy URL; by default a SQLite file in the data folder."
    )
    profile: Path | None = Field(default=None, description="The live network's TOML file.")
    ramps_file: Path | None = Field(
        default=None, description="The real ramp providers' TOML file, for the live network."
    )
    host: str = Field(
        default=LOOPBACK,
        description="Address to listen on: this machine only; 0.0.0.0 listens on every network.",
    )
    port: int = Field(default=8600, ge=1, le=65_535, description="Port to listen on.")
    secret_key: SecretStr | None = Field(
        default=None,
        description="Encrypts personal data and secrets; 32 bytes in URL-safe base64. Several are "
        "separated by commas: the first encrypts, all decrypt.",
    )
    dashboard_password: SecretStr | None = Field(
        default=None, description="The dashboard's password until staff accounts exist."
    )
    oidc_file: Path | None = Field(
        default=None,
        description="The OpenID providers' TOML file; by default .streamlit/secrets.toml.",
    )
    idle_minutes: int = Field(
        default=30, ge=1, le=1440, description="How long staff stay signed in without activity."
    )
    second_confirmation_usd: int = Field(
        default=1000,
        ge=0,
        le=10**9,
        description="Manual operations above this amount ask for the amount again; 0: always.",
    )
    second_factor_from: Literal["off", "viewer", "operator", "treasurer", "admin"] = Field(
        default="off",
        description="Staff with this role or a higher one need a second factor; off: nobody.",
    )
    run_engine: bool = Field(default=True, description="Whether this process runs the engine too.")
    shards: str = Field(
        default="",
        description="Chains that several engines share, as CHAIN=NUMBER separated by commas: into "
        "how many shards each is divided; the others are not.",
    )
    simulated_gas_accounts: int = Field(
        default=0, ge=0, le=32, description="Gas accounts on each simulated EVM chain."
    )
    intent_life_seconds: int = Field(
        default=3600, ge=300, le=86_400, description="Time to expiry of an intent."
    )
    quote_life_seconds: int = Field(
        default=60, ge=5, le=3600, description="Time to expiry of a quote."
    )
    service_fee_micro_usd: int = Field(default=10_000, ge=0, description="Flat service fee.")
    service_fee_bps: int = Field(
        default=0, ge=0, le=1_000, description="Service fee on the amount."
    )
    network_margin_percent: int = Field(
        default=25,
        ge=0,
        le=500,
        description="Live chains: what quotes add to current network costs, as prices may rise.",
    )
    refund_percent: int = Field(
        default=5,
        ge=0,
        le=100,
        description="Live chains: the share of payments expected to be refunded; every quote "
        "bears that share of a refund's cost.",
    )
    peg_band_bps: int = Field(
        default=200,
        ge=1,
        le=10_000,
        description="A stablecoin further than this from its peg is neither quoted nor started.",
    )
    price_confidence_bps: int = Field(
        default=100,
        ge=1,
        le=10_000,
        description="A price less certain than this is neither quoted nor started.",
    )
    spread_percent: int = Field(
        default=40,
        ge=0,
        le=500,
        description="Spread between different assets, in percent of the price's standard deviation "
        "over an intent's life; 0: none.",
    )
    inventory: bool = Field(
        default=False,
        description="On the simulated network, also offer payments out of the operator's own "
        "inventory, which no bridge carries; on a live network, the profile's bridges say so",
    )
    exposure_limit_usd: int = Field(
        default=100_000,
        ge=0,
        le=10**9,
        description="Limit of open payments that lose when one token's price moves; 0: none.",
    )
    asking_threads: int = Field(
        default=64, ge=4, le=512, description="Concurrent requests to chains and bridges."
    )
    payout_grace_seconds: int = Field(
        default=3_600,
        ge=300,
        le=3_600,
        description="How long after a payment's expiry its payout is still tried; then the deposit "
        "goes back. The contracts refuse a payout more than an hour after it.",
    )
    return_allowance_usd: int = Field(
        default=50,
        ge=0,
        le=10**6,
        description="What returns may cost per chain and day beyond what fees bring for them; more "
        "wait.",
    )
    trusted_proxies: str = Field(
        default="",
        description="Networks, separated by commas, whose X-Forwarded-For is trusted.",
    )
    public_url: str = Field(
        default="",
        description="The URL under which payers reach this service, such as "
        "https://pay.shop.example; by default that of the request, in events that of this machine.",
    )
    allowed_hosts: str = Field(
        default="",
        description="Further host names, separated by commas, under which this service is reached; "
        "the public URL's, localhost and the address it listens on are allowed.",
    )
    loopback_webhooks: bool = Field(
        default=False,
        description="Simulated network: whether webhooks may go to this machine's own services.",
    )
    metrics_token: SecretStr | None = Field(
        default=None,
        description="Bearer token of /metrics; without one only this machine may read it.",
    )
    engine_port: int | None = Field(
        default=None,
        ge=1,
        le=65_535,
        description="Port of the health endpoint of `crossway engine` or `crossway indexer`.",
    )
    reconcile_at_hour: Literal["off"] | Annotated[int, Field(ge=0, le=23)] = Field(
        default=3, description="Hour (UTC) of the daily reconciliation, or off."
    )
    request_log_days: int = Field(
        default=7, ge=1, le=3_650, description="How long the request log is kept."
    )
    delivery_days: int = Field(
        default=30, ge=1, le=3_650, description="How long finished webhook deliveries are kept."
    )
    announcement_days: int = Field(
        default=30, ge=1, le=3_650, description="How long events can be streamed and replayed."
    )
    order_report_days: int = Field(
        default=90, ge=1, le=3_650, description="How long ramp providers' reports are kept."
    )
    unpaid_days: int = Field(
        default=30,
        ge=30,
        le=3_650,
        description="How long after their expiry payments that nobody paid are listed.",
    )
    log_format: Literal["auto", "json", "console"] = Field(
        default="auto", description="auto: console on a terminal, else JSON."
    )
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: str) -> str:
        try:
            return ",".join(parse_networks(value.replace(",", " ").split(), "it"))
        except InvalidInput as error:
            raise ValueError(str(error)) from error

    @field_validator("allowed_hosts")
    @classmethod
    def _host_names(cls, value: str) -> str:
        names = value.replace(",", " ").lower().split()
        if wrong := [name for name in names if not HOST_NAME.fullmatch(name)]:
            raise ValueError(f"must be host names such as crossway.internal, not {wrong[0]}")
        return ",".join(names)

    @field_validator("shards")
    @classmethod
    def _shards(cls, value: str) -> str:
        parse_shards(value)
        return value

    @field_validator("public_url")
    @classmethod
    def _origin(cls, value: str) -> str:
        try:
            return origin_of(value) if value.strip() else ""
        except InvalidInput as error:
            raise ValueError("must be an origin such as https://pay.shop.example") from error

    @property
    def daily_reconciliation_hour(self) -> int | None:
        """The hour (UTC) of the daily reconciliation; None if it is off."""
        return None if self.reconcile_at_hour == "off" else self.reconcile_at_hour

    @property
    def url(self) -> str:
        """The database's URL."""
        return self.database_url or f"sqlite:///{self.data_dir.resolve() / 'crossway.db'}"

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches the service."""
        return self.host == "localhost" or self.host.startswith("127.") or self.host == "::1"

    @property
    def local_url(self) -> str:
        """The URL at which this machine reaches the service."""
        host = "localhost" if self.is_local or self.host in ("0.0.0.0", "::") else self.host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}"

    @property
    def on_sqlite(self) -> bool:
        """Whether the database is a SQLite file."""
        return self.url.startswith("sqlite")

    @property
    def database_file(self) -> Path:
        """The path of the SQLite file."""
        return Path(self.url.removeprefix("sqlite:///")).resolve()

    @property
    def secret_key_file(self) -> Path:
        """The path of the secret key file, used without CROSSWAY_SECRET_KEY."""
        return self.data_dir / SECRET_KEY_FILE


def secret_keys_of(settings: Settings) -> tuple[bytes, ...]:
    """The secret keys, newest first: as given, else from their file, which the first run creates
    for its owner."""
    if settings.secret_key is not None:
        return _split(settings.secret_key.get_secret_value().encode())
    with suppress(FileExistsError):
        write_private(settings.secret_key_file, Fernet.generate_key())
    return _split(settings.secret_key_file.read_bytes())


def _split(keys: bytes) -> tuple[bytes, ...]:
    return tuple(keys.replace(b",", b" ").split())


def write_private(path: Path, content: bytes) -> None:
    """A new file that only its owner reads; one that exists is left alone (`FileExistsError`).

    It gets its name only when it is complete: processes that start now may read it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary_path = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary_path, path)
    finally:
        temporary_path.unlink()

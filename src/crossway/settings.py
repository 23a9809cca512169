"""Every setting, from environment variables CROSSWAY_…, and the secret keys' file."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import Literal

from cryptography.fernet import Fernet
from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from crossway.domain.clients import networks
from crossway.domain.errors import InvalidInput
from crossway.domain.looks import origin_of

SECRET_KEY_FILE = "secret.key"
OWNER_ONLY = 0o600


class Settings(BaseSettings):
    """What an operator can choose; times in seconds."""

    model_config = SettingsConfigDict(env_prefix="CROSSWAY_", env_file=".env", extra="ignore")

    data_dir: Path = Field(default=Path("data"), description="Where the service keeps its files.")
    database_url: str | None = Field(
        default=None, description="A SQLAlchemy URL; by default a SQLite file in the data folder."
    )
    network: Literal["simulated", "live"] = Field(default="simulated", description="Which chains.")
    profile: Path | None = Field(default=None, description="The live network's TOML file.")
    ramps_file: Path | None = Field(
        default=None, description="The real ramp providers' TOML file, for the live network."
    )
    secret_key: SecretStr | None = Field(
        default=None,
        description="Encrypts personal data and secrets; 32 bytes in URL-safe base64. Several are "
        "separated by commas: the first encrypts, all decrypt.",
    )
    dashboard_password: SecretStr | None = Field(
        default=None, description="Asked on the dashboard until people are added to it."
    )
    idle_minutes: int = Field(
        default=30, ge=1, le=1440, description="How long people stay signed in without activity."
    )
    second_confirmation_usd: int = Field(
        default=1000,
        ge=0,
        le=10**9,
        description="Whoever moves more than this by hand types the amount again; 0: always.",
    )
    run_engine: bool = Field(default=True, description="Whether this process runs the engine too.")
    intent_life_seconds: int = Field(
        default=3600, ge=300, le=86_400, description="An intent's life."
    )
    quote_life_seconds: int = Field(default=60, ge=5, le=3600, description="Life of a quote.")
    service_fee_micro_usd: int = Field(default=10_000, ge=0, description="Flat service fee.")
    service_fee_bps: int = Field(
        default=0, ge=0, le=1_000, description="Service fee on the amount."
    )
    asking_threads: int = Field(
        default=64, ge=4, le=512, description="Chains and bridges asked at the same time."
    )
    trusted_proxies: str = Field(
        default="",
        description="Networks, separated by commas, whose X-Forwarded-For is believed.",
    )
    public_url: str = Field(
        default="",
        description="Where payers find this service, such as https://pay.shop.example; by default "
        "where whoever makes a payment found it.",
    )
    metrics_token: SecretStr | None = Field(
        default=None,
        description="Bearer token that /metrics asks for; without one only this machine may read.",
    )
    engine_port: int | None = Field(
        default=None, ge=1, le=65_535, description="Where `crossway engine` tells how it is."
    )
    reconcile_at_hour: int | None = Field(
        default=None,
        ge=0,
        le=23,
        description="Hour (UTC) of the daily comparison of books and chains; none by default.",
    )
    request_log_days: int = Field(
        default=7, ge=1, le=3_650, description="How long requests are remembered."
    )
    delivery_days: int = Field(
        default=30, ge=1, le=3_650, description="How long ended webhook deliveries are remembered."
    )
    announcement_days: int = Field(
        default=30, ge=1, le=3_650, description="How long events can be streamed and replayed."
    )
    order_report_days: int = Field(
        default=90, ge=1, le=3_650, description="How long providers' reports are remembered."
    )
    log_format: Literal["auto", "json", "console"] = Field(
        default="auto", description="auto: console on a terminal, else JSON."
    )
    log_level: Literal["debug", "info", "warning", "error"] = "info"

    @field_validator("trusted_proxies")
    @classmethod
    def _networks(cls, value: str) -> str:
        try:
            return ",".join(networks(value.replace(",", " ").split(), "it"))
        except InvalidInput as error:
            raise ValueError(str(error)) from error

    @field_validator("public_url")
    @classmethod
    def _origin(cls, value: str) -> str:
        try:
            return origin_of(value) if value.strip() else ""
        except InvalidInput as error:
            raise ValueError("must be an origin such as https://pay.shop.example") from error

    @property
    def url(self) -> str:
        """The database's URL."""
        return self.database_url or f"sqlite:///{self.data_dir.resolve() / 'crossway.db'}"

    @property
    def on_sqlite(self) -> bool:
        """Whether the database is a file that one machine uses."""
        return self.url.startswith("sqlite")

    @property
    def database_file(self) -> Path:
        """Where the database lies that is a file."""
        return Path(self.url.removeprefix("sqlite:///")).resolve()

    @property
    def secret_key_file(self) -> Path:
        """Where a secret key lies that no variable gives."""
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

    It has its name only once it is whole, as others may read it that start at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(part, path)
    finally:
        part.unlink()

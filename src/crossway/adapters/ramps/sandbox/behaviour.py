"""The configurable behaviour of sandbox providers, one row per provider."""

from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, select, update

from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_into
from crossway.adapters.ramps.sandbox.tables import providers
from crossway.domain.errors import InvalidInput
from crossway.ports.sandbox import RampFaults

DELIVER_SECONDS = 15
MANUAL_DELIVERY = -1
BPS = 10_000
KYC_MODES = ("auto", "manual", "approve")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The behaviour of one provider (see `ports.sandbox.RampFaults`); `down_until` is in epoch
    seconds."""

    down_until: float = 0.0
    slow_seconds: float = 0.0
    refuse_next: int = 0
    short_bps: int = 0
    overcharge_bps: int = 0
    repeat: bool = False
    shuffle: bool = False
    deliver_seconds: int = DELIVER_SECONDS
    rate_bps: int = 0
    kyc: str = "auto"

    def delivers_at(self, since: float) -> float:
        """When a payment made at `since` is delivered; infinity for manual delivery."""
        is_manual = self.deliver_seconds == MANUAL_DELIVERY
        return float("inf") if is_manual else since + self.deliver_seconds

    def active_faults(self, now: float) -> dict[str, object]:
        """The settings that differ from the defaults."""
        defaults = Behaviour()
        values = {column.name: getattr(self, column.name) for column in fields(self)}
        del values["down_until"]
        changed = {
            name: value for name, value in values.items() if value != getattr(defaults, name)
        }
        remaining = {"down_seconds": self.down_until - now} if self.down_until > now else {}
        return remaining | changed


DEFAULT = Behaviour()
_COLUMNS = [providers.c[column.name] for column in fields(Behaviour)]


def load_behaviour(db: Connection, name: str) -> Behaviour:
    """The provider's stored behaviour, or the default."""
    row = db.execute(select(*_COLUMNS).where(providers.c.name == name)).one_or_none()
    return DEFAULT if row is None else Behaviour(**row._mapping)


def save_faults(db: Connection, name: str, faults: RampFaults, now: float) -> None:
    """Store the settings that are not None, and leave the others unchanged."""
    values: dict[str, Any] = {
        column.name: value
        for column in fields(faults)
        if (value := getattr(faults, column.name)) is not None and column.name != "down_seconds"
    }
    if faults.down_seconds is not None:
        values["down_until"] = now + faults.down_seconds
    defaults = {column.name: getattr(DEFAULT, column.name) for column in fields(DEFAULT)}
    statement = insert_into(db, providers).values({"name": name} | defaults | values)
    if values:
        statement = statement.on_conflict_do_update(index_elements=["name"], set_=values)
    else:
        statement = statement.on_conflict_do_nothing()
    db.execute(statement)


def consume_refusal(db: Connection, name: str) -> bool:
    """Whether the next order has to be refused; decrements the counter."""
    row = providers.c
    statement = update(providers).where(row.name == name, row.refuse_next > 0)
    return db.execute(statement.values(refuse_next=row.refuse_next - 1)).rowcount > 0


def validate_faults(faults: RampFaults) -> None:
    """Raise `InvalidInput` for settings out of range."""
    errors = []
    for name in ("down_seconds", "slow_seconds", "refuse_next"):
        if (value := getattr(faults, name)) is not None and value < 0:
            errors.append(f"{name} must be zero or more")
    for name in ("short_bps", "overcharge_bps"):
        if (value := getattr(faults, name)) is not None and not 0 <= value <= BPS:
            errors.append(f"{name} must be from 0 to {BPS}")
    if faults.rate_bps is not None and not -BPS < faults.rate_bps <= BPS:
        errors.append(f"rate_bps must be more than -{BPS} and at most {BPS}")
    if faults.deliver_seconds is not None and faults.deliver_seconds < MANUAL_DELIVERY:
        errors.append("deliver_seconds must be zero or more, or -1 for manual delivery")
    if faults.kyc is not None and faults.kyc not in KYC_MODES:
        errors.append(f"kyc must be one of {', '.join(KYC_MODES)}")
    if errors:
        raise InvalidInput("; ".join(errors))

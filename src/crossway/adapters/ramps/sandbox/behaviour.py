"""How a sandbox provider behaves: its settings, one row a provider."""

from dataclasses import dataclass, fields
from typing import Any

from sqlalchemy import Connection, select, update
from sqlalchemy.dialects import postgresql, sqlite

from crossway.adapters.ramps.sandbox.tables import providers
from crossway.domain.errors import InvalidInput
from crossway.ports.sandbox import RampFaults

DELIVER_SECONDS = 15
ONLY_WHEN_TOLD = -1
MOST_BPS = 10_000
KYC_MODES = ("auto", "manual", "approve")


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The settings of one provider (see `ports.sandbox.RampFaults`); `down_until` in epoch
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
        """When what was paid at an instant is delivered; never, where it waits to be told."""
        told = self.deliver_seconds == ONLY_WHEN_TOLD
        return float("inf") if told else since + self.deliver_seconds

    def unusual(self, now: float) -> dict[str, object]:
        """What differs from a provider that was never told anything."""
        usual = Behaviour()
        values = {one.name: getattr(self, one.name) for one in fields(self)}
        del values["down_until"]
        found = {name: value for name, value in values.items() if value != getattr(usual, name)}
        left = {"down_seconds": self.down_until - now} if self.down_until > now else {}
        return left | found


USUAL = Behaviour()
_COLUMNS = [providers.c[one.name] for one in fields(Behaviour)]


def load(db: Connection, name: str) -> Behaviour:
    """How this provider behaves now."""
    row = db.execute(select(*_COLUMNS).where(providers.c.name == name)).one_or_none()
    return USUAL if row is None else Behaviour(**row._mapping)


def switch(db: Connection, name: str, faults: RampFaults, now: float) -> None:
    """Change what these faults name, and nothing else."""
    values: dict[str, Any] = {
        one.name: value
        for one in fields(faults)
        if (value := getattr(faults, one.name)) is not None and one.name != "down_seconds"
    }
    if faults.down_seconds is not None:
        values["down_until"] = now + faults.down_seconds
    make = sqlite.insert if db.dialect.name == "sqlite" else postgresql.insert
    usual = {one.name: getattr(USUAL, one.name) for one in fields(USUAL)}
    statement = make(providers).values({"name": name} | usual | values)
    if values:
        statement = statement.on_conflict_do_update(index_elements=["name"], set_=values)
    else:
        statement = statement.on_conflict_do_nothing()
    db.execute(statement)


def refuses(db: Connection, name: str) -> bool:
    """Whether the next order is one to be refused; it is counted then."""
    row = providers.c
    counted = update(providers).where(row.name == name, row.refuse_next > 0)
    return db.execute(counted.values(refuse_next=row.refuse_next - 1)).rowcount > 0


def check(faults: RampFaults) -> None:
    """Raise `InvalidInput` when a setting makes no sense."""
    wrong = []
    for name in ("down_seconds", "slow_seconds", "refuse_next"):
        if (value := getattr(faults, name)) is not None and value < 0:
            wrong.append(f"{name} must be zero or more")
    for name in ("short_bps", "overcharge_bps"):
        if (value := getattr(faults, name)) is not None and not 0 <= value <= MOST_BPS:
            wrong.append(f"{name} must be from 0 to {MOST_BPS}")
    if faults.rate_bps is not None and not -MOST_BPS < faults.rate_bps <= MOST_BPS:
        wrong.append(f"rate_bps must be more than -{MOST_BPS} and at most {MOST_BPS}")
    if faults.deliver_seconds is not None and faults.deliver_seconds < ONLY_WHEN_TOLD:
        wrong.append("deliver_seconds must be zero or more, or -1 for only when told")
    if faults.kyc is not None and faults.kyc not in KYC_MODES:
        wrong.append(f"kyc must be one of {', '.join(KYC_MODES)}")
    if wrong:
        raise InvalidInput("; ".join(wrong))

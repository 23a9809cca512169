"""What simulated bridges are told to do wrong, as stored."""

from dataclasses import dataclass, fields, replace

from sqlalchemy import Connection, select

from crossway.adapters.chains.simulated.blocks.bulk_sql import insert_rows
from crossway.adapters.chains.simulated.blocks.tables import bridge_faults
from crossway.ports.sandbox import BridgeFaults


@dataclass(frozen=True, slots=True)
class ActiveFaults:
    """One row of `sim_bridge_faults`; see `ports.sandbox.BridgeFaults`."""

    late_seconds: float = 0.0
    exhausted_allowance: bool = False
    expired_messages: bool = False
    unfilled_deposits: bool = False
    paused: bool = False
    wrong_answer: str = ""
    silent: bool = False
    refused: bool = False
    unexecuted: bool = False
    returned: bool = False

    def with_changes(self, faults: BridgeFaults) -> "ActiveFaults":
        """These faults with what is not None."""
        given = {field.name: getattr(faults, field.name) for field in fields(faults)}
        return replace(self, **{name: value for name, value in given.items() if value is not None})


def load_faults(db: Connection, bridge: str) -> ActiveFaults:
    """The faults of a bridge."""
    query = select(bridge_faults).where(bridge_faults.c.bridge == bridge)
    row = db.execute(query).one_or_none()
    return _parse(dict(row._mapping)) if row is not None else ActiveFaults()


def load_paused(db: Connection) -> frozenset[str]:
    """The bridges whose contracts are paused, and EXCHANGE where that sells nothing."""
    query = select(bridge_faults.c.bridge).where(bridge_faults.c.paused)
    return frozenset(db.scalars(query))


def store_faults(db: Connection, bridge: str, faults: ActiveFaults) -> None:
    """Replace the faults of a bridge."""
    values = tuple(getattr(faults, field.name) for field in fields(faults))
    insert_rows(db, bridge_faults, [(bridge, *values)], fresh=False)


def _parse(row: dict[str, object]) -> ActiveFaults:
    return ActiveFaults(**{name: row[name] for name in row if name != "bridge"})  # type: ignore[arg-type]

"""The stored figures of payments as rows."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from sqlalchemy import Connection, select

from crossway.domain.analytics import FailureCause
from crossway.domain.intent import State
from crossway.domain.payment_figures import PaymentFigures
from crossway.sql.in_values import within
from crossway.storage.analytics_tables import other_network_fees, payment_figures
from crossway.storage.prepared import fetch
from crossway.storage.row_mapper import from_micros

UNITS: Final = 10**9  # in one of `whole`
MICROS_IN_HOUR: Final = 3_600_000_000
HOURS_IN_DAY: Final = 24
_OTHER_FEES: Final = select(other_network_fees).where(within(other_network_fees.c.intent_id, "ids"))
_FIGURES: Final = select(payment_figures).where(within(payment_figures.c.intent_id, "ids"))


def start_of_hour(hour: int) -> datetime:
    """The beginning of an hour counted from 1970."""
    return from_micros(hour * MICROS_IN_HOUR)


def load_figures(db: Connection, ids: Collection[int]) -> dict[int, PaymentFigures]:
    """The stored figures of those payments that have been counted."""
    other_fees = defaultdict[int, dict[str, int]](dict)
    for intent_id, chain, whole, rest in fetch(db, _OTHER_FEES, {"ids": ids}):
        other_fees[intent_id][chain] = whole * UNITS + rest
    rows = fetch(db, _FIGURES, {"ids": ids})
    return {row[0]: _decode(row, other_fees.get(row[0], {})) for row in rows}


def _decode(row: Sequence[Any], other_fees: dict[str, int]) -> PaymentFigures:
    figures = dict(zip(_COLUMNS, row, strict=True))
    figures["state"] = State(figures["state"])
    figures["cause"] = FailureCause(figures["cause"]) if figures["cause"] else None
    figures["deposit_units"] = int(figures["deposit_units"])
    own_fees = {
        figures[f"{place}_chain"]: figures.pop(f"{place}_fee_whole") * UNITS
        + figures.pop(f"{place}_fee_rest")
        for place in ("destination", "source")  # The source last: it has both if it is both.
    }
    network_fees = {chain: units for chain, units in own_fees.items() if units} | other_fees
    return PaymentFigures(**figures, network_fees=network_fees)


_COLUMNS: Final = [column.name for column in payment_figures.columns]
_PLAIN: Final = [name for name in _COLUMNS if name in PaymentFigures.__dataclass_fields__]


def encode_figures(figures: PaymentFigures) -> dict[str, Any]:
    """The row of a payment's figures."""
    row = {name: getattr(figures, name) for name in _PLAIN}
    row["state"] = figures.state.value
    row["cause"] = figures.cause.value if figures.cause else ""
    row["deposit_units"] = str(figures.deposit_units)
    source, destination = figures.source_chain, figures.destination_chain
    fees = figures.network_fees
    row["source_fee_whole"], row["source_fee_rest"] = divmod(fees.get(source, 0), UNITS)
    away = fees.get(destination, 0) if destination != source else 0
    row["destination_fee_whole"], row["destination_fee_rest"] = divmod(away, UNITS)
    return row


def encode_other_fees(figures: Iterable[PaymentFigures]) -> list[dict[str, Any]]:
    """The rows of network fees on other chains."""
    return [
        {
            "intent_id": payment.intent_id,
            "chain": chain,
            "whole": units // UNITS,
            "rest": units % UNITS,
        }
        for payment in figures
        for chain, units in payment.network_fees.items()
        if chain not in (payment.source_chain, payment.destination_chain)
    ]

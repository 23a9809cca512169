"""The operator's controls on money sent by hand: the address book, and daily caps."""

from datetime import datetime
from typing import Final

from sqlalchemy import Connection, delete, func, insert, select, update

from crossway.domain.outgoing_controls import (
    BookedAddress,
    ManualTransfer,
    NewAddress,
    TransferCap,
)
from crossway.storage.bulk_sql import insert_into, per_dialect
from crossway.storage.outgoing_controls_tables import (
    address_book,
    manual_transfers,
    outgoing_hours,
    transfer_caps,
)
from crossway.storage.row_mapper import RowMapper, to_micros

ADDRESSES: Final = RowMapper(BookedAddress, address_book)
NEW_ADDRESSES: Final = RowMapper(NewAddress, address_book)
CAPS: Final = RowMapper(TransferCap, transfer_caps)
TRANSFERS: Final = RowMapper(ManualTransfer, manual_transfers)
_ADD_ADDRESS = per_dialect(
    lambda put: put(address_book).on_conflict_do_nothing().returning(address_book)
)

_NO_CHAIN: Final = ""


class SqlOutgoingControls:
    """`ports.outgoing_controls_repository.OutgoingControlsRepository` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def add_address(self, new: NewAddress) -> BookedAddress | None:
        row = NEW_ADDRESSES.encode(new) | {"removed_by": ""}
        stored = self._db.execute(_ADD_ADDRESS[self._db.dialect.name], row).first()
        return None if stored is None else ADDRESSES.decode(stored)

    def find_address(self, chain: str, address: str) -> BookedAddress | None:
        found = select(address_book).where(
            address_book.c.chain == chain,
            address_book.c.address == address,
            address_book.c.removed_at.is_(None),
        )
        row = self._db.execute(found.with_for_update(read=True)).first()
        return None if row is None else ADDRESSES.decode(row)

    def get_address(self, entry_id: int) -> BookedAddress | None:
        query = select(address_book).where(address_book.c.id == entry_id)
        row = self._db.execute(query).first()
        return None if row is None else ADDRESSES.decode(row)

    def list_addresses(self) -> list[BookedAddress]:
        entries = select(address_book).where(address_book.c.removed_at.is_(None))
        by_name = (address_book.c.chain, address_book.c.name, address_book.c.id)
        return [ADDRESSES.decode(row) for row in self._db.execute(entries.order_by(*by_name))]

    def remove_address(self, entry_id: int, by: str, at: datetime) -> bool:
        entry = (address_book.c.id == entry_id, address_book.c.removed_at.is_(None))
        removed = update(address_book).where(*entry)
        done = self._db.execute(removed.values(removed_at=to_micros(at), removed_by=by))
        return done.rowcount > 0

    def list_caps(self) -> list[TransferCap]:
        query = select(transfer_caps).order_by(transfer_caps.c.chain, transfer_caps.c.token)
        return [CAPS.decode(row) for row in self._db.execute(query)]

    def lock_cap(self, chain: str, token: str) -> TransferCap | None:
        query = select(transfer_caps).where(
            transfer_caps.c.chain == chain, transfer_caps.c.token == token
        )
        row = self._db.execute(query.with_for_update()).first()
        return None if row is None else CAPS.decode(row)

    def set_cap(self, cap: TransferCap) -> None:
        upsert = insert_into(self._db, transfer_caps)
        changed = {name: upsert.excluded[name] for name in ("amount", "by", "at")}
        self._db.execute(
            upsert.on_conflict_do_update(index_elements=["chain", "token"], set_=changed),
            CAPS.encode(cap),
        )

    def delete_cap(self, chain: str, token: str) -> None:
        one = (transfer_caps.c.chain == chain, transfer_caps.c.token == token)
        self._db.execute(delete(transfer_caps).where(*one))

    def record_transfer(self, transfer: ManualTransfer) -> None:
        self._db.execute(insert(manual_transfers), TRANSFERS.encode(transfer))

    def list_transfers(self, since: datetime) -> list[ManualTransfer]:
        recent = select(manual_transfers).where(manual_transfers.c.at > to_micros(since))
        rows = self._db.execute(recent.order_by(manual_transfers.c.at, manual_transfers.c.id))
        return [TRANSFERS.decode(row) for row in rows]

    def add_outgoing(self, chain: str, hour: int, micro_usd: int) -> int:
        upsert = insert_into(self._db, outgoing_hours)
        total = outgoing_hours.c.micro_usd + upsert.excluded.micro_usd
        added = upsert.on_conflict_do_update(
            index_elements=["chain", "hour"], set_={"micro_usd": total}
        ).returning(outgoing_hours.c.micro_usd)
        row = {"chain": chain, "hour": hour, "micro_usd": micro_usd}
        return int(self._db.execute(added, row).scalar_one())

    def find_most_outgoing(self, chain: str, since_hour: int, before_hour: int) -> int:
        hours = outgoing_hours.c.hour
        most = select(func.max(outgoing_hours.c.micro_usd)).where(
            outgoing_hours.c.chain == chain, hours >= since_hour, hours < before_hour
        )
        return int(self._db.execute(most).scalar_one() or 0)

    def release_hour(self, hour: int) -> None:
        put = insert_into(self._db, outgoing_hours).on_conflict_do_nothing()
        self._db.execute(put, {"chain": _NO_CHAIN, "hour": hour, "micro_usd": 0})

    def is_hour_released(self, hour: int) -> bool:
        row = (outgoing_hours.c.chain == _NO_CHAIN, outgoing_hours.c.hour == hour)
        return self._db.execute(select(outgoing_hours.c.hour).where(*row)).first() is not None

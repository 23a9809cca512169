"""Intents with their counts, transitions and outbox events."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Select,
    and_,
    bindparam,
    cast,
    func,
    select,
    text,
    union_all,
    update,
)

from crossway.domain.bridge_transfer import Custody
from crossway.domain.clients import OwnerFilter
from crossway.domain.intent import Intent, State
from crossway.domain.outbound import OutboundTxKind, OutboundTxState
from crossway.ports.records import IntentChange, IntentFilter, OpenPair
from crossway.ports.shards import ALL_SHARDS, Shards
from crossway.sql.in_values import within
from crossway.storage.archive_tables import archived_payments
from crossway.storage.bulk_sql import chain_values, per_dialect_for_chains
from crossway.storage.errors import ConcurrentUpdate
from crossway.storage.intent_addresses import IntentAddresses
from crossway.storage.intent_rows import (
    CHANGING_COLUMNS,
    INTENTS,
    change_row,
    intent_event_row,
    transition_row,
)
from crossway.storage.intent_totals import add_link_uses, add_totals, list_open_pairs
from crossway.storage.inventory_tables import UNSENT, inventory_transfers
from crossway.storage.known_intents import read_intents, read_whole, remember_changed
from crossway.storage.new_intents import ADD_TRANSITION, add_intents
from crossway.storage.outbox import ADD_EVENT
from crossway.storage.owner_sql import is_owned
from crossway.storage.prepared import execute_each, fetch
from crossway.storage.row_mapper import to_micros
from crossway.storage.search import OTHER_ADDRESS, apply_filter
from crossway.storage.shard_sql import ByShards, shard_parameters
from crossway.storage.tables import intent_counts, intents, outbound_txs
from crossway.storage.transition_log import TransitionLog

_BY_ID = select(intents).where(intents.c.id == bindparam("value"))
_BY_ADDRESS = select(intents).where(intents.c.address == bindparam("value"))
_AMONG = within(intents.c.id, "ids")
_c = intents.c
_DEPOSIT_ADDRESSES = union_all(
    select(_c.address).where(within(_c.address, "addresses")),
    select(_c.destination_address).where(
        OTHER_ADDRESS, within(_c.destination_address, "addresses")
    ),
    *(
        select(column).where(within(column, "addresses"))
        for column in (archived_payments.c.address, archived_payments.c.destination_address)
    ),
)
_USD_VALUES = select(
    _c.id, _c.amount_micro_usd + _c.service_micro_usd + _c.bridge_micro_usd + _c.app_micro_usd
).where(_AMONG)
_PAYOUTS = select(_c.id, _c.destination_chain, _c.token_out, _c.payout_amount).where(_AMONG)
_OVER_BRIDGES = select(_c.id, _c.bridger).where(_AMONG, _c.custody == Custody.BRIDGE.value)
_IDS_BY_ADDRESS = select(intents.c.address, intents.c.id).where(
    within(intents.c.address, "addresses")
)
_UPDATE = (
    update(intents)
    .where(intents.c.id == bindparam("b_id"), intents.c.state == bindparam("b_state"))
    .values({name: bindparam(f"new_{name}") for name in CHANGING_COLUMNS})
)
_START_IN_FLIGHT = select(outbound_txs.c.id).where(
    outbound_txs.c.intent_id == intents.c.id,
    outbound_txs.c.kind == OutboundTxKind.START,
    outbound_txs.c.state == OutboundTxState.SIGNED,
)
_TO_BE_FUNDED = (
    select(inventory_transfers.c.id)
    .where(
        inventory_transfers.c.intent_id == intents.c.id,
        inventory_transfers.c.destination_chain == intents.c.destination_chain,
        text(f"inventory_transfers.{UNSENT}"),
    )
    .exists()
)
_EXPIRED = ByShards(
    # An outer join and literal states: SQLite then uses the index of each chain's open intents
    # instead of scanning all open ones. A chain without any has a row with NULL.
    lambda is_of_shards: per_dialect_for_chains(
        lambda now: (
            select(now.c.key, intents.c.id)
            .select_from(now)
            .outerjoin(
                intents,
                and_(
                    intents.c.source_chain == now.c.key,
                    intents.c.expires_at <= cast(now.c.value, BigInteger),
                    text("intents.state IN ('PENDING', 'FUNDED')"),
                    ~_START_IN_FLIGHT.exists(),
                    is_of_shards(intents.c.id),
                ),
            )
            .limit(bindparam("limit"))
        )
    ),
)


class SqlIntents(TransitionLog, IntentAddresses):
    """`ports.intent_repository.IntentRepository` on one connection."""

    def add(self, intent: Intent, event_id: str) -> Intent:
        return self.add_all([(intent, event_id)])[0]

    def add_all(self, new: Sequence[tuple[Intent, str]]) -> list[Intent]:
        return add_intents(self._db, new)

    def get(self, intent_id: int) -> Intent | None:
        return self._find(_BY_ID, intent_id)

    def find_by_address(self, address: str) -> Intent | None:
        return self._find(_BY_ADDRESS, address)

    def get_many(self, ids: Collection[int]) -> dict[int, Intent]:
        return read_intents(self._db, ids)

    def get_whole(self, ids: Collection[int]) -> dict[int, Intent]:
        return read_whole(self._db, ids)

    def get_usd_values(self, ids: Collection[int]) -> dict[int, int]:
        rows = fetch(self._db, _USD_VALUES, {"ids": ids}) if ids else ()
        return {row[0]: row[1] for row in rows}

    def get_payouts(self, ids: Collection[int]) -> dict[int, tuple[str, str, int]]:
        rows = fetch(self._db, _PAYOUTS, {"ids": ids}) if ids else ()
        return {id: (chain, token, int(units)) for id, chain, token, units in rows}

    def find_over_bridges(self, ids: Collection[int]) -> dict[int, str]:
        rows = fetch(self._db, _OVER_BRIDGES, {"ids": ids}) if ids else ()
        return {row[0]: row[1] for row in rows}

    def lock(self, ids: Collection[int]) -> dict[int, Intent]:
        return read_intents(self._db, ids, for_update=True)

    def list_page(self, filter: IntentFilter, limit: int, offset: int = 0) -> list[Intent]:
        query = apply_filter(select(intents), filter).order_by(intents.c.id.desc())
        rows = self._db.execute(query.limit(limit).offset(offset))
        return [INTENTS.decode(row) for row in rows.all()]

    def count_by_state(self, owners: OwnerFilter) -> dict[State, int]:
        query = select(intent_counts.c.state, func.sum(intent_counts.c.total)).group_by(
            intent_counts.c.state
        )
        query = query.where(*is_owned(intent_counts, owners))
        return {State(state): int(n) for state, n in self._db.execute(query) if n}

    def find_deposit_addresses(self, addresses: Collection[str]) -> set[str]:
        rows = fetch(self._db, _DEPOSIT_ADDRESSES, {"addresses": addresses}) if addresses else ()
        return {row[0] for row in rows}

    def find_ids_by_address(self, addresses: Collection[str]) -> dict[str, int]:
        if not addresses:
            return {}
        return dict(fetch(self._db, _IDS_BY_ADDRESS, {"addresses": addresses}))

    def list_settlement_accounts(self, chain: str) -> set[tuple[str, str]]:
        pair = select(intents.c.bridger, intents.c.coordinator).distinct()
        rows = self._db.execute(pair.where(intents.c.source_chain == chain))
        return {(bridger, coordinator) for bridger, coordinator in rows}

    def list_expired(
        self, times: Mapping[str, datetime], limit: int, shards: Shards = ALL_SHARDS
    ) -> dict[str, list[int]]:
        if not times:
            return {}
        parameters = {
            "chains": chain_values({c: to_micros(at) for c, at in times.items()}),
            "limit": limit + len(times),
            **shard_parameters(shards),
        }
        query = _EXPIRED[shards][self._db.dialect.name]
        expired: dict[str, list[int]] = {}
        for chain, intent_id in fetch(self._db, query, parameters):
            if intent_id is not None and limit:
                expired.setdefault(chain, []).append(intent_id)
                limit -= 1
        return expired

    def apply(self, changes: Sequence[IntentChange]) -> None:
        if not changes:
            return
        first: dict[int, Intent] = {}
        last: dict[int, Intent] = {}
        new_transitions, events = [], []
        for change in changes:
            before, after = change.before, change.after
            first.setdefault(before.id, before)
            last[before.id] = after
            new_transitions.append(transition_row(change))
            if change.transition.event_type is not None:
                events.append(
                    intent_event_row(
                        new_transitions[-1]["event_id"],
                        change.transition.event_type,
                        after,
                        change.transfer,
                    )
                )
        updates = [change_row(first[i], last[i]) for i in sorted(last)]
        if execute_each(self._db, _UPDATE, updates) != len(last):
            raise ConcurrentUpdate("an intent changed between read and write")
        remember_changed(self._db, last.values())
        execute_each(self._db, ADD_TRANSITION, new_transitions)
        execute_each(self._db, ADD_EVENT, events)
        moved = [(c.before.state, c.after) for c in changes if c.before.state is not c.after.state]
        add_totals(self._db, moved)
        add_link_uses(self._db, moved)

    def sum_committed_payouts(self, destination_chain: str, token: str) -> int:
        destination = (
            intents.c.destination_chain == destination_chain,
            intents.c.token_out == token,
            # What a bridge carries needs no inventory.
            intents.c.custody == Custody.OPERATOR.value,
            # What a bridge is to bring is not there yet, and what is there is not needed for it.
            ~_TO_BE_FUNDED,
        )
        started = select(intents.c.payout_amount).where(
            *destination, intents.c.state == State.INITIATED
        )
        starting = (
            select(intents.c.payout_amount)
            .join(outbound_txs, outbound_txs.c.intent_id == intents.c.id)
            .where(
                *destination,
                outbound_txs.c.kind == OutboundTxKind.START,
                outbound_txs.c.state == OutboundTxState.SIGNED,
                intents.c.state == State.FUNDED,
            )
        )
        rows_of_queries = (self._db.execute(query).scalars() for query in (started, starting))
        return sum(int(units) for rows in rows_of_queries for units in rows)

    def sum_started_by_chain(self) -> dict[str, tuple[int, int]]:
        chain = intents.c.destination_chain
        query = (
            select(chain, func.count(), func.sum(intents.c.amount_micro_usd))
            # A literal, so that the planner uses the partial index.
            .where(text("state = 'INITIATED'"), intents.c.custody == Custody.OPERATOR.value)
            .group_by(chain)
        )
        return {name: (int(n), int(usd)) for name, n, usd in self._db.execute(query)}

    def list_open_pairs(self) -> list[OpenPair]:
        return list_open_pairs(self._db)

    def list_older_in_state(self, state: State, before: datetime, limit: int) -> list[Intent]:
        query = select(intents).where(
            intents.c.state == state.value, intents.c.updated_at <= to_micros(before)
        )
        rows = self._db.execute(query.order_by(intents.c.id).limit(limit)).all()
        return [INTENTS.decode(row) for row in rows]

    def _find(self, query: Select[Any], value: int | str) -> Intent | None:
        row = self._db.execute(query, {"value": value}).first()
        return None if row is None else INTENTS.decode(row)

"""People as stored, what they handed in, and what a provider is still to be told of them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, delete, func, or_, select, text, tuple_, update

from crossway.domain.ramps import ORDER_ENDED, ProviderName
from crossway.ports.ramp_records import Erased, Handover, Person, Submission
from crossway.storage.ramp_tables import handovers, orders, people, submissions
from crossway.storage.rows import instant, maybe_instant, micros
from crossway.storage.sets import for_each_database

_ADD = for_each_database(lambda put: put(people).on_conflict_do_nothing())
_OF = ["person_id", "provider", "country"]
_SUBMIT = for_each_database(
    lambda put: put(submissions).on_conflict_do_update(
        index_elements=[*_OF, "key"],
        set_={
            name: put(submissions).excluded[name]
            for name in ("client_id", "media_type", "sealed", "at")
        },
    )
)
_HAND_OVER = for_each_database(
    lambda put: put(handovers).on_conflict_do_update(
        index_elements=_OF,
        set_={name: put(handovers).excluded[name] for name in ("mark", "tries", "next_at")},
    )
)


class People:
    """`ports.ramp_records.PeopleRecords` on one connection."""

    def __init__(self, db: Connection) -> None:
        self._db = db

    def find(self, email_index: str) -> Person | None:
        row = self._db.execute(select(people).where(people.c.email_index == email_index)).first()
        return None if row is None else _person(row)

    def get(self, person_id: str) -> Person | None:
        row = self._db.execute(select(people).where(people.c.id == person_id)).first()
        return None if row is None else _person(row)

    def lock(self, person_id: str) -> Person | None:
        query = select(people).where(people.c.id == person_id).with_for_update()
        row = self._db.execute(query).first()
        return None if row is None else _person(row)

    def add(self, person: Person, email_index: str) -> Person:
        self._db.execute(
            _ADD[self._db.dialect.name],
            {
                "id": person.id,
                "email_index": email_index,
                "email_sealed": person.email_sealed,
                "created_at": micros(person.created_at),
                "erased_at": None,
            },
        )
        return self.find(email_index) or person

    def page(self, limit: int, before_id: str | None = None) -> list[Person]:
        query = select(people).order_by(people.c.created_at.desc(), people.c.id.desc())
        if before_id is not None:
            edge = self.get(before_id)
            if edge is None:
                return []
            place = tuple_(people.c.created_at, people.c.id)
            query = query.where(place < tuple_(micros(edge.created_at), edge.id))
        return [_person(row) for row in self._db.execute(query.limit(limit))]

    def submit(self, made: Sequence[Submission]) -> None:
        rows = [
            {
                "person_id": one.person_id,
                "provider": one.provider.value,
                "country": one.country,
                "key": one.key,
                "client_id": one.client_id,
                "media_type": one.media_type,
                "sealed": one.sealed,
                "at": micros(one.at),
            }
            for one in made
        ]
        if rows:
            self._db.execute(_SUBMIT[self._db.dialect.name], rows)

    def submitted(self, person_id: str, provider: str, country: str) -> list[Submission]:
        query = select(submissions).where(
            submissions.c.person_id == person_id,
            submissions.c.provider == provider,
            submissions.c.country == country,
        )
        rows = self._db.execute(query.order_by(submissions.c.key))
        return [
            Submission(
                person_id=row.person_id,
                provider=ProviderName(row.provider),
                country=row.country,
                key=row.key,
                client_id=row.client_id,
                media_type=row.media_type,
                sealed=row.sealed,
                at=instant(row.at),
            )
            for row in rows
        ]

    def submitted_keys(self, person_id: str, provider: str, country: str) -> frozenset[str]:
        query = select(submissions.c.key).where(
            submissions.c.person_id == person_id,
            submissions.c.provider == provider,
            submissions.c.country == country,
        )
        return frozenset(self._db.execute(query).scalars())

    def hand_over(self, handover: Handover) -> None:
        self._db.execute(
            _HAND_OVER[self._db.dialect.name],
            {
                "person_id": handover.person_id,
                "provider": handover.provider.value,
                "country": handover.country,
                "mark": handover.mark,
                "tries": handover.tries,
                "next_at": None if handover.next_at is None else micros(handover.next_at),
            },
        )

    def handover(self, person_id: str, provider: str, country: str) -> Handover | None:
        query = select(handovers).where(
            handovers.c.person_id == person_id,
            handovers.c.provider == provider,
            handovers.c.country == country,
        )
        row = self._db.execute(query).first()
        return None if row is None else _handover(row)

    def handed_over(self, mark: str) -> None:
        self._db.execute(delete(handovers).where(handovers.c.mark == mark))

    def change_handover(self, handover: Handover) -> None:
        at = None if handover.next_at is None else micros(handover.next_at)
        self._db.execute(
            update(handovers)
            .where(handovers.c.mark == handover.mark)
            .values(tries=handover.tries, next_at=at)
        )

    def has_due_handovers(self, now: datetime) -> bool:
        query = select(handovers.c.mark).where(
            text("next_at IS NOT NULL"), handovers.c.next_at <= micros(now)
        )
        return self._db.execute(query.limit(1)).first() is not None

    def due_handovers(self, now: datetime, limit: int, until: datetime) -> list[Handover]:
        query = (
            select(handovers)
            # Written out, so that the planner sees the partial index.
            .where(text("next_at IS NOT NULL"), handovers.c.next_at <= micros(now))
            .order_by(handovers.c.next_at)
            .limit(limit)
            .with_for_update(skip_locked=True)
        )
        found = [_handover(row) for row in self._db.execute(query).all()]
        for one in found:
            self._db.execute(
                update(handovers).where(handovers.c.mark == one.mark).values(next_at=micros(until))
            )
        return found

    def open_order_of(self, person_id: str, client_id: str | None = None) -> int | None:
        query = select(func.min(orders.c.id)).where(
            *self._orders_of(person_id, client_id),
            orders.c.state.not_in([state.value for state in ORDER_ENDED]),
        )
        found = self._db.execute(query).scalar_one()
        return None if found is None else int(found)

    def erase(self, person_id: str, at: datetime, client_id: str | None = None) -> Erased:
        emptied = self._db.execute(
            update(orders)
            .where(*self._orders_of(person_id, client_id))
            .values(person_id=None, sealed=None, instructions="{}", widget_url="")
        ).rowcount
        mine = [submissions.c.person_id == person_id]
        if client_id is not None:
            mine.append(submissions.c.client_id == client_id)
        self._db.execute(delete(submissions).where(*mine))
        if self._known_to_others(person_id):
            return Erased(emptied, whole=False)
        self._db.execute(delete(handovers).where(handovers.c.person_id == person_id))
        self._db.execute(
            update(people)
            .where(people.c.id == person_id)
            .values(email_index=None, email_sealed=None, erased_at=micros(at))
        )
        return Erased(emptied, whole=True)

    def _known_to_others(self, person_id: str) -> bool:
        left = or_(
            select(orders.c.id).where(orders.c.person_id == person_id).exists(),
            select(submissions.c.id).where(submissions.c.person_id == person_id).exists(),
        )
        return bool(self._db.execute(select(left)).scalar_one())

    @staticmethod
    def _orders_of(person_id: str, client_id: str | None) -> list[Any]:
        of = [orders.c.person_id == person_id]
        return of if client_id is None else [*of, orders.c.client_id == client_id]


def _person(row: Any) -> Person:
    return Person(
        id=row.id,
        email_sealed=row.email_sealed,
        created_at=instant(row.created_at),
        erased_at=maybe_instant(row.erased_at),
    )


def _handover(row: Any) -> Handover:
    return Handover(
        person_id=row.person_id,
        provider=ProviderName(row.provider),
        country=row.country,
        mark=row.mark,
        tries=row.tries,
        next_at=maybe_instant(row.next_at),
    )

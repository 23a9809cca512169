"""Pages of intents: what a list may ask for, and the cursor that walks on."""

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Annotated, Final

from fastapi import Query
from starlette.requests import Request

from crossway.api.addresses import payment_url
from crossway.api.answers import Json
from crossway.api.schemas import intents as wire
from crossway.api.schemas.fields import CHAINS
from crossway.domain.clients import Caller
from crossway.domain.errors import InvalidInput
from crossway.domain.intent import CREATE_VOCABULARY, State
from crossway.ports.records import IntentFilter
from crossway.ports.services import Services
from crossway.usecases.payments import intents

STATUSES: Final = MappingProxyType(
    {
        word.lower(): tuple(state for state, said in CREATE_VOCABULARY.items() if said == word)
        for word in dict.fromkeys(CREATE_VOCABULARY.values())
    }
)
_CHAIN = {CHAINS: True}
_STATUS = {"enum": list(STATUSES)}
LARGEST_ID = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Page:
    """The query of a list."""

    limit: Annotated[int, Query(ge=1, le=100, description="How many at most.")] = 20
    offset: Annotated[int, Query(ge=0, le=1_000_000, description="How many to skip.")] = 0
    status: Annotated[
        str | None, Query(description="Where they stand.", json_schema_extra=_STATUS)
    ] = None
    source_chain: Annotated[
        str | None, Query(description="Where they are paid.", json_schema_extra=_CHAIN)
    ] = None
    destination_chain: Annotated[
        str | None, Query(description="Where they pay.", json_schema_extra=_CHAIN)
    ] = None
    cursor: Annotated[str | None, Query(description="`nextCursor` of the page before.")] = None


def paged(
    request: Request, services: Services, caller: Caller, page: Page, sender: str | None = None
) -> Json:
    """A page of the caller's intents in the read form."""
    wanted = _filter(services, page, sender)
    found, total = intents.page(services, caller, wanted, page.limit, page.offset)
    more = len(found) == page.limit and _has_after(services, caller, wanted, found[-1].id)
    return Json(
        {
            "intents": [wire.read(intent, payment_url(request, intent)) for intent in found],
            "total": total,
            "limit": page.limit,
            "offset": page.offset,
            "nextCursor": str(found[-1].id) if more else None,
        }
    )


def _has_after(services: Services, caller: Caller, wanted: IntentFilter, last: int) -> bool:
    return bool(intents.page(services, caller, replace(wanted, before_id=last), 1)[0])


def before_id(cursor: str | None, complaints: list[str]) -> int | None:
    """The record before which a page begins; None without a cursor, or with one that is none."""
    if cursor is None:
        return None
    # `int` itself refuses texts of some thousand digits.
    if cursor.isascii() and cursor.isdecimal() and len(cursor) <= len(str(LARGEST_ID)):
        found = int(cursor)
        if found <= LARGEST_ID:
            return found
    complaints.append("cursor must be the nextCursor of another page")
    return None


def _filter(services: Services, page: Page, sender: str | None) -> IntentFilter:
    complaints: list[str] = []
    states: tuple[State, ...] = ()
    if page.status is not None:
        states = STATUSES.get(page.status.lower(), ())
        if not states:
            complaints.append(f"status must be one of {', '.join(STATUSES)}")
    chains: dict[str, str] = {}
    for field in ("source_chain", "destination_chain"):
        name = getattr(page, field)
        try:
            if name is not None:
                chains[field] = services.catalogue.chain(name, field).id
        except InvalidInput as refusal:
            complaints.append(str(refusal))
    before = before_id(page.cursor, complaints)
    if complaints:
        raise InvalidInput("; ".join(complaints))
    source, destination = chains.get("source_chain"), chains.get("destination_chain")
    return IntentFilter(
        states=states,
        sender=sender,
        before_id=before,
        source_chain=source,
        destination_chain=destination,
    )

"""`/v1/standing-deposits`: what came to standing addresses, all of it in one list."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends

from crossway.api.auth import Reader, ServicesDep
from crossway.api.query_params import CursorPage, query
from crossway.api.record_numbers import StandingDepositNumber, format_cursor, parse_cursor
from crossway.api.schemas import standing as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.public_ids import RecordKind
from crossway.domain.standing import StandingDeposit, StandingState
from crossway.ports.services import Services
from crossway.usecases.public_numbers import ids_of
from crossway.usecases.standing import deposits

router = APIRouter(prefix="/v1/standing-deposits", tags=["Standing addresses"])
_KIND = RecordKind.STANDING_DEPOSIT


@dataclass(frozen=True, slots=True)
class DepositListParams(CursorPage):
    """The query of a list of deposits."""

    standing_address: Annotated[
        str | None, query("Only those at this standing address.", "sa_5f8942ea98e7c86e3595")
    ] = None
    status: Annotated[
        str | None,
        query("Only those with this status.", "FORWARDED", enum=[s.value for s in StandingState]),
    ] = None


@router.get(
    "",
    response_model=wire.StandingDepositPage,
    responses=error_responses(400, 404),
    summary="List deposits at standing addresses",
    operation_id="listStandingDeposits",
)
def listed(
    services: ServicesDep, caller: Reader, page: Annotated[DepositListParams, Depends()]
) -> JsonResponse:
    """What came to the client's standing addresses, newest first, each with its intent."""
    before = parse_cursor(services, _KIND, page.cursor)
    which = (page.standing_address, page.status)
    found = deposits.list_deposits(services, caller, page.limit, before, *which)
    more = len(found) == page.limit and bool(
        deposits.list_deposits(services, caller, 1, found[-1].id, *which)
    )
    return JsonResponse(
        wire.StandingDepositPage(
            standing_deposits=_shown(services, found),
            limit=page.limit,
            next_cursor=format_cursor(services, _KIND, found[-1].id) if more else None,
        )
    )


@router.get(
    "/{id}",
    response_model=wire.StandingDepositOut,
    responses=error_responses(404),
    summary="Get a deposit at a standing address",
    operation_id="getStandingDeposit",
)
def one(services: ServicesDep, caller: Reader, id: StandingDepositNumber) -> JsonResponse:
    """One deposit by its record number."""
    return JsonResponse(_shown(services, [deposits.get_deposit(services, caller, id)])[0])


def _shown(services: Services, found: Sequence[StandingDeposit]) -> list[wire.StandingDepositOut]:
    with services.store.read() as unit:
        addresses = unit.standing.get_many({deposit.number for deposit in found})
    ids = ids_of(services)
    return [wire.StandingDepositOut.from_deposit(ids, d, addresses[d.number]) for d in found]

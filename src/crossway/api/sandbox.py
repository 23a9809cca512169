"""`/v1/sandbox`: the simulated network's own switches; 404 on a live network."""

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path

from crossway.api.answers import Json, instant
from crossway.api.auth import Parts, Writer
from crossway.api.bodies import documented, fields_of
from crossway.api.schemas import sandbox as wire
from crossway.api.schemas.failures import failures
from crossway.api.schemas.fields import INTENT
from crossway.domain.errors import NotFound
from crossway.usecases.network import sandbox


async def _simulated(services: Parts) -> None:
    """Refuse before anything else is judged: on a live network there is nothing here."""
    if services.sandbox is None:
        raise NotFound("Not Found")


router = APIRouter(prefix="/v1/sandbox", tags=["Sandbox"], dependencies=[Depends(_simulated)])


@router.post(
    "/deposits",
    response_model=wire.Deposited,
    responses=failures(400, 404, post=True),
    openapi_extra=documented(wire.Deposit),
    summary="Send simulated tokens",
)
def deposit(
    services: Parts,
    caller: Writer,
    body: Annotated[Mapping[str, Any], Depends(fields_of(wire.Deposit))],
) -> Json:
    """Pay an address, for instance an intent's, on a simulated chain."""
    sent = sandbox.deposit(
        services,
        caller,
        body.get("address"),
        body.get("amount"),
        body.get("token"),
        body.get("chain"),
        body.get("count", 1),
    )
    return Json({"txHash": sent.tx_hash, "chain": sent.chain, "block": sent.block})


@router.post(
    "/clock",
    response_model=wire.ClockNow,
    responses=failures(400, 404, post=True),
    openapi_extra=documented(wire.Clock),
    summary="Move or stop the clock",
)
def clock(
    services: Parts,
    caller: Writer,
    body: Annotated[Mapping[str, Any], Depends(fields_of(wire.Clock))],
) -> Json:
    """Move the service's clock forward, and every simulated chain with it."""
    advance, frozen = body.get("advanceSeconds"), body.get("frozen")
    _, ahead, stands = sandbox.clock(services, caller, advance, frozen)
    now = instant(services.clock.now())
    return Json({"now": now, "aheadSeconds": ahead, "frozen": stands})


@router.post(
    "/chains/{chain}/faults",
    response_model=wire.FaultsNow,
    responses=failures(400, 404, post=True),
    openapi_extra=documented(wire.Faults),
    summary="Make a chain misbehave",
)
def faults(
    services: Parts,
    caller: Writer,
    chain: Annotated[str, Path(description="The chain.", examples=["BASE_MAINNET"])],
    body: Annotated[Mapping[str, Any], Depends(fields_of(wire.Faults))],
) -> Json:
    """Outages, reorganisations, lost and reverted transactions, lies, empty pockets."""
    sandbox.faults(services, caller, chain, body)
    on = services.catalogue.chain(chain).id
    active = services.sandbox.faults(on) if services.sandbox else {}
    return Json({"success": True, "chain": on, "faults": dict(active)})


@router.get(
    "/balances/{address}",
    response_model=wire.Holdings,
    responses=failures(404),
    summary="What an address holds on every simulated chain",
)
def balances(
    services: Parts,
    caller: Writer,
    address: Annotated[str, Path(description="Any address.", examples=[INTENT])],
) -> Json:
    """Everything, deposit addresses and recipients included."""
    return Json(wire.holdings(address, sandbox.balances(services, caller, address)))

"""`/v1/sandbox`: controls of the simulated environment; 404 in a live one."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from starlette.requests import Request

from crossway.api.auth import ServicesDep, Writer
from crossway.api.idempotency import get_reference
from crossway.api.schemas import sandbox as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import CHAINS, INTENT, request_body_schema
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.errors import NotFound
from crossway.usecases.instants import timestamp
from crossway.usecases.simulator import bridge_controls, chain_controls


async def _simulated(services: ServicesDep) -> None:
    """Respond 404 in a live environment, before anything else is checked."""
    if services.sandbox is None:
        raise NotFound("Not Found")


router = APIRouter(prefix="/v1/sandbox", tags=["Sandbox"], dependencies=[Depends(_simulated)])


@router.post(
    "/deposits",
    response_model=wire.Deposited,
    responses=error_responses(400, 404, post=True),
    openapi_extra=request_body_schema(wire.Deposit),
    summary="Send simulated tokens",
    operation_id="sendSandboxDeposit",
)
def deposit(
    request: Request,
    services: ServicesDep,
    caller: Writer,
    body: Annotated[wire.Deposit, Depends(wire.Deposit.valid_from_request)],
) -> JsonResponse:
    """Send tokens to an address, such as an intent's, on a simulated chain. Under an
    `Idempotency-Key` they are sent once, whatever happens to the first request."""
    sent = chain_controls.send_deposit(
        services,
        caller,
        body.address,
        body.amount,
        body.token,
        body.chain,
        body.count,
        get_reference(request),
    )
    return JsonResponse(wire.Deposited(txHash=sent.tx_hash, chain=sent.chain, block=sent.block))


@router.post(
    "/clock",
    response_model=wire.ClockNow,
    responses=error_responses(400, 404, post=True),
    openapi_extra=request_body_schema(wire.Clock),
    summary="Advance or freeze the clock",
    operation_id="setSandboxClock",
)
def clock(
    services: ServicesDep,
    caller: Writer,
    body: Annotated[wire.Clock, Depends(wire.Clock.valid_from_request)],
) -> JsonResponse:
    """Advance the service's clock, which every simulated chain follows."""
    _, ahead, frozen = chain_controls.set_clock(services, caller, body.advanceSeconds, body.frozen)
    now = timestamp(services.clock.now())
    return JsonResponse(wire.ClockNow(now=now, aheadSeconds=ahead, frozen=frozen))


@router.post(
    "/chains/{chain}/faults",
    response_model=wire.FaultsNow,
    responses=error_responses(400, 404, post=True),
    openapi_extra=request_body_schema(wire.Faults),
    summary="Inject faults into a chain",
    operation_id="injectChainFaults",
)
def faults(
    services: ServicesDep,
    caller: Writer,
    chain: Annotated[
        str,
        Path(description="The chain.", examples=["BASE_MAINNET"], json_schema_extra={CHAINS: True}),
    ],
    body: Annotated[wire.Faults, Depends(wire.Faults.valid_from_request)],
) -> JsonResponse:
    """Outages, reorganisations, dropped and reverted transactions, wrong data, low balances."""
    on, active = chain_controls.inject_faults(services, caller, chain, body.given_fields())
    return JsonResponse(wire.FaultsNow(success=True, chain=on, faults=active))


@router.post(
    "/bridges/{bridge}/faults",
    response_model=wire.BridgeFaultsNow,
    responses=error_responses(400, 404, post=True),
    openapi_extra=request_body_schema(wire.BridgeFaults),
    summary="Inject faults into a bridge",
    operation_id="injectBridgeFaults",
)
def bridge_faults(
    services: ServicesDep,
    caller: Writer,
    bridge: Annotated[
        str,
        Path(
            description="The bridge.",
            examples=["CCTP"],
            json_schema_extra={"enum": list(bridge_controls.BRIDGES)},
        ),
    ],
    body: Annotated[wire.BridgeFaults, Depends(wire.BridgeFaults.valid_from_request)],
) -> JsonResponse:
    """Late, missing, expired and wrong attestations, unfilled deposits, paused contracts."""
    active = bridge_controls.inject_faults(services, caller, bridge, body.given_fields())
    return JsonResponse(wire.BridgeFaultsNow(success=True, bridge=bridge, faults=dict(active)))


@router.get(
    "/balances/{address}",
    response_model=wire.Holdings,
    responses=error_responses(404),
    summary="Get the simulated balances of an address",
    operation_id="getSandboxBalances",
)
def balances(
    services: ServicesDep,
    caller: Writer,
    address: Annotated[str, Path(description="Any address.", examples=[INTENT])],
) -> JsonResponse:
    """Every balance, including deposit addresses and recipients."""
    return JsonResponse(
        wire.Holdings.from_balances(address, chain_controls.get_balances(services, caller, address))
    )

"""`/v1/chains` and `/v1/client`: what can be used, what an address holds, and who is asking."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from crossway.api.answers import Json
from crossway.api.auth import Parts, Reader
from crossway.api.schemas import chains as wire
from crossway.api.schemas import clients as client_wire
from crossway.api.schemas.failures import failures
from crossway.api.schemas.fields import WALLET
from crossway.usecases.network import chains

router = APIRouter(prefix="/v1/chains", tags=["Chains"])
client_router = APIRouter(prefix="/v1/client", tags=["Client"])
Network = Annotated[
    Literal["mainnet", "testnet"] | None, Query(description="Only those of one network.")
]


@router.get("", response_model=list[str], responses=failures(400), summary="List chains")
def listed(services: Parts, caller: Reader, network: Network = None) -> Json:
    """The identifiers of all chains that can be used."""
    return Json([chain.id for chain in chains.chains(services, network)])


@router.get(
    "/tokens/all",
    response_model=dict[str, list[wire.TokenOut]],
    responses=failures(),
    summary="List the tokens of every chain",
)
def every_token(services: Parts, caller: Reader) -> Json:
    """The tokens that can be used, by chain."""
    found = chains.all_tokens(services)
    return Json({chain: wire.tokens(tokens) for chain, tokens in found.items()})


@router.get(
    "/balances/{address}",
    response_model=wire.BalancesOut,
    responses=failures(400),
    summary="What an address holds",
)
def balances(
    services: Parts,
    caller: Reader,
    address: Annotated[str, Path(description="A wallet.", examples=[WALLET])],
) -> Json:
    """Every token above zero on every chain whose addresses have this form."""
    return Json(wire.balances(address, chains.balances(services, address)))


@router.get(
    "/{chain}/tokens",
    response_model=list[wire.TokenOut],
    responses=failures(400),
    summary="List the tokens of one chain",
)
def tokens_of(
    services: Parts,
    caller: Reader,
    chain: Annotated[str, Path(description="The chain.", examples=["BASE_MAINNET"])],
) -> Json:
    """The tokens that can be used on this chain."""
    return Json(wire.tokens(chains.tokens_of(services, chain)))


@client_router.get(
    "/auth/client-info",
    response_model=client_wire.ClientInfo,
    responses=failures(),
    summary="Who this key belongs to",
)
def client_info(caller: Reader) -> Json:
    """The client and the key that asks."""
    return Json(client_wire.client_info(caller))

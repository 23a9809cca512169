"""`/v1/chains` and `/v1/client`: chains, tokens, balances, and the caller's client."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from crossway.api.auth import Reader, ServicesDep
from crossway.api.schemas import chains as wire
from crossway.api.schemas import clients as client_wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import CHAINS, WALLET
from crossway.api.schemas.responses import JsonResponse
from crossway.usecases.chains import supported_chains

router = APIRouter(prefix="/v1/chains", tags=["Chains"])
client_router = APIRouter(prefix="/v1/client", tags=["Client"])
Network = Annotated[
    Literal["mainnet", "testnet"] | None, Query(description="Only chains of this network.")
]
ChainType = Annotated[
    Literal["EVM", "STARKNET", "SOLANA", "TRON"] | None,
    Query(description="Only chains of this family."),
]
MISSING = "Crossway-Missing"


@router.get(
    "",
    response_model=list[str],
    responses=error_responses(400),
    summary="List chains",
    operation_id="listChains",
)
def listed(services: ServicesDep, caller: Reader, network: Network = None) -> JsonResponse:
    """The identifiers of all available chains."""
    chains = supported_chains.list_chains(services, caller, network)
    return JsonResponse([chain.id for chain in chains])


@router.get(
    "/tokens/all",
    response_model=dict[str, list[wire.TokenOut]],
    responses=error_responses(),
    summary="List the tokens of every chain",
    operation_id="listTokens",
)
def every_token(services: ServicesDep, caller: Reader) -> JsonResponse:
    """The available tokens by chain."""
    tokens_by_chain = supported_chains.list_all_tokens(services)
    return JsonResponse(
        {
            chain: [wire.TokenOut.from_token(token) for token in tokens]
            for chain, tokens in tokens_by_chain.items()
        }
    )


@router.get(
    "/balances/{address}",
    response_model=dict[str, list[wire.BalanceOut]],
    responses=error_responses(400),
    summary="Get the balances of an address",
    operation_id="getBalances",
)
def balances(
    services: ServicesDep,
    caller: Reader,
    address: Annotated[str, Path(description="A wallet.", examples=[WALLET])],
    network: Network = None,
    chainType: ChainType = None,
    includeZeroBalances: Annotated[
        bool, Query(description="Whether tokens without a balance are listed too.")
    ] = False,
) -> JsonResponse:
    """The balances by chain, of every chain whose address format matches. Chains that did not
    answer are missing; `Crossway-Missing` names them."""
    result = supported_chains.get_balances(
        services, caller, address, network, chainType, includeZeroBalances
    )
    missing = ", ".join(source.subject for source in result.excluded)
    return JsonResponse(
        {
            chain: [wire.BalanceOut.from_balance(balance) for balance in balances]
            for chain, balances in result.by_chain.items()
        },
        headers={MISSING: missing} if missing else None,
    )


@router.get(
    "/{chain}/tokens",
    response_model=list[wire.TokenOut],
    responses=error_responses(400),
    summary="List the tokens of one chain",
    operation_id="listTokensOfChain",
)
def tokens_of(
    services: ServicesDep,
    caller: Reader,
    chain: Annotated[
        str,
        Path(description="The chain.", examples=["BASE_MAINNET"], json_schema_extra={CHAINS: True}),
    ],
) -> JsonResponse:
    """The available tokens of a chain."""
    tokens = supported_chains.list_tokens(services, caller, chain)
    return JsonResponse([wire.TokenOut.from_token(token) for token in tokens])


@client_router.get(
    "/auth/client-info",
    response_model=client_wire.ClientInfo,
    responses=error_responses(),
    summary="Get the client of this key",
    operation_id="getClientInfo",
)
def client_info(caller: Reader) -> JsonResponse:
    """The client and the API key of the request."""
    return JsonResponse(client_wire.ClientInfo.from_caller(caller))

"""`/v1/ramp`: quotes, currencies and countries of fiat ramps."""

from typing import Annotated

from fastapi import APIRouter, Depends

from crossway.api.auth import Reader, ServicesDep
from crossway.api.query_params import FiatCurrency, Provider, RampQuoteParams, RampType, query
from crossway.api.schemas import ramps as wire
from crossway.api.schemas.error_responses import error_responses
from crossway.api.schemas.fields import DECIMAL
from crossway.api.schemas.responses import JsonResponse
from crossway.usecases.ramps import quotes as ramp_quotes

router = APIRouter(prefix="/v1/ramp", tags=["Ramps"])


@router.get(
    "/quotes",
    response_model=wire.RampQuotesOut,
    responses=error_responses(400),
    summary="Quotes of every provider",
    operation_id="listRampQuotes",
)
def quotes(
    services: ServicesDep, caller: Reader, params: Annotated[RampQuoteParams, Depends()]
) -> JsonResponse:
    """The quotes of every provider that serves the corridor, lowest total cost first."""
    return JsonResponse(
        wire.RampQuotesOut.from_comparison(
            ramp_quotes.compare_quotes(services, caller, params.to_request())
        )
    )


@router.get(
    "/currencies",
    response_model=list[wire.CurrencyOut],
    responses=error_responses(400),
    summary="List currencies",
    operation_id="listRampCurrencies",
)
def currencies(
    services: ServicesDep, caller: Reader, provider: Provider = None, type: RampType = None
) -> JsonResponse:
    """The supported currencies; for `off-ramp`, those with direct payouts."""
    return JsonResponse(
        [
            wire.CurrencyOut.from_currency(currency)
            for currency in ramp_quotes.list_currencies(services, caller, provider, type)
        ]
    )


@router.get(
    "/countries",
    response_model=list[wire.CountryOut],
    responses=error_responses(400),
    summary="List countries",
    operation_id="listRampCountries",
)
def countries(
    services: ServicesDep,
    caller: Reader,
    currency: FiatCurrency = None,
    amount: Annotated[
        str | None,
        query(
            "Only where orders of this amount, in the currency itself, are taken.",
            "5000",
            **DECIMAL,
        ),
    ] = None,
) -> JsonResponse:
    """The countries where ramps are offered, one entry for each of their currencies."""
    return JsonResponse(
        [
            wire.CountryOut.from_country(country)
            for country in ramp_quotes.list_countries(services, caller, currency, amount)
        ]
    )

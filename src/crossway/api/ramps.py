"""`/v1/ramp`: what buying and selling crypto for local money costs, and where it is offered."""

from typing import Annotated

from fastapi import APIRouter, Depends

from crossway.api.answers import Json
from crossway.api.auth import Parts, Reader
from crossway.api.questions import Provider, RampAsked, RampType
from crossway.api.schemas import ramps as wire
from crossway.api.schemas.failures import failures
from crossway.usecases.ramps import quotes as ramp_quotes
from crossway.usecases.ramps.questions import RampQuestion

router = APIRouter(prefix="/v1/ramp", tags=["Ramps"])


def _question(asked: RampAsked) -> RampQuestion:
    return RampQuestion(
        direction=asked.type,
        currency=asked.fiatCurrency,
        amount=asked.cryptoAmount,
        destination_chain=asked.destinationChain,
        source_chain=asked.sourceChain,
        symbol=asked.amountSymbol,
        country=asked.countryCode,
        direct_only=asked.directOnly,
        email=asked.userEmail,
    )


@router.get(
    "/quotes",
    response_model=wire.RampQuotesOut,
    responses=failures(400),
    summary="Quotes of every provider",
)
def quotes(services: Parts, caller: Reader, asked: Annotated[RampAsked, Depends()]) -> Json:
    """What each provider that serves the corridor asks, cheapest total cost first."""
    return Json(wire.quotes(ramp_quotes.quotes(services, caller, _question(asked))))


@router.get(
    "/currencies",
    response_model=list[wire.CurrencyOut],
    responses=failures(400),
    summary="List currencies",
)
def currencies(
    services: Parts, caller: Reader, provider: Provider = None, type: RampType = None
) -> Json:
    """The currencies that can be used; for `off-ramp`, those that are paid out directly."""
    return Json(wire.currencies(ramp_quotes.currencies(services, caller, provider, type)))


@router.get(
    "/countries",
    response_model=list[wire.CountryOut],
    responses=failures(),
    summary="List countries",
)
def countries(services: Parts, caller: Reader) -> Json:
    """The countries where ramps are offered, with their currencies."""
    return Json(wire.countries(ramp_quotes.countries(services, caller)))

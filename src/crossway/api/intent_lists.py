"""Lists of intents: their query parameters and their pages."""

from dataclasses import dataclass, fields
from typing import Annotated

from fastapi import Query
from starlette.requests import Request

from crossway.api.expansion import OF_INTENTS, ExpandIntents, expand_intents
from crossway.api.query_params import CreatedAfter, CreatedBefore, query
from crossway.api.record_numbers import format_cursor, parse_cursor
from crossway.api.schemas.expanded import IntentPage
from crossway.api.schemas.fields import CHAINS, SYMBOLS, WALLET
from crossway.api.schemas.responses import JsonResponse
from crossway.domain.clients import Principal
from crossway.domain.public_ids import RecordKind
from crossway.ports.services import Services
from crossway.usecases.payments import payment_list
from crossway.usecases.payments.payment_list import BRIDGE_VALUES, STATUSES, ListQuery
from crossway.usecases.ramps.related import parse_expand
from crossway.usecases.validation_errors import ValidationErrors

_Text = str | None


@dataclass(frozen=True, slots=True)
class IntentListParams:
    """The query of a list of intents."""

    limit: Annotated[int, Query(ge=1, le=100, description="Maximum number of results.")] = 20
    offset: Annotated[
        int,
        Query(
            ge=0,
            le=1_000_000,
            description="Number of results to skip; with `status` and chains only.",
        ),
    ] = 0
    cursor: Annotated[_Text, Query(description="`nextCursor` of the previous page.")] = None
    status: Annotated[_Text, query("Their status.", "funded", enum=list(STATUSES))] = None
    source_chain: Annotated[_Text, query("Source chain.", "BASE_MAINNET", CHAINS)] = None
    destination_chain: Annotated[_Text, query("Destination chain.", "ARBITRUM_MAINNET", CHAINS)] = (
        None
    )
    recipient: Annotated[_Text, query("The recipient's wallet.", WALLET)] = None
    payment_link_id: Annotated[
        _Text, query("The payment link that they were made with.", "pl_5f8942ea98e7c86e3595")
    ] = None
    bridge: Annotated[
        _Text, query("The bridge; `none` within one chain.", "ACROSS", enum=list(BRIDGE_VALUES))
    ] = None
    token: Annotated[_Text, query("Symbol of the payer's token.", "USDC", SYMBOLS)] = None
    reference: Annotated[
        _Text, query("A value in their metadata, in upper or lower case.", "order-1001")
    ] = None
    created_after: CreatedAfter = None
    created_before: CreatedBefore = None
    expand: ExpandIntents = None
    sender: Annotated[_Text, query("The payer's wallet.", WALLET)] = None

    def to_query(self) -> ListQuery:
        """The query as the use case takes it."""
        return ListQuery(**{one.name: getattr(self, one.name) for one in fields(ListQuery)})


@dataclass(frozen=True, slots=True)
class PayerListParams:
    """The query of a list of the newest intents of one payer."""

    limit: Annotated[int, Query(ge=1, le=100, description="Maximum number of results.")] = 100
    offset: Annotated[int, Query(ge=0, le=1_000_000, description="Number of results to skip.")] = 0


def list_of_payer(
    request: Request,
    services: Services,
    caller: Principal,
    params: PayerListParams,
    sender: str,
) -> JsonResponse:
    """The caller's newest intents of one payer, without a page around them."""
    filters = payment_list.parse_list_query(services, caller, ListQuery(sender=sender))
    page = payment_list.list_page(services, caller, filters, None, params.limit, params.offset)
    return JsonResponse(expand_intents(request, services, caller, page.intents, ()))


def list_intents(
    request: Request,
    services: Services,
    caller: Principal,
    params: IntentListParams,
) -> JsonResponse:
    """One page of the caller's intents."""
    errors, wanted = ValidationErrors(), params.to_query()
    filters = errors.collect(payment_list.parse_list_query, services, caller, wanted)
    before_id = errors.collect(parse_cursor, services, RecordKind.INTENT, params.cursor)
    expand = errors.collect(parse_expand, params.expand, OF_INTENTS) or ()
    errors.raise_if_any()
    page = payment_list.list_page(
        services, caller, filters or (), before_id, params.limit, params.offset
    )
    return JsonResponse(
        IntentPage(
            intents=expand_intents(request, services, caller, page.intents, expand),
            total=page.total,
            totalIsMinimum=page.is_minimum,
            limit=params.limit,
            offset=params.offset,
            nextCursor=None
            if page.next_id is None
            else format_cursor(services, RecordKind.INTENT, page.next_id),
        )
    )

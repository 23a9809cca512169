"""Quote requests and order requests for tests of providers."""

from datetime import UTC, datetime
from typing import Any

from crossway.domain.clients import Mode, Owner
from crossway.domain.payment_channels import Channel, ChannelType
from crossway.domain.ramps import Direction, ProviderName
from crossway.ports.ramps import KycUser, OrderRequest, ProviderQuoteRequest
from tests.adapters.ramps.provider_servers import CATALOGUE, FIAT, capabilities_of

AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
WALLET = "0x5B38Da6a701c568545dCfcB03FcB875f56beddC4"
OWNER = Owner("c-1", Mode.TEST)
EMAIL, PHONE, ACCOUNT = "ada.obi@example.com", "+2348012345678", "0123456789"
USER = KycUser(EMAIL, OWNER)
FIELDS = {
    "bankCode": "058",
    "accountNumber": ACCOUNT,
    "accountName": "Ada Obi",
    "phone": PHONE,
}
IDENTITY = {
    "firstName": "Ada",
    "lastName": "Obi",
    "dateOfBirth": "1990-12-31",
    "idType": "NIN",
    "idNumber": "12345678901",
    "address": "1 Marina Road, Lagos",
    "additionalIdType": "BVN",
    "additionalIdNumber": "22345678901",
}


def channel_for(
    name: ProviderName,
    direction: Direction,
    currency: str,
    type_: ChannelType = ChannelType.BANK_TRANSFER,
) -> Channel:
    channels: tuple[Channel, ...] = capabilities_of(name).channels
    return next(
        c for c in channels if (c.direction, c.currency, c.type) == (direction, currency, type_)
    )


def quote_request(
    direction: Direction, units: int, currency: str = "NGN", chain: str = "BASE_MAINNET"
) -> ProviderQuoteRequest:
    corridor = FIAT.corridors[currency]
    token = CATALOGUE.token(chain, "USDC")
    return ProviderQuoteRequest(direction, corridor.currency, corridor.countries[0], token, units)


def order_request(
    name: ProviderName,
    direction: Direction,
    units: int,
    fiat_minor: int,
    currency: str = "NGN",
    **more: Any,
) -> OrderRequest:
    ask = quote_request(direction, units, currency)
    params: dict[str, Any] = {
        "reference": "cw_7Hs2",
        "direction": direction,
        "currency": ask.currency,
        "country": ask.country,
        "channel": channel_for(name, direction, currency),
        "token": ask.token,
        "amount": units,
        "fiat_minor": fiat_minor,
        "fee_minor": 0,
        "to_address": WALLET,
        "refund_address": WALLET,
        "email": EMAIL,
        "fields": FIELDS,
        "kyc_fields": IDENTITY,
    }
    return OrderRequest(**(params | more))

"""Building Yellow Card's order requests."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from crossway.adapters.ramps.wire_models import json_number
from crossway.domain.ramps import Direction
from crossway.ports.ramps import OrderRequest, ProviderRejected

TITLE = "Yellow Card"
REASON = "other"


def requested_network_code(names: Mapping[str, Any], order: OrderRequest) -> str:
    """The code of the user's bank or mobile operator; empty when none is required."""
    return _map_fields(names["account"], order.fields).get("networkId", "")


def build_order_body(
    names: Mapping[str, Any], order: OrderRequest, network_id: str, customer: str
) -> dict[str, Any]:
    """The body of a receive or a send with direct settlement. `network_id` is Yellow Card's id of
    the bank or operator, `customer` a pseudonymous customer id. Raises `ProviderRejected`."""
    network = names["networks"].get(order.token.chain)
    kind = names["channels"].get(order.channel.type.value)
    if network is None or kind is None:
        unsupported = order.token.chain if network is None else order.channel.name
        raise ProviderRejected(f"{TITLE} does not serve {unsupported}")
    account = _map_fields(names["account"], order.fields)
    if network_id:
        account["networkId"] = network_id
    common = {
        "sequenceId": order.reference,
        "customerUID": customer,
        "customerType": "retail",
        "channelType": kind,
        "currency": order.currency.code,
        "country": order.country,
        "reason": REASON,
        "forceAccept": True,
        "directSettlement": True,
    }
    coin = {"cryptoCurrency": order.token.symbol, "cryptoNetwork": network}
    parts = _receive if order.direction is Direction.ON else _send
    return common | parts(order, build_person(names, order), {"accountType": kind} | account, coin)


def _receive(
    order: OrderRequest,
    payer: Mapping[str, str],
    account: Mapping[str, str],
    coin: Mapping[str, str],
) -> dict[str, Any]:
    source = {key: value for key, value in account.items() if key != "accountName"}
    return {
        "localAmount": json_number(order.fiat_minor, order.currency.digits),
        "recipient": payer,
        "source": source,
        "settlementInfo": {**coin, "walletAddress": order.to_address},
    }


def _send(
    order: OrderRequest,
    sender: Mapping[str, str],
    account: Mapping[str, str],
    coin: Mapping[str, str],
) -> dict[str, Any]:
    return {
        "sender": sender,
        "destination": account,
        "settlementInfo": {
            **coin,
            "cryptoAmount": json_number(order.amount, order.token.decimals),
            "refundAddress": order.refund_address,
        },
    }


def build_person(names: Mapping[str, Any], order: OrderRequest) -> dict[str, str]:
    """The KYC data of the customer that every order carries. Raises `ProviderRejected`."""
    fields = names["identity"] | names.get(f"identity_{order.country}", {})
    person = _map_fields(fields, {**order.fields, **order.kyc_fields})
    parts = (order.kyc_fields.get(key, "") for key in ("firstName", "lastName"))
    person["name"] = " ".join(filter(None, parts)) or order.fields.get("accountName", "")
    if missing := [key for key in ("name", *fields) if not person.get(key)]:
        raise ProviderRejected(f"{TITLE} requires these fields of the user: {', '.join(missing)}")
    return person | {
        "dob": _to_us_date(person["dob"]),
        "email": order.email,
        "country": order.country,
    }


def _map_fields(names: Mapping[str, list[str]], values: Mapping[str, str]) -> dict[str, str]:
    """By the provider's field, the first of our values that is set."""
    first_values = {
        key: next((values[our_key] for our_key in our_keys if values.get(our_key)), "")
        for key, our_keys in names.items()
    }
    return {key: value for key, value in first_values.items() if value}


def _to_us_date(text: str) -> str:
    """An ISO date as MM/DD/YYYY, as the API requires."""
    try:
        return date.fromisoformat(text).strftime("%m/%d/%Y")
    except ValueError:
        raise ProviderRejected(f"{TITLE} needs a date of birth such as 1990-12-31") from None

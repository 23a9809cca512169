"""What Yellow Card wants to be told of an order, made from what Crossway knows of it."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from crossway.adapters.ramps.exact import numeral
from crossway.domain.ramps import Direction
from crossway.ports.ramps import Opening, ProviderRefused

TITLE = "Yellow Card"
REASON = "other"


def network_asked(names: Mapping[str, Any], order: Opening) -> str:
    """The code of the bank or operator that the user named; empty where none is asked for."""
    return _given(names["account"], order.fields).get("networkId", "")


def body_of(
    names: Mapping[str, Any], order: Opening, network_id: str, customer: str
) -> dict[str, Any]:
    """The body of a receive or a send that converts at once: `network_id` is Yellow Card's id of
    the bank or operator, `customer` stands for the person. Raises `ProviderRefused`."""
    network = names["networks"].get(order.token.chain)
    kind = names["channels"].get(order.channel.type.value)
    if network is None or kind is None:
        what = order.token.chain if network is None else order.channel.name
        raise ProviderRefused(f"{TITLE} does not serve {what}")
    account = _given(names["account"], order.fields)
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
    return common | parts(order, person(names, order), {"accountType": kind} | account, coin)


def _receive(
    order: Opening, payer: Mapping[str, str], account: Mapping[str, str], coin: Mapping[str, str]
) -> dict[str, Any]:
    source = {key: value for key, value in account.items() if key != "accountName"}
    return {
        "localAmount": numeral(order.fiat_minor, order.currency.digits),
        "recipient": payer,
        "source": source,
        "settlementInfo": {**coin, "walletAddress": order.to_address},
    }


def _send(
    order: Opening, sender: Mapping[str, str], account: Mapping[str, str], coin: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "sender": sender,
        "destination": account,
        "settlementInfo": {
            **coin,
            "cryptoAmount": numeral(order.units, order.token.decimals),
            "refundAddress": order.refund_address,
        },
    }


def person(names: Mapping[str, Any], order: Opening) -> dict[str, str]:
    """What is to be told of the person with every order."""
    wanted = names["identity"] | names.get(f"identity_{order.country}", {})
    known = _given(wanted, {**order.fields, **order.identity})
    parts = (order.identity.get(key, "") for key in ("firstName", "lastName"))
    known["name"] = " ".join(filter(None, parts)) or order.fields.get("accountName", "")
    if missing := [key for key in ("name", *wanted) if not known.get(key)]:
        raise ProviderRefused(f"{TITLE} needs to know of the person: {', '.join(missing)}")
    return known | {"dob": _american(known["dob"]), "email": order.email, "country": order.country}


def _given(wanted: Mapping[str, list[str]], values: Mapping[str, str]) -> dict[str, str]:
    """Their field to the first of ours that has a value."""
    found = {
        key: next((values[o] for o in ours if values.get(o)), "") for key, ours in wanted.items()
    }
    return {key: value for key, value in found.items() if value}


def _american(text: str) -> str:
    """An ISO date with the month first, as the API wants it."""
    try:
        return date.fromisoformat(text).strftime("%m/%d/%Y")
    except ValueError:
        raise ProviderRefused(f"{TITLE} needs a date of birth such as 1990-12-31") from None

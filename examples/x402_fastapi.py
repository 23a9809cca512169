"""A paid API with FastAPI: it answers 402 with an offer of x402, and delivers what is paid for."""

import json
import os
from base64 import b64decode, b64encode
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Request, Response
from fastapi.responses import JSONResponse

from crossway_client import AsyncCrossway

WALLET = os.environ["SHOP_WALLET"]  # where you are paid, on Arbitrum
crossway = AsyncCrossway(
    os.environ["CROSSWAY_API_KEY"], os.environ.get("CROSSWAY_API_URL", "http://127.0.0.1:8600")
)
# By deposit address what was offered for it, so that an offer buys nothing else. Several processes
# keep this in their database.
offered: dict[str, str] = {}
app = FastAPI()


class NotPaid(Exception):
    """What is to be answered with status 402."""

    def __init__(self, content: Any) -> None:
        super().__init__(content)
        self.content = content


@app.exception_handler(NotPaid)
async def ask_for_payment(_: Request, error: NotPaid) -> Response:
    """The offer, as JSON and in the header that clients of x402 read."""
    return JSONResponse(error.content, 402, {"PAYMENT-REQUIRED": encode(error.content)})


def encode(content: Any) -> str:
    """A header of x402."""
    return b64encode(json.dumps(content).encode()).decode()


def costs(micro_usd: int) -> Any:
    """A dependency that lets a request through once it has paid this much."""

    async def pay(request: Request, response: Response) -> None:
        payment = read_payment(request.headers.get("payment-signature"))
        pay_to = payment.get("accepted", {}).get("payTo", "")
        if offered.get(pay_to) != request.url.path:
            raise NotPaid(await offer(request, micro_usd))
        settled = await crossway.x402.settle(payment)
        if not settled.success:
            raise NotPaid(await offer(request, micro_usd))
        response.headers["PAYMENT-RESPONSE"] = encode(settled.response_json)

    return Depends(pay)


def read_payment(header: str | None) -> dict[str, Any]:
    """The payment that a request brings; empty where it brings none that can be read."""
    try:
        payment = json.loads(b64decode(header or "", validate=True) or b"{}")
    except ValueError:
        return {}
    readable = isinstance(payment, dict) and isinstance(payment.get("accepted"), dict)
    return payment if readable else {}


async def offer(request: Request, micro_usd: int) -> Any:
    """Offers with deposit addresses of their own; Crossway pays `WALLET` from what comes there."""
    offers = await crossway.x402.create_offers(
        amount=micro_usd,
        destination_chain="ARBITRUM_MAINNET",
        recipient=WALLET,
        refund_address=WALLET,
        url=str(request.url),
    )
    offered.update((one["payTo"], request.url.path) for one in offers.accepts)
    return offers.response_json


@app.get("/report")
async def report(paid: Annotated[None, costs(200_000)]) -> dict[str, str]:
    """What is worth 20 cents."""
    return {"report": "It will rain."}

"""A shop on two real chains that make a block a second, whose customers pay by x402."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
from eth_account import Account
from eth_account.signers.local import LocalAccount
from starlette.applications import Starlette
from starlette.routing import Mount

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.words import address_word, number_word
from crossway.api.app import create_api
from crossway.api.rate_limits import IpRateLimiter
from crossway.domain.clients import Mode, Scope, staff_principal
from crossway.domain.intent import Intent
from crossway.payer.app import create_pages
from crossway.usecases.developers import api_keys, clients
from crossway.usecases.payments import intents
from tests.browser.conftest import serving
from tests.chains.anvil import Anvil, dollars, running
from tests.chains.live import ARBITRUM, BASE
from tests.chains.service import RealWorld, profile_of
from tests.chains.signing import numbers_of
from tests.ports import free_port

BASE_NETWORK = "eip155:8453"
DOMAIN = {
    "name": "USD Coin", "version": "2", "chainId": 8453, "verifyingContract": dollars(BASE)
}  # fmt: skip
FIELDS = {
    "from": "address", "to": "address", "value": "uint256", "validAfter": "uint256",
    "validBefore": "uint256", "nonce": "bytes32",
}  # fmt: skip
IN_DOMAIN = {
    "name": "string", "version": "string", "chainId": "uint256", "verifyingContract": "address"
}  # fmt: skip


@dataclass
class X402Shop:
    """The shop: where it is reached, and with what key."""

    world: RealWorld[Any]
    url: str
    key: str

    @property
    def base(self) -> Anvil:
        anvil: Anvil = self.world.hands[BASE]
        return anvil

    def post(self, path: str, body: Any, key: str = "") -> httpx.Response:
        headers = {"Authorization": f"Bearer {key or self.key}"}
        return httpx.post(f"{self.url}/api/v1/x402/{path}", json=body, headers=headers, timeout=60)

    def get(self, path: str) -> Any:
        headers = {"Authorization": f"Bearer {self.key}"}
        return httpx.get(f"{self.url}/api/v1/x402/{path}", headers=headers, timeout=60).json()

    def offer(self, name: str, amount: int = 200_000, **more: Any) -> dict[str, Any]:
        """An offer of an amount that is paid out on Arbitrum."""
        hands = self.world.hands
        asked = {
            "amount": str(amount), "destination_chain": ARBITRUM, "tokenOut": dollars(ARBITRUM),
            "recipient": hands[ARBITRUM].wallet(f"x402 {name}"), "source_chains": [BASE],
            "refund_address": hands[BASE].wallet("the shop"), "url": "https://shop.example/report",
        }  # fmt: skip
        answer = self.post("offers", asked | more)
        assert answer.status_code == 200, answer.text
        [offer] = answer.json()["accepts"]
        return dict(offer)

    def intent(self, offer: dict[str, Any]) -> Intent:
        return intents.get_by_address(self.world.services, self.world.operator, offer["payTo"])

    def new_key(self, name: str) -> str:
        """The key of another client."""
        staff = staff_principal("test")
        other = clients.create_client(self.world.services, name, staff)
        scopes = frozenset(Scope)
        key = api_keys.create_api_key(self.world.services, other.id, Mode.LIVE, staff, scopes)
        return key.secret


@contextmanager
def open_x402_shop(folder: Path, allowance_micro_usd: int = 0) -> Iterator[X402Shop]:
    """With an engine, API and pages, as `crossway serve` runs them; the operator gives nothing for
    signatures beyond what quotes pay for."""
    with running(BASE, 1) as base, running(ARBITRUM, 1) as arbitrum:
        base.sign_dollars()
        hands = {BASE: base, ARBITRUM: arbitrum}
        world = RealWorld(folder, hands, profile_of(folder, hands.values(), poll_seconds=0.3))
        allowance = {"signature_allowance_micro_usd": allowance_micro_usd}
        services = replace(world.services, policy=replace(world.services.policy, **allowance))
        try:
            world.service.run_engine()
            staff, scopes = staff_principal("test"), frozenset(Scope)
            key = api_keys.create_api_key(services, "c-1", Mode.LIVE, staff, scopes)
            pages = create_pages(IpRateLimiter(), services)
            routes = [Mount("/api", create_api(services)), Mount("/pay", pages)]
            with serving(Starlette(routes=routes), free_port()) as url:
                yield X402Shop(world, url, key.secret)
        finally:
            world.close()


def new_customer(shop: X402Shop, name: str, units: int = 100 * 10**6) -> LocalAccount:
    """An account with dollars on Base and no coins."""
    account: LocalAccount = Account.from_key(keccak256(f"an x402 customer: {name}".encode()))
    words = address_word("evm", account.address), number_word(units)
    shop.base.call_token(shop.base.token, "mint(address,uint256)", *words)
    return account


def pay(shop: X402Shop, customer: LocalAccount, offer: dict[str, Any], **other: Any) -> Any:
    """The payment that a client makes of an offer, with `other` values in what is signed."""
    now = int(shop.base.time.timestamp())
    authorization = {
        "from": customer.address, "to": offer["payTo"], "value": offer["amount"],
        "validAfter": str(now - 600), "validBefore": str(now + offer["maxTimeoutSeconds"]),
        "nonce": "0x" + keccak256(repr((customer.address, offer, other)).encode()).hex(),
    } | other  # fmt: skip
    content = {
        "types": {
            "EIP712Domain": [{"name": n, "type": t} for n, t in IN_DOMAIN.items()],
            "TransferWithAuthorization": [{"name": n, "type": t} for n, t in FIELDS.items()],
        },
        "primaryType": "TransferWithAuthorization",
        "domain": DOMAIN,
        "message": authorization,
    }
    signed = Account.sign_typed_data(customer.key, full_message=numbers_of(content))
    signature = "0x" + bytes(signed.signature).hex()
    payload = {"authorization": authorization, "signature": signature}
    return {"x402Version": 2, "payload": payload, "accepted": offer}


def asked(payment: Any) -> dict[str, Any]:
    """The body of a request to verify or to settle."""
    accepted = payment["accepted"]
    return {"x402Version": 2, "paymentPayload": payment, "paymentRequirements": accepted}

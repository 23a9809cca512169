"""The ways in which a payer, a merchant and the money behave, one function per way.

A story is a generator of pauses in seconds; it goes on when its pause is over.
"""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from benchmarks.campaign.client import Answer, Client, Paused
from benchmarks.campaign.market import Market, chain_facts
from benchmarks.campaign.tally import Tally

ENDED = ("COMPLETED", "EXPIRED")
POLL_SECONDS, WATCH_SECONDS = (3.0, 9.0), (0.2, 0.6)


@dataclass
class Payment:
    """One payment of the work: what was asked for, what was acknowledged, and the addresses that
    refused for a while or refuse for good."""

    name: str
    kind: str
    rng: random.Random
    client: Client
    market: Market
    tally: Tally
    body: dict[str, Any] = field(default_factory=dict)
    created: dict[str, Any] | None = None
    refusing: set[str] = field(default_factory=set)

    @property
    def address(self) -> str:
        """The deposit address."""
        assert self.created is not None
        return str(self.created["intent_address"])

    def create(self, **more: Any) -> Paused[bool]:
        """Create it, sometimes twice with one key; False if it was refused."""
        self.body = self.market.create_body(self.rng, self.name) | more
        key = self.client.new_key()
        answer = yield from self.client.ask("POST", "/intents", self.body, key)
        if not answer.ok:
            self.tally.happened(f"refused {answer.json.get('message', '')[:60]}")
            return False
        self.created = answer.json
        if self.rng.random() < 0.05:
            again = yield from self.client.ask("POST", "/intents", self.body, key)
            if again.json != answer.json:
                self.tally.problem(f"{key} created {answer.json} and then {again.json}")
        yield self.rng.uniform(0, 1)
        return True

    def deposit(self, amount: str, **more: Any) -> Paused[Answer]:
        """Send tokens to the address."""
        body = {"address": self.address, "amount": amount, **more}
        answer: Answer = yield from self.client.ask("POST", "/sandbox/deposits", body)
        yield self.rng.uniform(0.5, 4)
        return answer

    def read(self) -> Paused[str]:
        """Its status."""
        answer = yield from self.client.ask("GET", f"/intents/address/{self.address}")
        if not answer.ok:
            self.tally.problem(f"{self.address} was acknowledged and is {answer.status}")
            return "EXPIRED"
        return str(answer.json["intent_status"])

    def wait(self, *statuses: str) -> Paused[str]:
        """Read it until it has one of these statuses."""
        while (status := (yield from self.read())) not in (*statuses, *ENDED):
            yield self.rng.uniform(*POLL_SECONDS)
        return status

    def watch(self) -> Paused[None]:
        """Look at it a few times."""
        for _ in range(self.rng.randint(0, 3)):
            yield self.rng.uniform(*POLL_SECONDS)
            yield from self.read()

    def act(self, action: str) -> Paused[Answer]:
        """`trigger-processing` or `refund`."""
        answer: Answer = yield from self.client.ask("POST", f"/intents/{self.address}/{action}")
        return answer

    def refuse(self, chain: str, address: str, word: str = "refuse") -> Paused[None]:
        """Let a token refuse an address on a chain, or `accept` it again."""
        path = f"/sandbox/chains/{chain}/faults"
        self.refusing.add(address)
        yield from self.client.insist("POST", path, {word: [address]})
        self.tally.happened(f"fault {word}")


def exact(payment: Payment) -> Paused[None]:
    yield from payment.deposit("exact")
    yield from payment.watch()


def topped_up(payment: Payment) -> Paused[None]:
    yield from payment.deposit("short")
    yield from payment.watch()
    yield from payment.deposit("exact")


def short(payment: Payment) -> Paused[None]:
    yield from payment.deposit("short")
    yield from payment.watch()


def over(payment: Payment) -> Paused[None]:
    yield from payment.deposit("over")
    yield from payment.watch()


def in_parts(payment: Payment) -> Paused[None]:
    assert payment.created is not None
    total = int(payment.created["total_amount_in_asset_token"])
    for _ in range(4):
        yield from payment.deposit(str(total // 5))
    yield from payment.deposit(str(total - total // 5 * 4))
    yield from payment.watch()


def twice(payment: Payment) -> Paused[None]:
    """Again while it is under way, or after it was completed."""
    assert payment.created is not None
    total = str(payment.created["total_amount_in_asset_token"])
    yield from payment.deposit(total)
    if payment.rng.random() < 0.5:
        yield from payment.wait("INITIATED")
    yield from payment.deposit(total)


def late(payment: Payment) -> Paused[None]:
    """After it expired, and again when that went back."""
    yield from payment.wait(*ENDED)
    yield from payment.deposit("exact")
    yield payment.rng.uniform(5, 20)
    yield from payment.deposit("exact")


def foreign_token(payment: Payment) -> Paused[None]:
    assert payment.created is not None
    source, symbol = payment.body["source_chain"], payment.created["asset_token_symbol"]
    token = payment.market.other_token(payment.rng, source, symbol)
    yield from payment.deposit(str(payment.rng.randint(10**6, 10**9)), token=token)
    if payment.rng.random() < 0.6:
        yield from payment.deposit("exact")


def native_coin(payment: Payment) -> Paused[None]:
    token = payment.market.native_token(payment.body["source_chain"])
    yield from payment.deposit(str(payment.rng.randint(10**7, 10**17)), token=token)
    if payment.rng.random() < 0.6:
        yield from payment.deposit("exact")


def dust(payment: Payment) -> Paused[None]:
    """A zero-value transfer, and some of a few units."""
    yield from payment.deposit("0")
    yield from payment.deposit("1", count=payment.rng.randint(1, 5))
    if payment.rng.random() < 0.5:
        yield from payment.deposit("exact")


def nothing(payment: Payment) -> Paused[None]:
    yield from payment.watch()


def triggered(payment: Payment) -> Paused[None]:
    yield from payment.act("trigger-processing")
    yield from payment.deposit("exact")
    for _ in range(payment.rng.randint(1, 3)):
        yield from payment.act("trigger-processing")
    yield from payment.watch()


def refused(payment: Payment) -> Paused[None]:
    """The recipient refuses for good, or for a while."""
    place = payment.body["destination_chain"], payment.body["recipient"]
    yield from payment.refuse(*place)
    yield from payment.deposit("exact")
    if payment.rng.random() < 0.5:
        yield payment.rng.uniform(1, 15)
        yield from payment.refuse(*place, "accept")


def refused_late(payment: Payment) -> Paused[None]:
    """The recipient refuses for good once the deposit is on its way, as no simulation foresees."""
    yield from payment.deposit("exact")
    while (yield from payment.read()) == "PENDING":
        yield payment.rng.uniform(*WATCH_SECONDS)
    yield from payment.refuse(payment.body["destination_chain"], payment.body["recipient"])


def refund_refused(payment: Payment) -> Paused[None]:
    """The payer's address refuses its refund for a while; the merchant asks for it until it went.

    The answer to a first request may name a transaction that was signed before and is refused.
    """
    place = payment.body["source_chain"], payment.body["refund_address"]
    yield from payment.refuse(*place)
    yield from payment.deposit("short")
    yield from payment.wait(*ENDED)
    yield payment.rng.uniform(5, 20)
    yield from payment.refuse(*place, "accept")
    while (yield from payment.act("refund")).ok:
        yield payment.rng.uniform(*POLL_SECONDS)


def other_chain(payment: Payment) -> Paused[None]:
    """To the same address on another chain of the family, where nobody looks by itself."""
    source = payment.body["source_chain"]
    kin = [
        chain
        for chain in payment.market.tokens
        if chain != source and chain_facts()[chain].kind == chain_facts()[source].kind
    ]
    if kin:
        chain = payment.rng.choice(kin)
        token = payment.market.tokens[chain][0]["symbol"]
        amount = str(payment.rng.randint(10**5, 10**8))
        yield from payment.deposit(amount, chain=chain, token=token)
    yield from payment.deposit("exact")


STORIES: Final[Mapping[str, tuple[int, Callable[[Payment], Paused[None]]]]] = {
    "exact": (40, exact),
    "topped up": (8, topped_up),
    "short": (6, short),
    "over": (7, over),
    "in parts": (4, in_parts),
    "twice": (6, twice),
    "late": (4, late),
    "foreign token": (4, foreign_token),
    "native coin": (3, native_coin),
    "dust": (3, dust),
    "nothing": (3, nothing),
    "triggered": (6, triggered),
    "refused": (3, refused),
    "refused late": (4, refused_late),
    "refund refused": (1, refund_refused),
    "other chain": (2, other_chain),
}
"""By kind: its weight, and how it goes on after the payment was created."""

"""An intent on the Starknet of tests, and what the contracts are asked about it."""

from dataclasses import dataclass, field, replace
from typing import Any

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.starknet.contracts import default_deployment
from crossway.adapters.chains.starknet.felts import (
    decode_short_string,
    selector,
    split_u256,
    split_word,
    to_felt,
    to_hex,
)
from crossway.adapters.chains.words import address_word, number_word
from tests.chains.starknet.network import Starknet, made_up

TOTAL, OUT = 25_000_000, 24_900_000
CHAIN_WORD = keccak256(b"starknet:SN_MAIN")
START, EXCESS, REFUND, FILL, SETTLE, WITHDRAW = range(1, 7)
DAY = 86_400
COORDINATOR, STRANGER = made_up("coordinator"), made_up("stranger")
REFUND_TO, RECIPIENT = made_up("refund address"), made_up("recipient")
RELAYER, TREASURY = made_up("relayer"), made_up("treasury")
AT = default_deployment()


@dataclass(frozen=True)
class Deal:
    """The terms of an intent whose both ends are on this chain."""

    network: Starknet
    token: str
    expiry: int
    nonce: int = 7
    total: int = TOTAL
    bridger: str = AT.escrow
    refund_to: str = REFUND_TO
    coordinator: str = COORDINATOR
    chain: bytes = field(default=CHAIN_WORD, repr=False)

    def but(self, **other: Any) -> "Deal":
        return replace(self, **other)

    @property
    def source_hash(self) -> bytes:
        words = (
            self.chain, number_word(self.nonce), address_word("starknet", self.token),
            number_word(self.total), address_word("starknet", self.bridger),
            address_word("starknet", self.refund_to), address_word("starknet", self.coordinator),
            number_word(self.expiry),
        )  # fmt: skip
        return keccak256(b"".join(words))

    @property
    def dest_hash(self) -> bytes:
        return keccak256(
            CHAIN_WORD
            + address_word("starknet", self.token)
            + address_word("starknet", RECIPIENT)
            + number_word(OUT)
        )

    @property
    def intent_hash(self) -> bytes:
        return keccak256(self.source_hash + self.dest_hash)

    @property
    def address(self) -> str:
        return AT.deposit_address(self.intent_hash)

    @property
    def felts(self) -> tuple[int, ...]:
        """The terms and the hash of the destination's, as every entry point takes them."""
        accounts = (to_felt(self.bridger), to_felt(self.refund_to), to_felt(self.coordinator))
        return (
            *split_word(self.chain),
            *split_u256(self.nonce),
            to_felt(self.token),
            *split_u256(self.total),
            *accounts,
            *split_u256(self.expiry),
            *split_word(self.dest_hash),
        )

    # What each entry point does; each answers with what it was refused, empty if it was not.

    def call(self, address: str, name: str, *felts: int, by: str = STRANGER) -> str:
        made = self.network.call(address, name, *felts, by=by)
        self.network.mine()
        return self.network.refusal(made)

    def start(self, by: str = STRANGER) -> str:
        return self.call(AT.factory, "start", *self.felts, by=by)

    def refund(self, token: str | None = None, by: str = STRANGER) -> str:
        return self.call(AT.factory, "refund", *self.felts, to_felt(token or self.token), by=by)

    def redirect(self, to: str, by: str = COORDINATOR) -> str:
        data = (*self.felts, to_felt(self.token), to_felt(to))
        return self.call(AT.factory, "redirect", *data, by=by)

    def settle(self, *payouts: tuple[str, int], by: str = COORDINATOR) -> str:
        listed = [felt for to, units in payouts for felt in (to_felt(to), *split_u256(units))]
        return self.call(AT.escrow, "settle", *self.felts, len(payouts), *listed, by=by)

    def fill(self, amount: int = OUT, by: str = RELAYER) -> str:
        data = (
            *split_word(self.source_hash),
            to_felt(self.token),
            to_felt(RECIPIENT),
            *split_u256(amount),
        )
        return self.call(AT.filler, "fill", *data, by=by)

    # What became of it.

    def deposit(self, units: int, token: str | None = None) -> None:
        self.network.give(self.address, units, token or self.token)

    def balance(self, owner: str, token: str | None = None) -> int:
        return self.network.balance(owner, token or self.token)

    def executed(self, contract: str) -> bool:
        return self.network.view(contract, "executed", 1, *split_word(self.intent_hash)) == [1, 1]

    def tokens_moved(self) -> list[tuple[int, str, str, int]]:
        """The movements that the newest block tells of this intent: why, from, to, units."""
        block = {"block_number": self.network.height}
        keys = [
            [hex(selector("TokensMoved"))],
            *([hex(half)] for half in split_word(self.intent_hash)),
        ]
        asked = {"from_block": block, "to_block": block, "keys": keys, "chunk_size": 100}
        found = self.network.rpc("starknet_getEvents", asked)["events"]
        told = [([int(k, 16) for k in e["keys"]], [int(d, 16) for d in e["data"]]) for e in found]
        assert all(to_felt(self.token) == data[0] for _, data in told)
        return [
            (keys[4], to_hex(data[1]), to_hex(data[2]), data[4] << 128 | data[3])
            for keys, data in told
        ]


def text(felts: list[int]) -> str:
    """The text that a single felt stands for."""
    (felt,) = felts
    return decode_short_string(felt)

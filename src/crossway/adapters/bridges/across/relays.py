"""What of a deposit into a SpokePool identifies its fill, and the deposits of our inventory."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from crossway.adapters.bridges.across.deposits import unsafe_deposit_id
from crossway.adapters.bridges.across.pool_contract import (
    FILLED_RELAY,
    INSTRUCTIONS,
    RELAY_HASH,
    UNSAFE_DEPOSIT,
)
from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import FUNDS_DEPOSITED
from crossway.adapters.chains.evm.rpc_schemas import Log
from crossway.adapters.chains.words import WORD, address_word

_NOBODY = bytes(WORD)


@dataclass(frozen=True, slots=True)
class Relay:
    """A deposit as whoever fills it has to name it. Accounts and tokens are words of 32 bytes, the
    amounts in units of each token, chains by their ids; it can be filled until `fill_deadline`, in
    epoch seconds. `exclusive` are who alone may fill it, and until when: nobody for ours."""

    depositor: bytes
    recipient: bytes
    input_token: bytes
    output_token: bytes
    input_amount: int
    output_amount: int
    source: int
    destination: int
    deposit_id: int
    fill_deadline: int
    message: bytes
    exclusive: tuple[bytes, int] = (_NOBODY, 0)

    @property
    def hash(self) -> bytes:
        """By which the destination's pool knows whether it was filled."""
        relayer, until = self.exclusive
        fields = (
            *(self.depositor, self.recipient, relayer, self.input_token, self.output_token),
            *(self.input_amount, self.output_amount, self.source, self.deposit_id),
            *(self.fill_deadline, until, self.message),
        )
        return keccak256(RELAY_HASH.encode(fields, self.destination))

    @property
    def deadline(self) -> datetime:
        """The time until which it can be filled."""
        return datetime.fromtimestamp(self.fill_deadline, UTC)

    def is_filled_by(self, log: Log) -> bool:
        """Whether an event FilledRelay is that of this deposit, and paid what it asks for: anybody
        can fill a deposit of this number that has other terms. Raises `Unreachable`."""
        values = FILLED_RELAY.decode(log.data)
        recipient, _, paid, _ = values[11]
        relayer, until = self.exclusive
        return (
            [int(topic, 16) for topic in log.topics[1:3]] == [self.source, self.deposit_id]
            and values[:4]
            == (self.input_token, self.output_token, self.input_amount, self.output_amount)
            and values[5:10] == (self.fill_deadline, until, relayer, self.depositor, self.recipient)
            and values[10] == (keccak256(self.message) if self.message else _NOBODY)
            and recipient == self.recipient
            and paid >= self.output_amount
        )


def parse_logged(source: int, log: Log) -> Relay:
    """The relay of a deposit that a pool on a chain of this id has logged. Raises `Unreachable`."""
    values = FUNDS_DEPOSITED.decode(log.data)
    input_token, output_token, input_amount, output_amount = values[:4]
    destination, deposit_id = (int(topic, 16) for topic in log.topics[1:3])
    return Relay(
        bytes.fromhex(log.topics[3][2:]),
        values[7],
        input_token,
        output_token,
        input_amount,
        output_amount,
        source,
        destination,
        deposit_id,
        values[5],
        values[9],
        (values[8], values[6]),
    )


def handler_message(recipient: str) -> bytes:
    """What Across' MulticallHandler is called with so that it hands all on."""
    return INSTRUCTIONS.encode(([], recipient))


@dataclass(frozen=True, slots=True)
class InventoryDeposit:
    """A deposit of inventory by our account `depositor` into `pool`. The pool takes it for as long
    as `quote_timestamp` is new enough, until `taken_until`; both in epoch seconds. `through` is the
    contract that hands the tokens on to `recipient`, empty for none."""

    pool: str
    depositor: str
    recipient: str
    through: str
    tokens: tuple[str, str]
    amounts: tuple[int, int]
    chains: tuple[int, int]
    nonce: int
    quote_timestamp: int
    fill_deadline: int
    taken_until: int

    @property
    def quoted_at(self) -> datetime:
        """The time of its price."""
        return datetime.fromtimestamp(self.quote_timestamp, UTC)

    @property
    def last_taken(self) -> datetime:
        """The last time of a block in which the pool takes it."""
        return datetime.fromtimestamp(self.taken_until, UTC)

    @property
    def message(self) -> bytes:
        """What the contract in between is called with; empty where there is none."""
        return handler_message(self.recipient) if self.through else b""

    @property
    def relay(self) -> Relay:
        """What identifies its fill."""
        source, destination = self.chains
        paid, received = self.tokens
        input_amount, output_amount = self.amounts
        return Relay(
            address_word("evm", self.depositor),
            address_word("evm", self.through or self.recipient),
            address_word("evm", paid),
            address_word("evm", received),
            input_amount,
            output_amount,
            source,
            destination,
            unsafe_deposit_id(self.depositor, self.depositor, self.nonce),
            self.fill_deadline,
            self.message,
        )

    @property
    def data(self) -> bytes:
        """The call of the pool, which whoever is to be the depositor makes."""
        relay = self.relay
        return UNSAFE_DEPOSIT.encode(
            *(relay.depositor, relay.recipient, relay.input_token, relay.output_token),
            *(relay.input_amount, relay.output_amount, relay.destination),
            *(_NOBODY, self.nonce, self.quote_timestamp, self.fill_deadline, 0, self.message),
        )

    def encode(self) -> bytes:
        """The deposit as an agreement is stored."""
        fields = {
            "pool": self.pool,
            "depositor": self.depositor,
            "recipient": self.recipient,
            "through": self.through,
            "inputToken": self.tokens[0],
            "outputToken": self.tokens[1],
            "inputAmount": str(self.amounts[0]),
            "outputAmount": str(self.amounts[1]),
            "originChainId": self.chains[0],
            "destinationChainId": self.chains[1],
            "depositNonce": str(self.nonce),
            "quoteTimestamp": self.quote_timestamp,
            "fillDeadline": self.fill_deadline,
            "takenUntil": self.taken_until,
        }
        return json.dumps(fields, separators=(",", ":")).encode()


def parse_agreement(agreement: bytes) -> InventoryDeposit:
    """A stored deposit. Raises `ValueError`."""
    try:
        fields: Mapping[str, str] = json.loads(agreement)
        return InventoryDeposit(
            fields["pool"],
            fields["depositor"],
            fields["recipient"],
            fields["through"],
            (fields["inputToken"], fields["outputToken"]),
            (int(fields["inputAmount"]), int(fields["outputAmount"])),
            (int(fields["originChainId"]), int(fields["destinationChainId"])),
            int(fields["depositNonce"]),
            *(int(fields[name]) for name in ("quoteTimestamp", "fillDeadline", "takenUntil")),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"what was agreed to cannot be read: {error}") from None

"""The deposits that a SpokePool records, and the number of a payment's own, known before it is
sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from crossway.adapters.chains.addresses import keccak256
from crossway.adapters.chains.evm.abi import FUNDS_DEPOSITED
from crossway.adapters.chains.words import WORD, address_word, number_word
from crossway.domain.errors import Unreachable
from crossway.domain.intent import Intent


@dataclass(frozen=True, slots=True)
class PoolDeposit:
    """One deposit, as relayers read it: nobody can fill it after `fill_deadline`."""

    deposit_id: int
    output_amount: int
    fill_deadline: datetime


def unsafe_deposit_id(sender: str, depositor: str, nonce: int) -> int:
    """The number of a deposit whose nonce the sender chooses, as a SpokePool computes it."""
    packed = bytes.fromhex(sender[2:]) + address_word("evm", depositor) + number_word(nonce)
    return int.from_bytes(keccak256(packed), "big")


def payment_deposit_id(intent: Intent) -> int:
    """The number of the deposit that our contract makes for a payment, whenever it does."""
    return unsafe_deposit_id(intent.bridger, intent.address, int(intent.intent_hash, 16))


def parse_deposit(record: bytes) -> PoolDeposit:
    """A deposit as `ports.bridge.BridgeEnd` reports it. Raises `ValueError`."""
    if len(record) < 3 * WORD:
        raise ValueError("the record of a deposit is cut off")
    try:
        values = FUNDS_DEPOSITED.decode(record[3 * WORD :])
    except Unreachable as error:
        raise ValueError(str(error)) from None
    deadline = datetime.fromtimestamp(values[5], UTC)
    return PoolDeposit(int.from_bytes(record[WORD : 2 * WORD], "big"), values[3], deadline)


def find_deposit(intent: Intent, records: Sequence[bytes]) -> tuple[PoolDeposit, bytes] | None:
    """The deposit of a payment among those of a transaction, with its record. Its number can only
    be that of what our own contract deposits for this payment."""
    own_id = payment_deposit_id(intent)
    for record in records:
        deposit = parse_deposit(record)
        if deposit.deposit_id == own_id:
            return deposit, record
    return None


def format_deposit_id(deposit_id: int) -> str:
    """The number as transfers store it."""
    return "0x" + number_word(deposit_id).hex()

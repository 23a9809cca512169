"""Calls of bridges' contracts, as the bytes of a simulated transaction have them."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Final

from crossway.adapters.chains.simulated.contracts.cctp_messages import BurnMessage, HookTerms
from crossway.adapters.chains.simulated.contracts.reach import (
    ACROSS_RELAYER,
    EXCHANGE,
    FEE_RECIPIENT,
    MESSENGER,
    POOL,
)

_AMOUNTS: Final = ("total", "amount", "output", "bought", "price")


class Method(StrEnum):
    """What a contract is called for: START at the factory, FILL at the filler, FILL_RELAY at the
    pool of Across, the others at the bridge's contract."""

    START = "start"
    SEND = "send"
    GIVE_BACK = "giveBack"
    DELIVER = "deliver"
    FILL_RELAY = "fillRelay"
    RELEASE = "release"
    UNPARK = "unpark"
    FILL = "fill"


@dataclass(frozen=True, slots=True)
class ContractCall:
    """A call of a bridge's contract, the factory or the filler for one payment.

    `message` is what a SEND over CCTP emits, and with `attestation` what a DELIVER hands over;
    `output` what arrives over Across. `expiry` is in epoch seconds. `payer` is a stranger that
    calls it, whose own money a FILL or a RELEASE needs. `bought` units of `bought_token` are what
    a SEND swaps the deposit for first, of which the exchange asks `price` units.
    """

    method: Method
    bridger: str
    intent_hash: str
    token: str
    total: int
    deposit: str
    refund_to: str
    coordinator: str
    expiry: float
    destination: str
    token_out: str
    recipient: str
    amount: int
    output: int = 0
    message: str = ""
    attestation: str = ""
    payer: str = ""
    bought_token: str = ""
    bought: int = 0
    price: int = 0

    def as_body(self) -> dict[str, object]:
        """The call as JSON has it; amounts as text."""
        body = asdict(self)
        for name in _AMOUNTS:
            body[name] = str(body[name])
        return body

    @classmethod
    def of_body(cls, body: Mapping[str, Any]) -> "ContractCall":
        """The call from JSON."""
        numbers = {name: int(body[name]) for name in _AMOUNTS}
        return cls(**{**body, **numbers, "method": Method(body["method"])})

    def parties(self) -> set[str]:
        """Every address whose balance it may change, beside those that repay or are repaid."""
        named = {self.bridger, self.deposit, self.refund_to, self.recipient, self.payer} - {""}
        contracts = {FEE_RECIPIENT, MESSENGER, POOL, ACROSS_RELAYER, EXCHANGE}
        return named | contracts | self._parties_of_message()

    def _parties_of_message(self) -> set[str]:
        if self.method is not Method.DELIVER:
            return set()
        try:
            terms = HookTerms.of(BurnMessage.parse(bytes.fromhex(self.message)))
        except ValueError:
            return set()
        return {terms.bridger, terms.recipient}

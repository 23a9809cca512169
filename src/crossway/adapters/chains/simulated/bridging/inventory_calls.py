"""The calls of the simulated contracts that move inventory, as data has them, and what they do."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from enum import StrEnum

import orjson

from crossway.domain.outbound import INVENTORY_KINDS
from crossway.domain.outbound_call import OutboundCall, Output

NOWHERE = ""


class InventoryMethod(StrEnum):
    """APPROVE moves nothing. DEPOSIT takes tokens from the caller, MINT makes new ones for it."""

    APPROVE = "approve"
    DEPOSIT = "deposit"
    MINT = "mint"


@dataclass(frozen=True, slots=True)
class InventoryCall:
    """One call for the service's number `key`, which it can be executed for once; `until` is the
    last chain time for it, in epoch seconds, 0 for none."""

    method: InventoryMethod
    key: str
    token: str
    amount: int
    until: float = 0.0

    def encode(self) -> bytes:
        """The call as data."""
        fields = [self.method.value, self.key, self.token, str(self.amount), self.until]
        return orjson.dumps(fields)

    @classmethod
    def decode(cls, data: bytes) -> "InventoryCall":
        """The call from data."""
        method, key, token, amount, until = orjson.loads(data)
        return cls(InventoryMethod(method), key, token, int(amount), float(until))


def marker_of(key: str) -> str:
    """The on-chain marker that a call for this number was executed."""
    return f"inventory:{key}"


def with_effects(call: OutboundCall) -> OutboundCall:
    """A call of an inventory transfer with what its contract would do; others as they are."""
    if call.kind not in INVENTORY_KINDS or not call.data:
        return call
    called = InventoryCall.decode(call.data)
    if called.method is InventoryMethod.APPROVE:
        return call
    is_mint = called.method is InventoryMethod.MINT
    source, to = (NOWHERE, call.account) if is_mint else (call.account, call.contract)
    return replace(
        call,
        outputs=(Output(source, to, called.token, called.amount),),
        marker=marker_of(called.key),
        not_after=datetime.fromtimestamp(called.until, UTC) if called.until else None,
    )

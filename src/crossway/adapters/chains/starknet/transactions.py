"""The bytes of a transaction of an account: written here, signed by whoever holds the key."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from starknet_py.hash.transaction import (
    CommonTransactionV3Fields,
    TransactionHashPrefix,
    compute_invoke_v3_transaction_hash,
)
from starknet_py.net.client_models import DAMode, ResourceBounds, ResourceBoundsMapping

from crossway.adapters.chains.starknet.calldata import Call, executed
from crossway.adapters.chains.starknet.felts import name_of, number, written
from crossway.adapters.chains.starknet.keys import StarkSigner
from crossway.adapters.chains.starknet.traits import Traits
from crossway.ports.chain import Signed

_VERSION = 3
# Nothing of ours uses gas of the chain below: none is allowed, whatever it costs.
_ANY_PRICE = 10**24


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most that a transaction may use, and pay for a unit of each; prices in FRI."""

    l2_gas: int
    l2_price: int
    data_gas: int
    data_price: int
    tip: int

    @property
    def most(self) -> int:
        """What it costs at most, in FRI."""
        return self.l2_gas * (self.l2_price + self.tip) + self.data_gas * self.data_price


def offered(traits: Traits, l2_price: int, data_price: int) -> int:
    """What a transaction is offered so that these prices are within its bounds, which split it
    into fixed parts: the one that is dearer for its part decides."""
    work = traits.l2_gas * (l2_price + l2_price * traits.tip_percent // 100 + 1)
    data = traits.data_gas * (data_price + 1)
    parts = work * 100 // (100 - traits.data_percent), data * 100 // traits.data_percent
    return max(parts) + 100 * (traits.l2_gas + traits.data_gas)


def bounds_of(traits: Traits, fee_units: int) -> Bounds:
    """The bounds within which a transaction costs at most this, for its work and for its data.
    All prices rise with it, as a sequencer takes a replacement only then."""
    data = fee_units * traits.data_percent // 100
    l2_price = (fee_units - data) * 100 // (traits.l2_gas * (100 + traits.tip_percent))
    tip = l2_price * traits.tip_percent // 100
    return Bounds(traits.l2_gas, l2_price, traits.data_gas, data // traits.data_gas, tip)


def signed(
    signer: StarkSigner,
    chain_id: int,
    account: str,
    calls: Sequence[Call],
    nonce: int,
    bounds: Bounds,
    fee_units: int,
) -> Signed:
    """A transaction of this account that makes these calls, all or none."""
    calldata = executed(calls)
    digest = _hash(chain_id, account, calldata, nonce, bounds)
    asked = invocation(account, calldata, nonce, bounds, signer.sign(digest))
    return Signed(name_of(digest), orjson.dumps(asked), nonce, fee_units)


def invocation(
    account: str,
    calldata: Sequence[int],
    nonce: int,
    bounds: Bounds,
    signature: Sequence[int],
) -> dict[str, Any]:
    """A transaction as nodes take it."""
    return {
        "type": "INVOKE",
        "version": hex(_VERSION),
        "sender_address": hex(number(account)),
        "calldata": written(calldata),
        "signature": written(signature),
        "nonce": hex(nonce),
        "resource_bounds": {
            "l1_gas": {"max_amount": "0x0", "max_price_per_unit": hex(_ANY_PRICE)},
            "l1_data_gas": _bound(bounds.data_gas, bounds.data_price),
            "l2_gas": _bound(bounds.l2_gas, bounds.l2_price),
        },
        "tip": hex(bounds.tip),
        "paymaster_data": [],
        "account_deployment_data": [],
        "nonce_data_availability_mode": "L1",
        "fee_data_availability_mode": "L1",
    }


def _bound(amount: int, price: int) -> dict[str, str]:
    return {"max_amount": hex(amount), "max_price_per_unit": hex(price)}


def _hash(chain_id: int, account: str, calldata: Sequence[int], nonce: int, bounds: Bounds) -> int:
    fields = CommonTransactionV3Fields(
        tx_prefix=TransactionHashPrefix.INVOKE,
        version=_VERSION,
        address=number(account),
        tip=bounds.tip,
        resource_bounds=ResourceBoundsMapping(
            l1_gas=ResourceBounds(0, _ANY_PRICE),
            l2_gas=ResourceBounds(bounds.l2_gas, bounds.l2_price),
            l1_data_gas=ResourceBounds(bounds.data_gas, bounds.data_price),
        ),
        paymaster_data=[],
        chain_id=chain_id,
        nonce=nonce,
        nonce_data_availability_mode=DAMode.L1,
        fee_data_availability_mode=DAMode.L1,
    )
    return compute_invoke_v3_transaction_hash(
        account_deployment_data=[], calldata=list(calldata), common_fields=fields
    )

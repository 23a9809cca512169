"""Building and signing the invoke transactions of a Starknet account."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import orjson
from starknet_py.net.client_models import ResourceBounds, ResourceBoundsMapping
from starknet_py.net.models.transaction import InvokeV3
from starknet_py.net.schemas.broadcasted_txn import BroadcastedTransactionSchema

from crossway.adapters.chains.starknet.calldata import Call, multicall_calldata
from crossway.adapters.chains.starknet.chain_context import ChainParams
from crossway.adapters.chains.starknet.felts import to_felt, to_hex
from crossway.adapters.chains.starknet.signers import StarkSigner
from crossway.ports.chain import SignedTx

_VERSION = 3
_SCHEMA = BroadcastedTransactionSchema()
# None of our transactions uses L1 gas: its amount is 0, whatever it costs.
_L1_GAS_PRICE = 10**24


@dataclass(frozen=True, slots=True)
class FeeBounds:
    """The limits of a transaction: amounts of gas, and prices of a unit in FRI."""

    l2_gas: int
    l2_price: int
    data_gas: int
    data_price: int
    tip: int

    @property
    def max_fee(self) -> int:
        """The maximum cost in FRI."""
        return self.l2_gas * (self.l2_price + self.tip) + self.data_gas * self.data_price


def fee_for_prices(params: ChainParams, l2_price: int, data_price: int) -> int:
    """The fee whose bounds cover these prices. `fee_bounds` splits a fee into fixed shares, so the
    share that is more expensive decides."""
    work = params.l2_gas * (l2_price + l2_price * params.tip_percent // 100 + 1)
    data = params.data_gas * (data_price + 1)
    shares = work * 100 // (100 - params.data_percent), data * 100 // params.data_percent
    return max(shares) + 100 * (params.l2_gas + params.data_gas)


def fee_bounds(params: ChainParams, fee_units: int) -> FeeBounds:
    """The bounds within which a transaction costs at most `fee_units`. All prices rise with it,
    because the sequencer accepts a replacement only then."""
    data = fee_units * params.data_percent // 100
    l2_price = (fee_units - data) * 100 // (params.l2_gas * (100 + params.tip_percent))
    tip = l2_price * params.tip_percent // 100
    return FeeBounds(params.l2_gas, l2_price, params.data_gas, data // params.data_gas, tip)


def sign_transaction(
    signer: StarkSigner,
    chain_id: int,
    account: str,
    calls: Sequence[Call],
    nonce: int,
    bounds: FeeBounds,
    fee_units: int,
) -> SignedTx:
    """A signed transaction of this account that makes all of these calls or none."""
    transaction = build_invoke(account, calls, nonce, bounds)
    digest = transaction.calculate_hash(chain_id)
    signed = replace(transaction, signature=list(signer.sign(digest)))
    return SignedTx(to_hex(digest), orjson.dumps(to_json(signed)), nonce, fee_units)


def build_invoke(account: str, calls: Sequence[Call], nonce: int, bounds: FeeBounds) -> InvokeV3:
    """An unsigned transaction of this account."""
    return InvokeV3(
        version=_VERSION,
        signature=[],
        nonce=nonce,
        tip=bounds.tip,
        resource_bounds=ResourceBoundsMapping(
            l1_gas=ResourceBounds(0, _L1_GAS_PRICE),
            l2_gas=ResourceBounds(bounds.l2_gas, bounds.l2_price),
            l1_data_gas=ResourceBounds(bounds.data_gas, bounds.data_price),
        ),
        calldata=multicall_calldata(calls),
        sender_address=to_felt(account),
    )


def to_json(transaction: InvokeV3) -> dict[str, Any]:
    """A transaction as JSON-RPC takes it."""
    return dict(_SCHEMA.dump(transaction))  # type: ignore[no-untyped-call]

"""The calls of Gateway's wallet contract that only the depositor can make: a first deposit, its
delegates, and the way out without Circle."""

from collections.abc import Sequence
from dataclasses import dataclass

from crossway.adapters.bridges.gateway.contracts import (
    ADD_DELEGATE,
    ADD_DELEGATE_SIGNATURE,
    DEPOSIT,
    DEPOSIT_SIGNATURE,
    INITIATE,
    INITIATE_SIGNATURE,
    REMOVE_DELEGATE,
    REMOVE_DELEGATE_SIGNATURE,
    WITHDRAW,
    WITHDRAW_SIGNATURE,
)
from crossway.adapters.bridges.gateway.gateway_end import GatewayEnd
from crossway.adapters.chains.evm.abi import APPROVE
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.rpc.operator_txs import UnsignedCall


@dataclass(frozen=True, slots=True)
class DepositorCall:
    """One call of the depositor: what it does, for people, and the call itself."""

    description: str
    call: Call
    function: str
    arguments: tuple[str, ...]

    def unsigned(self, end: GatewayEnd) -> UnsignedCall:
        """As it is printed for a wallet of the depositor's own."""
        chain_id = end.chain.chain_id
        return UnsignedCall(chain_id, self.call.to, self.function, self.arguments, self.call.hex)


def deposit_calls(end: GatewayEnd, units: int) -> Sequence[DepositorCall]:
    """An approval of exactly this amount, and the deposit."""
    approval = Call(end.usdc, APPROVE.encode(end.wallet, units))
    return [
        DepositorCall(
            "the wallet contract may take the amount",
            approval,
            "approve(address,uint256)",
            (end.wallet, str(units)),
        ),
        _wallet_call(
            end, "the deposit", DEPOSIT.encode(end.usdc, units), DEPOSIT_SIGNATURE, str(units)
        ),
    ]


def delegate_call(end: GatewayEnd, account: str, allowed: bool) -> DepositorCall:
    """Let an account sign burn intents of the depositor's balance, or no longer."""
    if allowed:
        data, signature = ADD_DELEGATE.encode(end.usdc, account), ADD_DELEGATE_SIGNATURE
        what = f"{account} may sign burn intents of its balance"
    else:
        data, signature = REMOVE_DELEGATE.encode(end.usdc, account), REMOVE_DELEGATE_SIGNATURE
        what = f"{account} signs no more burn intents of its balance"
    return _wallet_call(end, what, data, signature, account)


def initiate_call(end: GatewayEnd, units: int) -> DepositorCall:
    """Begin to take an amount out without Circle."""
    data = INITIATE.encode(end.usdc, units)
    return _wallet_call(end, "the withdrawal begins", data, INITIATE_SIGNATURE, str(units))


def withdraw_call(end: GatewayEnd) -> DepositorCall:
    """Take out what has waited for its time."""
    data = WITHDRAW.encode(end.usdc)
    return _wallet_call(end, "what was waiting is taken out", data, WITHDRAW_SIGNATURE)


def _wallet_call(
    end: GatewayEnd, what: str, data: bytes, function: str, *others: str
) -> DepositorCall:
    return DepositorCall(what, Call(end.wallet, data), function, (end.usdc, *others))

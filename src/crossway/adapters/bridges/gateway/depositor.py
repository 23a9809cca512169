"""What the depositor of a chain's deposits at Gateway does itself: a first deposit, its delegates,
and the way out without Circle."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

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
from crossway.adapters.bridges.gateway.gateway_end import DepositorBalance, GatewayEnd
from crossway.adapters.bridges.gateway.networks import contract_block_seconds
from crossway.adapters.chains.evm.abi import APPROVE
from crossway.adapters.chains.evm.calldata import Call
from crossway.adapters.chains.evm.chain import EvmChain
from crossway.adapters.chains.evm.operator_txs import plan_calls
from crossway.adapters.chains.rpc.operator_txs import TxPlan, UnsignedCall

_HOUR_SECONDS: Final = 3_600


@dataclass(frozen=True, slots=True)
class DepositorCall:
    """One call of the depositor: what it does, for people, and the call itself."""

    description: str
    call: Call
    function: str
    arguments: tuple[str, ...]


class Depositor:
    """The account that owns the deposits on one chain: the relayer, or one whose key is not
    here."""

    def __init__(self, chain: EvmChain, address: str) -> None:
        """`address` is empty where it is the relayer."""
        self.end = GatewayEnd(chain, address)
        self._chain = chain

    @property
    def address(self) -> str:
        """Its address."""
        return self.end.depositor

    @property
    def is_relayer(self) -> bool:
        """Whether its calls are sent here."""
        return self.end.depositor == self.end.relayer

    def deposit(self, units: int) -> Sequence[DepositorCall]:
        """An approval of exactly this amount, and the deposit."""
        usdc, wallet = self.end.usdc, self.end.wallet
        approval = Call(usdc, APPROVE.encode(wallet, units))
        arguments = wallet, str(units)
        what = "the wallet contract may take the amount"
        return [
            DepositorCall(what, approval, "approve(address,uint256)", arguments),
            self._call("the deposit", DEPOSIT.encode(usdc, units), DEPOSIT_SIGNATURE, str(units)),
        ]

    def name_delegate(self, account: str) -> DepositorCall:
        """Let an account sign burn intents of its balance."""
        data = ADD_DELEGATE.encode(self.end.usdc, account)
        what = f"{account} may sign burn intents of its balance"
        return self._call(what, data, ADD_DELEGATE_SIGNATURE, account)

    def remove_delegate(self, account: str) -> DepositorCall:
        """Let an account sign no more; what it signed before is still burnt."""
        data = REMOVE_DELEGATE.encode(self.end.usdc, account)
        what = f"{account} signs no more burn intents of its balance"
        return self._call(what, data, REMOVE_DELEGATE_SIGNATURE, account)

    def initiate(self, units: int) -> DepositorCall:
        """Begin to take an amount out without Circle."""
        data = INITIATE.encode(self.end.usdc, units)
        return self._call("the withdrawal begins", data, INITIATE_SIGNATURE, str(units))

    def withdraw(self) -> DepositorCall:
        """Take out what has waited for its time."""
        data = WITHDRAW.encode(self.end.usdc)
        return self._call("what was waiting is taken out", data, WITHDRAW_SIGNATURE)

    def plan(self, made: DepositorCall) -> TxPlan:
        """The transaction of a call, where the depositor is the relayer. Raises `Unreachable`, and
        `ValueError` where it would revert."""
        return plan_calls(self._chain, [(made.description, made.call)])

    def unsigned(self, made: DepositorCall) -> UnsignedCall:
        """A call as it is printed for a wallet of the depositor's own."""
        chain_id = self.end.chain.chain_id
        return UnsignedCall(chain_id, made.call.to, made.function, made.arguments, made.call.hex)

    def hours_until_withdrawal(self, held: DepositorBalance) -> float:
        """In how many hours what is being withdrawn can be taken out; none or fewer: now."""
        blocks = held.withdrawal_block - held.height
        return blocks * contract_block_seconds(self.end.chain) / _HOUR_SECONDS

    def _call(self, what: str, data: bytes, function: str, *others: str) -> DepositorCall:
        arguments = self.end.usdc, *others
        return DepositorCall(what, Call(self.end.wallet, data), function, arguments)

"""What a family of live chains offers beside the chain port."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable

from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.operator_txs import ContractCheck, TxPlan, UnsignedCall
from crossway.adapters.chains.rpc.pool_paths import SwapQuoter
from crossway.domain.deposits import IncomingTransfer
from crossway.domain.intent import Intent
from crossway.domain.money import Token
from crossway.ports import chain as port
from crossway.ports.bridge import BridgeEnd


class LiveChain(port.Chain, Protocol):
    """A live chain behind the chain port; safe to share between threads."""

    def close(self) -> None:
        """Close the connections to its nodes."""
        ...


class ChainOperator(Protocol):
    """What an operator does with a live chain and its key.

    Every method reads nodes and raises `Unreachable`. Plans raise `ValueError` with a sentence
    where something cannot be done.
    """

    @property
    def chain(self) -> LiveChain:
        """The chain that the engine works with."""
        ...

    def unmet_requirements(self) -> list[str]:
        """What is missing before the engine can work the chain, one sentence each. Empty, instead
        of an error, where the chain gives no answer."""
        ...

    def diagnose(self) -> Iterator[Finding]:
        """Findings about key, contracts, fees, inventory and approvals; an unreachable chain is
        a finding, too."""
        ...

    def check_contracts(self) -> Sequence[ContractCheck]:
        """Each contract that must be deployed."""
        ...

    def plan_deployment(self, payer: str) -> TxPlan:
        """Deploy what is missing; `payer` names another account's key (default: the relayer)."""
        ...

    def token_balances(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        """The relayer's balance of each token in base units, by address."""
        ...

    def plan_approval(self, tokens: Sequence[Token], units: int | None) -> TxPlan:
        """Allow the contracts to pay recipients from the relayer's tokens, up to so many base units
        or (None) any amount. An empty plan where a family needs no approval."""
        ...

    def retained_amount(self, token: str, coordinator: str) -> int:
        """Base units of a coordinator's settled payments that the contracts retain."""
        ...

    def plan_withdrawal(self, token: Token, to: str, units: int) -> TxPlan:
        """Withdraw what the contracts retain for the relayer, which must be the coordinator."""
        ...

    def withdrawal_calls(self, token: Token, to: str, coordinator: str) -> Sequence[UnsignedCall]:
        """As `plan_withdrawal`, for a coordinator whose key is elsewhere: one call for each
        contract that retains something. Raises `ValueError` as `agent_calls`."""
        ...

    def agent_calls(self, agent: str, allowed: bool) -> Sequence[UnsignedCall]:
        """What a coordinator signs so that an agent can do all it has to, or nothing any more.
        Reads no node. Raises `ValueError` where a family's contracts know no agents."""
        ...

    def missing_permissions(self, coordinator: str) -> Sequence[str]:
        """What a coordinator has not done yet so that the relayer can act for it, such as "named
        the relayer X its agent"."""
        ...


@runtime_checkable
class HasUpgradeAuthority(Protocol):
    """A chain whose deployed program can be replaced until its upgrade authority is given up."""

    def plan_finalization(self) -> TxPlan:
        """Give up the upgrade authority for ever; empty where that was done."""
        ...


@runtime_checkable
class HasTokenDenylist(Protocol):
    """A chain whose contracts refuse some tokens of the catalogue."""

    def denied_tokens(self) -> Mapping[str, str]:
        """Why each refused token, by address, cannot be paid in. Reads no node."""
        ...


@runtime_checkable
class HasBridgeEnd(Protocol):
    """A chain where contracts of bridges can be."""

    @property
    def bridge_end(self) -> BridgeEnd:
        """What these contracts say."""
        ...


@runtime_checkable
class HasSwapQuoter(Protocol):
    """A chain where pools can be asked for the price of a swap."""

    @property
    def swap_quoter(self) -> SwapQuoter:
        """What asks them."""
        ...


@runtime_checkable
class HasTokenTransfers(Protocol):
    """A chain that tells what a transaction of anybody's paid."""

    def token_transfers(self, tx_id: str, to: str) -> Sequence[IncomingTransfer]:
        """The transfers of tokens to an account in an included transaction, as the nodes that must
        agree say; none where it is in no block, or reverted. Raises `Unreachable`, also where they
        do not agree."""
        ...


@runtime_checkable
class HasParking(Protocol):
    """A chain where bridges' contracts can have parked money for a recipient."""

    def unpark_time(self, intent: Intent) -> datetime | None:
        """When the coordinator can take out what is parked for a payment; None where nothing
        is."""
        ...

    def plan_unpark(self, intent: Intent) -> TxPlan:
        """Take it out; the relayer must be the coordinator."""
        ...

    def unpark_call(self, intent: Intent) -> UnsignedCall:
        """As `plan_unpark`, for a coordinator whose key is elsewhere. Reads no node."""
        ...


@runtime_checkable
class HasRent(Protocol):
    """A chain where stored records cost rent that can be reclaimed later."""

    def plan_rent_reclaim(self) -> TxPlan:
        """Reclaim the rent of records that are no longer needed; empty where there is none."""
        ...

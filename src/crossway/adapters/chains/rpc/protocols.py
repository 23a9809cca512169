"""What a family of live chains offers beside the chain port."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol, runtime_checkable

from crossway.adapters.chains.rpc.diagnostics import Finding
from crossway.adapters.chains.rpc.operator_txs import ContractCheck, TxPlan, UnsignedCall
from crossway.domain.money import Token
from crossway.ports import chain as port


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

    def withdrawal_call(self, token: Token, to: str, units: int) -> UnsignedCall:
        """As `plan_withdrawal`, for a coordinator whose key is elsewhere. Reads no node."""
        ...

    def agent_call(self, agent: str, allowed: bool) -> UnsignedCall:
        """What a coordinator signs to name an agent or to revoke it. Reads no node. Raises
        `ValueError` where a family's contracts know no agents."""
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
class HasRent(Protocol):
    """A chain where stored records cost rent that can be reclaimed later."""

    def plan_rent_reclaim(self) -> TxPlan:
        """Reclaim the rent of records that are no longer needed; empty where there is none."""
        ...

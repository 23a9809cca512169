"""The part of a chain's operator side that is the same for every family."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from crossway.adapters.chains.rpc.diagnostics import Finding, unreachable_finding
from crossway.adapters.chains.rpc.keys import KeyKind, Keyring, WatchOnlySigner
from crossway.adapters.chains.rpc.operator_txs import TxPlan, UnsignedCall
from crossway.adapters.chains.rpc.rpc_chain import RpcChain
from crossway.adapters.chains.rpc.watch_cost import (
    EXAMPLE_PAYMENTS,
    ExampleAddresses,
    watching_finding,
)
from crossway.adapters.chains.signers.external_key import ExternalSigner
from crossway.domain.errors import Unreachable
from crossway.domain.money import Token

ChainT = TypeVar("ChainT", bound=RpcChain[Any, Any])
NO_AGENTS = "its contracts know no agents: there the relayer is the coordinator"
_NO_ENVIRONMENT: Mapping[str, str] = MappingProxyType({})


class RpcOperator(ABC, Generic[ChainT]):
    """`rpc.protocols.ChainOperator` without what differs between families."""

    gas_unit: ClassVar[str] = "gas"

    def __init__(self, chain: ChainT, environment: Mapping[str, str] = _NO_ENVIRONMENT) -> None:
        """`environment` has the keys of other accounts that may pay a deployment."""
        self.chain, self._environment = chain, environment

    def plan_approval(self, tokens: Sequence[Token], units: int | None) -> TxPlan:
        """Empty by default: each payment approves its own amount."""
        relayer = self.chain.accounts.relayer
        return TxPlan((), relayer, self.chain.native_balance(relayer), self.gas_unit)

    def retained_amount(self, token: str, coordinator: str) -> int:
        return self.chain.retained([coordinator], token)[coordinator]

    def agent_calls(self, agent: str, allowed: bool) -> Sequence[UnsignedCall]:
        """Raises `ValueError`, where a family does not say otherwise."""
        raise ValueError(f"{self.chain.id}: {NO_AGENTS}")

    def withdrawal_calls(self, token: Token, to: str, coordinator: str) -> Sequence[UnsignedCall]:
        """Raises `ValueError`, where a family does not say otherwise."""
        raise ValueError(f"{self.chain.id}: {NO_AGENTS}")

    def missing_permissions(self, coordinator: str) -> Sequence[str]:
        """That of an agent, where a family does not say otherwise."""
        if self.chain.authorized({coordinator}):
            return []
        return [f"named the relayer {self.chain.accounts.relayer} its agent"]

    def unmet_requirements(self) -> list[str]:
        try:
            return list(self._unmet_requirements())
        except Unreachable:
            return []

    def diagnose(self) -> Iterator[Finding]:
        yield self._key_finding()
        self.chain.context.pool.lift_budgets()
        try:
            yield from self._diagnose()
            yield from self._coordinator_findings()
            yield self._watching_finding()
        except Unreachable as error:
            yield unreachable_finding(error)

    def _load_signer(self, kind: KeyKind[Any], reference: str) -> Any:
        """The signer of another account that pays. Raises `ValueError`."""
        return Keyring(self._environment).signer_for("--key", kind, reference)

    def _key_finding(self) -> Finding:
        signer, relayer = self.chain.context.signer, self.chain.accounts.relayer
        if isinstance(signer, WatchOnlySigner):
            message = "stays closed: CROSSWAY_RUN_ENGINE is false, so this process does not sign"
            return Finding("key", f"{message}; the relayer is {relayer}")
        if isinstance(signer, ExternalSigner):
            try:
                return Finding("key", f"is with its signer; the relayer is {signer.read_address()}")
            except (Unreachable, ValueError) as error:
                remedy = "Check the signer that the profile names: nothing is signed without it."
                return Finding("key", str(error), remedy)
        return Finding("key", f"opens; {self._describe_key()}")

    def _describe_key(self) -> str:
        return f"the relayer is {self.chain.accounts.relayer}"

    def _coordinator_findings(self) -> Iterator[Finding]:
        """Whether a coordinator other than the relayer lets it act as its agent."""
        name, coordinator = self.chain.id, self.chain.accounts.coordinator
        if coordinator == self.chain.accounts.relayer:
            return
        if not (missing := self.missing_permissions(coordinator)):
            yield Finding("coordinator", f"{coordinator} has named the relayer its agent")
            return
        message = f"{coordinator} has not {', '.join(missing)}"
        remedy = (
            f"Run crossway contracts agent --chain {name}, and let the coordinator sign what it "
            "prints: until then nothing is paid in on this chain."
        )
        yield Finding("coordinator", message, remedy)

    def _watching_finding(self) -> Finding:
        hashes = (f"0x{number:064x}" for number in range(EXAMPLE_PAYMENTS))
        addresses = [self.chain.deposit_address(intent_hash) for intent_hash in hashes]
        return watching_finding(self.chain.look(ExampleAddresses(addresses)))

    @abstractmethod
    def _unmet_requirements(self) -> Iterable[str]:
        """What is missing before the engine can work the chain. Raises `Unreachable`."""

    @abstractmethod
    def _diagnose(self) -> Iterator[Finding]:
        """Findings about contracts, fees, inventory and approvals. Raises `Unreachable`."""


def missing_fees(name: str, relayer: str, symbol: str) -> str:
    """The sentence about a relayer that never had money for fees."""
    return f"{name}: the relayer {relayer} has no {symbol} for fees: send some to it"


def deploy_command(name: str) -> str:
    """The command that deploys what is missing on a chain."""
    return f"crossway contracts deploy --chain {name}"


def missing_approval(name: str, symbol: str) -> str:
    """The sentence about a token that the contracts may not take from the relayer."""
    return (
        f"{name}: the relayer's {symbol} is not approved for payments: run "
        f"crossway contracts approve --chain {name} --token {symbol}"
    )

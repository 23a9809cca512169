"""What each family of live chains offers beside the chain port."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, runtime_checkable

from crossway.adapters.chains.live.errands import Placed, Plan
from crossway.adapters.chains.live.findings import Finding
from crossway.adapters.chains.live.keys import KeyKind, Keyring
from crossway.adapters.chains.live.profile import ChainProfile
from crossway.domain.catalogue import Catalogue, Chain
from crossway.domain.money import Token
from crossway.ports import chain as port


class LiveChain(port.Chain, Protocol):
    """A real chain behind the port; safe to share between threads."""

    def close(self) -> None:
        """Let the connections to its nodes go."""
        ...


class Opened(Protocol):
    """A live chain with its key, and what operators do with it. All but `chain` ask its nodes and
    raise `Unreachable`; plans raise `ValueError` with a sentence where there is no way."""

    @property
    def chain(self) -> LiveChain:
        """What the engine works with."""
        ...

    def missing(self) -> list[str]:
        """What must be there before the chain is worked and is not, a sentence each. A chain that
        gives no answer lacks nothing that is known: nothing is raised."""
        ...

    def findings(self) -> Iterator[Finding]:
        """Key, contracts, fee money, stock and approvals; no answer is a finding, too."""
        ...

    def contracts(self) -> Sequence[Placed]:
        """Each contract that must be there."""
        ...

    def deployment(self, payer: str) -> Plan:
        """Put there what is missing; `payer` names another account's key, else the relayer pays."""
        ...

    def held(self, tokens: Sequence[Token]) -> Mapping[str, int]:
        """Units that the relayer holds of each token, by address."""
        ...

    def approval(self, tokens: Sequence[Token], units: int | None) -> Plan:
        """Let contracts pay recipients out of the relayer's tokens, up to so many units or any
        amount; no errands where a family needs none."""
        ...

    def kept(self, token: str) -> int:
        """Units that stayed in the escrow of our own settled payments."""
        ...

    def withdrawal(self, token: Token, to: str, units: int) -> Plan:
        """Take out of the escrow what stayed there."""
        ...


@runtime_checkable
class Replaceable(Protocol):
    """A chain on which whoever deployed a contract may replace it, until he gives that up."""

    def finishing(self) -> Plan:
        """Give it up, for ever; no errands where nobody may replace it."""
        ...


@runtime_checkable
class Choosy(Protocol):
    """A chain whose contracts refuse some tokens of the catalogue."""

    def refused(self) -> Mapping[str, str]:
        """Why each of these tokens, by address, cannot be paid in; asks no node."""
        ...


@runtime_checkable
class Renting(Protocol):
    """A chain on which what is noted costs rent, which comes back once the note is not needed."""

    def reclaiming(self) -> Plan:
        """Get back what can be; no errands where nothing can."""
        ...


class Family(Protocol):
    """How the chains of one family are opened and looked at; a family's module `family` is one."""

    KEYS: KeyKind[Any]
    """The keys of its accounts; who signs has an `address` or says what stands for it."""

    def placed(self, profile: ChainProfile | None) -> Sequence[Placed]:
        """Where the contracts lie or will lie, asking no node; none where nobody can say yet."""
        ...

    def open_chain(
        self,
        catalogue: Catalogue,
        name: str,
        profile: ChainProfile,
        environment: Mapping[str, str],
        ring: Keyring,
    ) -> Opened:
        """One chain of a profile; asks no node yet. `catalogue` has all chains, as terms may name
        any. Raises `ValueError` with a sentence that names the field."""
        ...

    def nodes_findings(
        self, chain: Chain, profile: ChainProfile, environment: Mapping[str, str], now: datetime
    ) -> Iterator[Finding]:
        """Each node by itself, and how they agree."""
        ...

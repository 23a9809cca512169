"""The sandbox providers together, and what a person may do to them."""

import time
from collections.abc import Callable, Iterable, Mapping

from crossway.adapters.ramps.sandbox import behaviour, orders, people
from crossway.adapters.ramps.sandbox.backoffice import Backoffice
from crossway.adapters.ramps.sandbox.behaviour import Behaviour
from crossway.adapters.ramps.sandbox.orders import Story
from crossway.adapters.ramps.sandbox.provider import SandboxProvider
from crossway.adapters.ramps.sandbox.steps import STEERED, objection
from crossway.domain.errors import InvalidInput, NotFound, WrongState
from crossway.domain.fiat import Rate
from crossway.domain.kyc import KycStatus, KycType
from crossway.ports.ramps import Capabilities, Outcome
from crossway.ports.sandbox import RampFaults
from crossway.ports.vault import Vault


class SandboxRamps:
    """`ports.sandbox.RampSandbox` over the sandbox providers; one that is down still obeys."""

    def __init__(
        self,
        office: Backoffice,
        capabilities: Iterable[Capabilities],
        rates: Mapping[str, Rate],
        vault: Vault,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """One provider for each of the capabilities; `wait` is how a slow one waits."""
        self.providers = tuple(
            SandboxProvider(can, office, rates, vault, wait) for can in capabilities
        )
        self._office = office
        self._by_name = {provider.name.value: provider for provider in self.providers}

    def report(self, provider: str, reference: str, outcome: str) -> None:
        name = self._provider(provider).name
        if outcome not in STEERED:
            raise InvalidInput(f"outcome must be one of {', '.join(STEERED)}")
        wanted = Outcome(outcome)
        self._office.work(name, [reference])
        with self._office.reading() as db:
            order = orders.find(db, name, [reference]).get(reference)
        if order is None or order.refused:
            raise NotFound(f"{name} has no order {reference}")

        def unless_impossible(story: Story, how: Behaviour, now: float) -> Outcome:
            if why := objection(order, story, wanted):
                raise WrongState(f"The order {why}")
            return wanted

        self._office.tell(order, wanted, unless_impossible)

    def set_standing(self, provider: str, email: str, kyc_type: str, status: str) -> None:
        of = self._provider(provider)
        with self._office.writing() as db:
            before = people.load(db, of.name, person := of.person(email), lock=True)
            wanted = KycType(kyc_type), KycStatus(status)
            now = self._office.network.clock.read(db)
            people.save(db, of.name, person, people.steered(before, *wanted, now))

    def misbehave(self, provider: str, faults: RampFaults) -> None:
        name = self._provider(provider).name
        behaviour.check(faults)
        with self._office.writing() as db:
            behaviour.switch(db, name, faults, self._office.network.clock.read(db))

    def faults(self, provider: str) -> Mapping[str, object]:
        name, now = self._provider(provider).name, self._office.now()
        with self._office.reading() as db:
            return behaviour.load(db, name).unusual(now)

    def _provider(self, name: str) -> SandboxProvider:
        found = self._by_name.get(name)
        if found is None:
            raise InvalidInput(f"provider must be one of {', '.join(self._by_name)}")
        return found

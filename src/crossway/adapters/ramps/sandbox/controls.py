"""All sandbox providers, and the controls of the simulator over them."""

import time
from collections.abc import Callable, Iterable, Mapping

from crossway.adapters.ramps.sandbox import behaviour, kyc_customers, orders
from crossway.adapters.ramps.sandbox.backend import SandboxBackend
from crossway.adapters.ramps.sandbox.behaviour import Behaviour
from crossway.adapters.ramps.sandbox.order_progress import REPORTABLE_STATUSES, find_conflict
from crossway.adapters.ramps.sandbox.orders import History
from crossway.adapters.ramps.sandbox.simulated_provider import SimulatedProvider
from crossway.domain.errors import InvalidInput, InvalidStatus, NotFound
from crossway.domain.fiat import Rate
from crossway.domain.kyc import KycStatus, KycType
from crossway.ports.ramps import Capabilities, KycUser, ProviderOrderStatus
from crossway.ports.sandbox import RampFaults
from crossway.ports.vault import Vault


class SandboxControls:
    """`ports.sandbox.RampSandbox` over the sandbox providers. Works also while one is down."""

    def __init__(
        self,
        backend: SandboxBackend,
        capabilities: Iterable[Capabilities],
        rates: Mapping[str, Rate],
        vault: Vault,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        """Create one provider per entry of `capabilities`; `wait` implements slow responses."""
        self.providers = tuple(
            SimulatedProvider(provider_capabilities, backend, rates, vault, wait)
            for provider_capabilities in capabilities
        )
        self._backend = backend
        self._by_name = {provider.name.value: provider for provider in self.providers}

    def report(self, provider: str, reference: str, outcome: str) -> None:
        name = self._provider(provider).name
        if outcome not in REPORTABLE_STATUSES:
            raise InvalidInput(f"outcome must be one of {', '.join(REPORTABLE_STATUSES)}")
        requested = ProviderOrderStatus(outcome)
        self._backend.process_due(name, [reference])
        with self._backend.open_read() as db:
            order = orders.find_orders(db, name, [reference]).get(reference)
        if order is None or order.refusal_reason:
            raise NotFound(f"{name} has no order {reference}")

        def require_possible(
            history: History, behaviour: Behaviour, now: float
        ) -> ProviderOrderStatus:
            if conflict := find_conflict(order, history, requested):
                raise InvalidStatus(f"The order {conflict}")
            return requested

        self._backend.report_status(order, requested, require_possible)

    def set_kyc_status(self, provider: str, user: KycUser, kyc_type: str, status: str) -> None:
        sandbox_provider = self._provider(provider)
        with self._backend.open_write() as db:
            name, key = sandbox_provider.name, sandbox_provider.customer_key(user)
            record = kyc_customers.load_record(db, name, key, lock=True)
            now = self._backend.network.clock.read(db)
            updated = kyc_customers.override_status(
                record, KycType(kyc_type), KycStatus(status), now
            )
            kyc_customers.save_record(db, name, key, updated)

    def inject_faults(self, provider: str, faults: RampFaults) -> None:
        name = self._provider(provider).name
        behaviour.validate_faults(faults)
        with self._backend.open_write() as db:
            behaviour.save_faults(db, name, faults, self._backend.network.clock.read(db))

    def faults(self, provider: str) -> Mapping[str, object]:
        name, now = self._provider(provider).name, self._backend.now()
        with self._backend.open_read() as db:
            return behaviour.load_behaviour(db, name).active_faults(now)

    def _provider(self, name: str) -> SimulatedProvider:
        provider = self._by_name.get(name)
        if provider is None:
            raise InvalidInput(f"provider must be one of {', '.join(self._by_name)}")
        return provider

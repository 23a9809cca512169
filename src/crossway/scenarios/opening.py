"""What Crossway's own accounts held when a stage opened, so that every change can be explained."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from crossway.ports.services import Services

Place = tuple[str, str, str]  # chain, address, token


class Opening:
    """Balances of our own accounts at the start, plus what was put in or taken out by hand."""

    def __init__(self, services: Services) -> None:
        self._services = services
        for chain in services.chains.values():
            chain.heads()
        self.units: dict[Place, int] = {}
        for address in {a for c in services.chains for a in self._own(c)}:
            self.units.update(self._holdings(address))

    def of(self, chain: str, address: str, token: str) -> int:
        """Units that an account had of its own."""
        return self.units.get((chain, address, token), 0)

    @contextmanager
    def changing_own(self, chain: str, balances: Mapping[str, Any]) -> Iterator[None]:
        """Remember what the operator puts into our accounts or takes out of them."""
        accounts = [getattr(self._services.chains[chain].own, name) for name in balances]
        before = self._of_all(accounts)
        yield
        after = self._of_all(accounts)
        for place in {*before, *after}:
            more = after.get(place, 0) - before.get(place, 0)
            self.units[place] = self.units.get(place, 0) + more

    def _of_all(self, accounts: list[str]) -> dict[Place, int]:
        found: dict[Place, int] = {}
        for account in accounts:
            found.update(self._holdings(account))
        return found

    def _holdings(self, address: str) -> dict[Place, int]:
        assert self._services.sandbox is not None
        return {
            (chain, address, token): units
            for chain, token, units in self._services.sandbox.holdings(address)
        }

    def _own(self, chain: str) -> tuple[str, str, str]:
        own = self._services.chains[chain].own
        return own.relayer, own.bridger, own.treasury

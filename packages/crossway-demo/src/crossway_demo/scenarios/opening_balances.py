"""The opening balances of Crossway's own accounts, so that every later change can be explained."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from crossway.ports.services import Services

AccountToken = tuple[str, str, str]  # chain, address, token


class OpeningBalances:
    """Balances of our own accounts at the start, plus later adjustments by an operator."""

    def __init__(self, services: Services) -> None:
        self._services = services
        for chain in services.chains.values():
            chain.heads()
        self.amounts: dict[AccountToken, int] = {}
        for address in {a for chain in services.chains for a in self._own_accounts(chain)}:
            self.amounts.update(self._holdings(address))

    def amount(self, chain: str, address: str, token: str) -> int:
        """The opening balance of an account in smallest units."""
        return self.amounts.get((chain, address, token), 0)

    @contextmanager
    def record_adjustment(self, chain: str, balances: Mapping[str, Any]) -> Iterator[None]:
        """Count what changes inside the block in the named accounts as an operator's adjustment."""
        accounts = [getattr(self._services.chains[chain].accounts, name) for name in balances]
        before = self._all_holdings(accounts)
        yield
        after = self._all_holdings(accounts)
        for key in {*before, *after}:
            change = after.get(key, 0) - before.get(key, 0)
            self.amounts[key] = self.amounts.get(key, 0) + change

    def _all_holdings(self, accounts: list[str]) -> dict[AccountToken, int]:
        holdings: dict[AccountToken, int] = {}
        for account in accounts:
            holdings.update(self._holdings(account))
        return holdings

    def _holdings(self, address: str) -> dict[AccountToken, int]:
        assert self._services.sandbox is not None
        return {
            (chain, address, token): amount
            for chain, token, amount in self._services.sandbox.holdings(address)
        }

    def _own_accounts(self, chain: str) -> tuple[str, str, str]:
        accounts = self._services.chains[chain].accounts
        return accounts.relayer, accounts.bridger, accounts.treasury

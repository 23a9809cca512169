"""The relayer's inventory and gas at the start of the demo month, as an operator would have it."""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from crossway.adapters.chains.simulated.blocks.genesis import FEES_AT_START, INVENTORY_MICRO_USD
from crossway.adapters.chains.simulated.sandbox import SimulatedSandbox
from crossway.domain.catalogue import Catalogue
from crossway.ports.chain import Chain
from crossway.ports.sandbox import Faults
from crossway_demo.demo.scenario_plan import parameters

_STABLE = ("USDC", "USDT")
_GENESIS_USD = INVENTORY_MICRO_USD // 10**6
Holdings = Mapping[tuple[str, str], int]


def stock_chains(
    sandbox: SimulatedSandbox, catalogue: Catalogue, chains: Mapping[str, Chain]
) -> dict[str, Holdings]:
    """Give the accounts of every chain what the parameters say; returns what they hold now, by
    chain, as (address, token) to smallest units."""
    holdings = {}
    for name, chain in chains.items():
        holdings[name] = _scale(sandbox.opening_balances(name), catalogue, chain)
        balances = _by_account(holdings[name].items(), catalogue, chain)
        sandbox.inject_faults(name, Faults(balances=balances))
    return holdings


def _scale(opening: Holdings, catalogue: Catalogue, chain: Chain) -> Holdings:
    """The balances of a new chain, a million USD of everything, scaled to those of the demo."""
    wanted, accounts = parameters()["inventory"], chain.accounts
    gas_of = {
        token: units for (owner, token), units in opening.items() if owner == accounts.bridger
    }
    scaled = {}
    for (owner, token), units in opening.items():
        gas = gas_of.get(token, 0)
        usd = wanted["other_tokens_usd"]
        if _symbol(catalogue, chain, token) in _STABLE:
            usd = wanted["by_chain"].get(chain.id, wanted["usd"])
        stock = (units - gas) * usd // _GENESIS_USD if owner == accounts.relayer else 0
        scaled[owner, token] = stock + gas * wanted["gas_transactions"] // FEES_AT_START
    return scaled


def _by_account(
    holdings: Iterable[tuple[tuple[str, str], int]], catalogue: Catalogue, chain: Chain
) -> dict[str, dict[str, int]]:
    accounts = chain.accounts
    names = {
        accounts.relayer: "relayer",
        accounts.bridger: "bridger",
        accounts.coordinator: "coordinator",
    }
    balances: dict[str, dict[str, int]] = defaultdict(dict)
    for (owner, token), units in holdings:
        balances[names[owner]][_symbol(catalogue, chain, token)] = units
    return balances


def _symbol(catalogue: Catalogue, chain: Chain, token: str) -> str:
    """The symbol by which the sandbox knows a token; gas need not be one of the catalogue."""
    known = catalogue.by_address.get((chain.id, token))
    return "native" if known is None else known.symbol

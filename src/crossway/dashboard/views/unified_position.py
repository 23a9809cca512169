"""The unified balance at Circle Gateway as a place of inventory beside the chains."""

from collections.abc import Mapping, Sequence

from crossway.domain.ledger import (
    UNIFIED_DECIMALS,
    UNIFIED_TOKEN,
    unified_location,
)
from crossway.domain.money import Token
from crossway.domain.rebalancing import Location, RebalancingPolicy
from crossway.usecases.money.inventory import InventoryPosition
from crossway.usecases.money.inventory_records import POLICY
from crossway.usecases.money.unified_balance import UnifiedBalance


def build_unified_positions(
    balances: Sequence[UnifiedBalance],
    policies: Mapping[Location, RebalancingPolicy],
    positions: Sequence[InventoryPosition],
    testnets: bool,
) -> list[InventoryPosition]:
    """What may be minted of the unified balance of main or test networks, with the target of its
    policy and the price of the other positions."""
    prices = [p.pico_usd for p in positions if p.token.symbol == UNIFIED_TOKEN]
    found = []
    for balance in balances:
        if balance.location != unified_location(testnets):
            continue
        policy = policies.get((balance.location, UNIFIED_TOKEN))
        found.append(
            InventoryPosition(
                token=Token(balance.location, UNIFIED_TOKEN, UNIFIED_TOKEN, UNIFIED_DECIMALS),
                balance=balance.available,
                reserved=0,
                expected=0,
                overdue=0,
                paid_out=0,
                target=policy.target if policy else 0,
                target_set_by=POLICY if policy else "",
                pico_usd=prices[0] if prices else None,
            )
        )
    return found

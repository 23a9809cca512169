"""Looks for money at the addresses of payments that are about to expire."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from crossway.domain.intent import Intent
from crossway.engine.alerts import raise_alert
from crossway.ports.services import Services
from crossway.ports.store import UnitOfWork
from crossway.usecases.chains.supported_chains import chain_name
from crossway.usecases.payments.deposits import record_deposits
from crossway.usecases.payments.dust import is_dust

# Nodes that differ on a balance are asked again after this.
_DISPUTE_PAUSE = timedelta(seconds=30)


@dataclass
class AddressCheck:
    """What the chain says of payments that are about to expire, by intent id.

    `disputed`: the nodes differ on a balance. `changed`: money arrived during the check. Of both
    nothing is decided yet. `unexplained`: the amount of the payment's token at its address that is
    in no transfer which a node reports.
    """

    disputed: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)
    unexplained: dict[int, int] = field(default_factory=dict)


def check_addresses(services: Services, chain_id: str, ids: Sequence[int]) -> AddressCheck:
    """Record the deposits that no scan has found, and return what remains unclear.

    Testnets are not scanned, a node that once failed to confirm a deposit may have been wrong, and
    a node may leave a transfer out. So the balances of the addresses are compared with the books.
    Raises `Unreachable`.
    """
    with services.store.read() as unit:
        intents = unit.intents.get_many(ids)
        paused = _is_paused(unit, services, chain_id)
    if paused:
        return AddressCheck(disputed=set(ids))
    check = AddressCheck()
    if services.catalogue.chains[chain_id].testnet:
        _search(services, chain_id, list(intents.values()))
        return check
    tokens = {intent.id: intent.terms.token_in for intent in intents.values()}
    before = _read_explained(services, chain_id, tokens)
    excess = _find_excess(services, chain_id, intents, tokens, check)
    suspects = _find_suspects(services, chain_id, intents, excess, check)
    if suspects:
        _search(services, chain_id, suspects)
        found = _read_explained(services, chain_id, tokens)
        remaining = _find_excess(services, chain_id, intents, tokens, check)
        for i, amount in excess.items():
            left = remaining.get(i, 0)
            if left != amount - (found[i] - before[i]):
                # The search may or may not have seen what arrived.
                check.changed.add(i)
            elif left and not is_dust(services, intents[i], tokens[i], chain_id, left):
                check.unexplained[i] = left
    _report(services, chain_id, check)
    return check


def _is_paused(unit: UnitOfWork, services: Services, chain_id: str) -> bool:
    """Whether nodes differed so lately that they are not asked again yet."""
    now, key = services.clock.now(), f"disputed:{chain_id}"
    return any(
        alert.key == key and now - alert.last_seen_at < _DISPUTE_PAUSE
        for alert in unit.alerts.list_active(limit=1_000)
    )


def _find_suspects(
    services: Services,
    chain_id: str,
    intents: Mapping[int, Intent],
    excess: Collection[int],
    check: AddressCheck,
) -> list[Intent]:
    """The payments whose address holds more of their token or of the native coin than the books
    know, and those with a deposit that a node once failed to confirm."""
    tokens = {intent.id: intent.terms.token_in for intent in intents.values()}
    native = next((t.address for t in services.catalogue.by_chain[chain_id] if t.native), "")
    coins = {i: native for i, token in tokens.items() if native not in ("", token)}
    suspects = set(excess)
    suspects |= _find_excess(services, chain_id, intents, coins, check).keys()
    with services.store.read() as unit:
        suspects |= unit.deposits.find_orphaned(intents)
    return [intents[i] for i in sorted(suspects)]


def _search(services: Services, chain_id: str, intents: Collection[Intent]) -> None:
    since = min(intent.created_at for intent in intents)
    addresses = [intent.address for intent in intents]
    transfers = services.chains[chain_id].transfers_to(addresses, since)
    if transfers:
        services.store.write(lambda unit: record_deposits(unit, services, transfers))


def _find_excess(
    services: Services,
    chain_id: str,
    intents: Mapping[int, Intent],
    tokens: Mapping[int, str],
    check: AddressCheck,
) -> dict[int, int]:
    """By intent, what its address holds of its token in `tokens` and no known deposit explains."""
    explained = _read_explained(services, chain_id, tokens)
    by_token: dict[str, list[int]] = defaultdict(list)
    for intent_id, token in tokens.items():
        by_token[token].append(intent_id)
    excess = {}
    for token, ids in by_token.items():
        addresses = [intents[i].address for i in ids]
        balances = services.chains[chain_id].agreed_balances(addresses, token)
        for intent_id in ids:
            balance = balances.get(intents[intent_id].address)
            if balance is None:
                check.disputed.add(intent_id)
            elif balance > explained[intent_id]:
                excess[intent_id] = balance - explained[intent_id]
    return excess


def _read_explained(services: Services, chain_id: str, tokens: Mapping[int, str]) -> dict[int, int]:
    """By intent, what the books have at its address of its token in `tokens`, and what deposits
    that are not credited yet add."""
    keys = {intent_id: (intent_id, chain_id, token) for intent_id, token in tokens.items()}
    with services.store.read() as unit:
        booked = unit.ledger.get_address_balances(keys.values())
        seen = unit.deposits.sum_seen(tokens)
    explained = {}
    for intent_id, key in keys.items():
        balance = booked.get(key)
        explained[intent_id] = seen.get(key, 0) + (balance.held + balance.dust if balance else 0)
    return explained


def _report(services: Services, chain_id: str, check: AddressCheck) -> None:
    if not check.disputed:
        return
    message = (
        f"The nodes of {chain_name(services, chain_id)} differ on what is at the addresses of "
        f"expired payments ({len(check.disputed)}): they do not end before enough nodes agree."
    )
    services.store.write(
        lambda unit: raise_alert(unit, services, f"disputed:{chain_id}", "node", chain_id, message)
    )

"""What happens to each deposit that is not what a payment asks for, said before it is sent."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from markupsafe import Markup

from crossway.domain.catalogue import Chain, ChainKind
from crossway.payer.formatting import format_days, format_exact, format_time, format_usd
from crossway.payer.responses import PageRequest
from crossway.usecases.payers.checkout import CheckoutSnapshot

_FAMILIES: Final[dict[ChainKind, str]] = {
    "evm": "Ethereum",
    "solana": "Solana",
    "tron": "Tron",
    "starknet": "Starknet",
}


@dataclass(frozen=True, slots=True)
class WrongDeposit:
    """One kind of wrong deposit and its fate."""

    what: Markup
    fate: Markup


@dataclass(frozen=True, slots=True)
class WrongDeposits:
    """In one sentence, and in full."""

    brief: Markup = field(default_factory=Markup)
    kinds: tuple[WrongDeposit, ...] = ()


def view_wrong_deposits(
    page_request: PageRequest, view: CheckoutSnapshot, chain: Chain
) -> WrongDeposits:
    """The fates of deposits to this payment's address, while it is open."""
    siblings = _siblings(page_request, chain)
    brief = page_request.t("warn.siblings" if siblings else "warn.alone")
    return WrongDeposits(brief, tuple(_kinds(page_request, view, chain, siblings)))


def _siblings(page_request: PageRequest, chain: Chain) -> Sequence[Chain]:
    """The other chains on which the same address is watched, and paid back from."""
    services = page_request.services
    return [
        other
        for other in services.catalogue.chains.values()
        if (other.kind, other.testnet) == (chain.kind, chain.testnet)
        and other.id != chain.id
        and other.id in services.chains
    ]


def _kinds(
    page_request: PageRequest,
    view: CheckoutSnapshot,
    chain: Chain,
    siblings: Sequence[Chain],
) -> Iterator[WrongDeposit]:
    t, services, intent = page_request.t, page_request.services, view.intent
    total = intent.terms.deposit_amount
    until = format_time(intent.terms.expires_at, t.locale)

    def kind(name: str, **values: object) -> WrongDeposit:
        values["chain"] = chain.name
        return WrongDeposit(t(f"wrong.{name}.what", **values), t(f"wrong.{name}.fate", **values))

    amount = format_exact(total, intent.asset_decimals, intent.asset_symbol, t.locale)
    yield kind("little", amount=amount, time=until)
    yield kind("much")
    days = timedelta(seconds=services.policy.late_watch_seconds).days
    yield kind("late", time=until, days=format_days(days, t.locale))
    tokens = services.catalogue.by_chain[chain.id]
    known = dict.fromkeys(token.symbol for token in tokens if token.enabled)
    known.pop(intent.asset_symbol, None)
    merchant = view.merchant.name
    yield kind("token", tokens=", ".join(known), merchant=merchant)
    if siblings:
        yield kind("sibling", networks=", ".join(other.name for other in siblings))
    others = [name for family, name in _FAMILIES.items() if family != chain.kind]
    yield kind("other", networks=", ".join(others))
    cost = chain.transfer_cost_micro_usd * services.policy.dust_factor
    yield kind("dust", cost=format_usd(cost, t.locale))

"""The part of a payment link's page that lists what the payer's wallets can pay with."""

from dataclasses import dataclass

from markupsafe import Markup
from starlette.responses import Response

from crossway.domain.errors import InvalidInput, NotFound
from crossway.payer.formatting import format_duration, format_short, format_usd
from crossway.payer.responses import PageRequest, page_brand, render_fragment, render_json
from crossway.usecases.payers import checkout
from crossway.usecases.payers.checkout import CheckoutError, PaymentMethod
from crossway.usecases.payers.held_methods import HeldMethod, HeldMethods, find_held

FAMILIES = ("evm", "solana", "tron", "starknet")


@dataclass(frozen=True, slots=True)
class HeldOption:
    """One way to pay that a wallet covers."""

    name: str
    family: str
    amount: str
    chain: str
    costs: Markup


def respond_held(page_request: PageRequest) -> Response:
    """The ways to pay that the accounts of a form cover, cheapest first; refused with 422 where the
    amount or an account is not valid."""
    request, services = page_request.request, page_request.services
    form = request.state.form
    accounts = {family: form[family] for family in FAMILIES if form.get(family)}
    link_id, payer = request.path_params["link"], request.state.payer
    link = checkout.get_checkout_link(services, link_id, payer)
    if page_request.simulated or link.closed_reason is not None:
        raise NotFound("No such page")
    try:
        amount = checkout.parse_amount(link, form.get("amount", ""))
        methods = checkout.list_payment_methods(services, link, amount)
        held = find_held(services, methods, accounts)
    except (CheckoutError, InvalidInput):
        return render_json({"error": "form"}, 422)
    return _render(page_request, link, held)


def _render(page_request: PageRequest, link: checkout.CheckoutLink, held: HeldMethods) -> Response:
    t, chains = page_request.t, page_request.services.catalogue.chains
    return render_fragment(
        page_request,
        "held.html",
        page_brand(link.merchant),
        0,
        options=[_option(page_request, one) for one in held.covered],
        told=t.plural("held.count", len(held.covered)) if held.covered else t("held.none"),
        unread=", ".join(chains[chain].name for chain in held.unread),
    )


def _option(page_request: PageRequest, held: HeldMethod) -> HeldOption:
    t, method = page_request.t, held.method
    chain = page_request.services.catalogue.chains[method.source.source]
    costs = t(
        "held.costs",
        fees=format_usd(method.source.fee_micro_usd, t.locale),
        time=format_duration(method.source.fill_seconds, t.locale),
        balance=_amount(page_request, method, held.balance),
    )
    amount = _amount(page_request, method, method.option.deposit_amount)
    return HeldOption(method.name, chain.kind, amount, chain.name, costs)


def _amount(page_request: PageRequest, method: PaymentMethod, units: int) -> str:
    option = method.option
    return format_short(units, option.decimals, option.symbol, page_request.t.locale)

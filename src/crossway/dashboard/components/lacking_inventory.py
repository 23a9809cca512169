"""What lacks of one token on one chain, on top of the Treasury: who waits for it, and adding it."""

from functools import partial

import streamlit as st

from crossway.dashboard.components import live_fragment, notices, widget
from crossway.dashboard.components.actions import once_key, run_once
from crossway.dashboard.components.treasury import inventory_now
from crossway.dashboard.session import operator, services
from crossway.dashboard.views import payment_columns
from crossway.dashboard.views.cells import Cell, Detail
from crossway.dashboard.views.formatting import address_cell, chain_name, format_token_amount
from crossway.dashboard.views.links import LACK_PARAM
from crossway.domain.money import Token
from crossway.domain.roles import Permission
from crossway.ports.topics import Topic
from crossway.usecases.operating.waiting_payments import find_waiting
from crossway.usecases.simulator import chain_controls

MAX_PAYMENTS = 10


def focus() -> None:
    """The lack that the page's link names: why payouts wait, which, and the way to fund them."""
    chain, _, symbol = st.query_params.get(LACK_PARAM, "").partition(":")
    token = services().catalogue.tokens.get((chain, symbol))
    if token is None or chain not in services().chains:
        return
    st.header(f"{symbol} on {chain_name(services().catalogue, chain)}")
    _fund_button(token)
    _state(token)


def _missing(token: Token) -> int:
    """What payments wait for, in smallest units, as the inventory has it."""
    return sum(
        position.missing for position in inventory_now().positions if position.token == token
    )


def _fund_button(token: Token) -> None:
    """On the simulated network somebody sends what lacks to the relayer, as an operator would."""
    if services().sandbox is None or not operator().can(Permission.OPERATE):
        return
    with notices.show_errors():
        missing = _missing(token)
        if not missing:
            return
        amount = format_token_amount(services().catalogue, token.chain, token.address, missing)
        label = f"Send {amount} to the relayer (simulated)"
        key = once_key("fund_lack")
        if st.button(label, icon=":material/payments:", type="primary", key=key):
            run_once("fund_lack", partial(_fund, token, missing, amount))


def _fund(token: Token, units: int, amount: str) -> str:
    relayer = services().chains[token.chain].accounts.relayer
    chain_controls.send_deposit(
        services(), operator(), relayer, str(units), token.symbol, token.chain
    )
    return f"{amount} sent to the relayer. The payouts go on by themselves."


@live_fragment.fragment(Topic.ALERTS, Topic.PAYMENTS, refresh_seconds=5.0)
def _state(token: Token) -> None:
    with notices.show_errors():
        waiting = find_waiting(services(), operator(), f"stock:{token.chain}:{token.symbol}")
        if waiting is None:
            st.markdown(":material/check_circle: No payout waits for it now.")
            return
        st.warning(notices.escape_markdown(waiting.alert.message), icon=":material/pending:")
        catalogue = services().catalogue
        chain = catalogue.chains[token.chain]
        relayer = services().chains[token.chain].accounts.relayer
        lack = format_token_amount(catalogue, token.chain, token.address, _missing(token))
        widget.details(
            (
                Detail("Missing", Cell(lack, tone="strong")),
                Detail("Send it to the relayer", address_cell(chain, relayer)),
            ),
            "lack_facts",
            "What lacks",
        )
        rows = tuple(
            payment_columns.build_row(
                payment_columns.USUAL, payment_columns.ListedPayment(services(), intent)
            )
            for intent in waiting.intents[:MAX_PAYMENTS]
        )
        count = len(waiting.intents)
        caption = f"{count:,} payment{'' if count == 1 else 's'} wait{'s' if count == 1 else ''}."
        widget.table(rows, payment_columns.COLUMNS, "lack_payments", "Payments that wait", caption)

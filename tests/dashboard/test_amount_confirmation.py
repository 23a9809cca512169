"""A refund above the limit asks for its amount again before it can be sent."""

from dataclasses import replace

import streamlit as st

from crossway.domain.intent import State
from crossway.ports.policy import SessionPolicy
from tests.dashboard.conftest import DashboardApp, configure


def test_the_refund_dialog_requires_the_amount_above_the_limit(screen: DashboardApp) -> None:
    world = screen.world
    intent = world.create_intent()
    world.deposit(intent, "short")
    world.pass_time(20)
    world.machine.seconds += 3_580
    world.wait_for_state(intent, State.EXPIRED)
    balance = f"{world.reload(intent).balance_at_address / 10**6:f}".rstrip("0")
    screen.open("intent", id=str(intent.id)).click("Refund")
    assert not [field for field in screen.at.text_input if field.key == "confirm_amount"]
    reason = screen.at.text_input(key="confirm_words")
    assert reason.label == "Reason, which the payer reads (optional)"
    assert reason.proto.max_chars == 200

    vigilance = SessionPolicy(second_confirmation_micro_usd=0)
    strict = replace(world.services, policy=replace(world.services.policy, sessions=vigilance))
    configure(lambda: strict)
    st.cache_resource.clear()
    screen.open("intent", id=str(intent.id)).click("Refund")
    assert screen.at.text_input(key="confirm_amount").label == "Enter the amount in USDC"
    assert f"Amounts this large must be confirmed: {balance} USDC." in screen.text

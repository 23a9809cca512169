"""The payer's panel: QR code, exact amount, address and the time left."""

from datetime import datetime

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.components.qr import qr_svg
from crossway.dashboard.views.payment import request
from crossway.domain.intent import Intent
from crossway.ports.services import Services


def panel(services: Services, intent: Intent, key: str, until: datetime | None = None) -> None:
    """What a payer needs to pay what is still missing; the time left ends `until` then."""
    simulated = services.network == "simulated"
    asked = request(services.catalogue, intent, until)
    with st.container(horizontal=True, gap="medium", key=f"{key}_panel"):
        with st.container(width=248, gap="small"):
            st.image(
                qr_svg(asked.uri, simulated),
                width=240,
                alt="QR code to pay this" + (", simulated, no real money" if simulated else ""),
            )
        with st.container(width="stretch", gap="small"):
            widget.facts(asked.facts, f"{key}_facts", "What to pay")
            st.caption(asked.hint)
            if asked.link:
                with st.expander("Wallet link behind the QR code", icon=":material/qr_code_2:"):
                    st.code(asked.link, language=None, wrap_lines=True)

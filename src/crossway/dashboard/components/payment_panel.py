"""The payment request: QR code, exact amount, address and time left."""

from datetime import datetime

import streamlit as st

from crossway.dashboard.components import widget
from crossway.dashboard.views.payment_request import build_payment_request
from crossway.dashboard.views.status_labels import SIMULATED
from crossway.domain.intent import Intent
from crossway.ports.services import Services
from crossway.qr import qr_svg


def panel(services: Services, intent: Intent, key: str, until: datetime | None = None) -> None:
    """What the payer needs to pay the missing amount; a countdown runs to `until`, if given."""
    simulated = services.environment == "simulated"
    request = build_payment_request(services.catalogue, intent, until)
    with st.container(horizontal=True, gap="medium", key=f"{key}_panel"):
        with st.container(width=248, gap="small"):
            alt = "QR code to pay this" + (", simulated, no real money" if simulated else "")
            st.image(qr_svg(request.uri, alt, SIMULATED if simulated else ""), width=240, alt=alt)
        with st.container(width="stretch", gap="small"):
            widget.details(request.facts, f"{key}_facts", "Payment request")
            st.caption(request.hint)
            if request.link:
                with st.expander("Wallet link behind the QR code", icon=":material/qr_code_2:"):
                    st.code(request.link, language=None, wrap_lines=True)

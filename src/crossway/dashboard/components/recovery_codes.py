"""Recovery codes, shown once: nothing else is shown until the person has saved them."""

import streamlit as st

from crossway.dashboard.session import services, signed_in_staff

_UNSAVED = "unsaved_recovery_codes"


def keep_until_saved(codes: tuple[str, ...]) -> None:
    """Show new codes from the next run on; without codes, does nothing."""
    if codes:
        st.session_state[_UNSAVED] = codes


def are_unsaved() -> bool:
    """Whether there are new codes that the person has not saved yet."""
    return _UNSAVED in st.session_state


def show_unsaved() -> None:
    """The new codes, with a download and the button that dismisses them for good."""
    codes = st.session_state[_UNSAVED]
    person = signed_in_staff()
    st.markdown(
        "Each signs you in **once** in place of your second factor, such as when your phone is "
        "lost. They are shown **once**: save or print them now, away from this computer."
    )
    st.code("\n".join(codes), language=None)
    made_at = f"{services().clock.machine():%Y-%m-%d}"
    lines = [f"Crossway recovery codes of {person.name if person else 'staff'}, {made_at}", *codes]
    st.download_button(
        "Download",
        "\n".join(lines) + "\n",
        "crossway-recovery-codes.txt",
        icon=":material/download:",
        on_click="ignore",
        width="stretch",
    )
    st.button("I have saved them", type="primary", width="stretch", on_click=_forget)


def _forget() -> None:
    st.session_state.pop(_UNSAVED, None)

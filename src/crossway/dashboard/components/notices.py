"""What a screen says besides its content: refusals in words, empty lists, what just happened."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from crossway.dashboard.views.wording import SIMULATED
from crossway.domain.errors import QuotesUnavailable, Refusal, Unreachable

_SAID = "just_said"
_LOG = logging.getLogger(__name__)


def as_text(sentence: str) -> str:
    """A sentence that markdown leaves as it is."""
    for mark in "\\`*_[]$<>#:~|":
        sentence = sentence.replace(mark, f"\\{mark}" if mark != ":" else "&#58;")
    return sentence


@contextmanager
def in_words() -> Iterator[None]:
    """Let whatever goes wrong inside be a sentence on the screen, never a trace."""
    try:
        yield
    except (Refusal, Unreachable, QuotesUnavailable) as error:
        st.error(as_text(sentence(error)), icon=":material/block:")
    except Exception:
        _LOG.exception("A screen could not be drawn")
        st.error(
            "This part could not be shown. The reason is in the log; it tries again by itself.",
            icon=":material/error:",
        )


def sentence(error: Exception) -> str:
    """What is said of an error: its own words, as a sentence."""
    words = "; ".join(part.strip() for part in str(error).split(";") if part.strip())
    if not words:
        words = "Nothing answered; it is unknown, not failed. Try again in a moment"
    return words[0].upper() + words[1:] + ("" if words[-1] in ".!?" else ".")


def say(words: str, icon: str = ":material/check_circle:") -> None:
    """Say something after the next run, when the screen shows its effect."""
    st.session_state.setdefault(_SAID, []).append((words, icon))


def speak() -> None:
    """Show what was to be said. A run may be cut short at any toast; the next one says the rest."""
    waiting = st.session_state.get(_SAID, [])
    while waiting:
        words, icon = waiting[0]
        st.toast(as_text(words), icon=icon)
        del waiting[0]


def empty(
    title: str, body: str, icon: str = "inbox", draw_way_on: Callable[[], object] | None = None
) -> None:
    """A list with nothing in it: says so, says why, and shows a way on."""
    with st.container(border=True, horizontal_alignment="center", gap="small"):
        st.markdown(f":gray[:material/{icon}:] **{as_text(title)}**", text_alignment="center")
        st.markdown(as_text(body), text_alignment="center")
        if draw_way_on is not None:
            draw_way_on()


def simulated_badge() -> None:
    """The mark of money that is none."""
    st.badge(SIMULATED, icon=":material/science:", color="orange")

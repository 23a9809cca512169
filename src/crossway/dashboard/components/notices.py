"""Messages of a page: errors, toasts and empty states."""

import logging
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import MappingProxyType
from typing import Final

import streamlit as st

from crossway.dashboard.session import services
from crossway.dashboard.views.formatting import chain_name
from crossway.dashboard.views.status_labels import SIMULATED
from crossway.domain.errors import DomainError, QuotesUnavailable, Unreachable

_TOASTS = "queued_toasts"
_LINKS: Final = re.compile(r":(?=//)|www(?=\.)|@", re.IGNORECASE)
# Fields of the API that screens name in their own words.
_FIELD_NAMES: Final = MappingProxyType(
    {
        "cryptoAmount": "amount",
        "refund_address": "refund address",
        "userEmail": "e-mail address",
        "sourceChain": "source chain",
        "source_chain": "source chain",
        "destinationChain": "destination chain",
        "destination_chain": "destination chain",
        "tokenIn": "source token",
        "tokenOut": "destination token",
        "token_out": "destination token",
    }
)
_CHAINS: Final = re.compile(r"\b[A-Z]+_(?:MAINNET|TESTNET)\b")
_log = logging.getLogger(__name__)


def escape_markdown(sentence: str) -> str:
    """Escape a text so that Markdown shows it unchanged.

    Addresses are made links even where they are escaped, after entities are resolved: an invisible
    word joiner in them prevents it."""
    sentence = _LINKS.sub("\\g<0>\u2060", sentence).replace("&", "&amp;")
    for mark in "\\`*_[]$<>#:~|":
        sentence = sentence.replace(mark, f"\\{mark}" if mark != ":" else "&#58;")
    return sentence


@contextmanager
def show_errors() -> Iterator[None]:
    """Show errors inside the block as a message instead of a stack trace."""
    try:
        yield
    except (DomainError, Unreachable, QuotesUnavailable) as error:
        st.error(escape_markdown(error_sentence(error)), icon=":material/block:")
    except Exception:
        _log.exception("A screen could not be drawn")
        st.error(
            "This part could not be loaded; it is retried automatically. The log has the reason.",
            icon=":material/error:",
        )


def error_sentence(error: Exception) -> str:
    """The message of an error as a sentence, in which chains have their names."""
    text = "; ".join(_name_field(part.strip()) for part in str(error).split(";") if part.strip())
    if not text:
        text = "No response; the outcome is unknown. Try again in a moment"
    text = _CHAINS.sub(lambda code: chain_name(services().catalogue, code.group()), text)
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?" else ".")


def _name_field(message: str) -> str:
    field = message.split()[0].rstrip(":")
    return _FIELD_NAMES.get(field, field) + message[len(field) :]


def queue_toast(text: str, icon: str = ":material/check_circle:") -> None:
    """Show a toast after the next rerun."""
    st.session_state.setdefault(_TOASTS, []).append((text, icon))


def show_toasts() -> None:
    """Show the queued toasts. A rerun may interrupt this; the next one shows the rest."""
    waiting = st.session_state.get(_TOASTS, [])
    while waiting:
        text, icon = waiting[0]
        st.toast(escape_markdown(text), icon=icon)
        del waiting[0]


def field_error(text: str) -> None:
    """What is wrong with the field above; nothing without a text."""
    if text:
        st.markdown(f":red[:material/error: {escape_markdown(text.removesuffix('.'))}.]")


def empty_state(
    title: str, body: str, icon: str = "inbox", draw_way_on: Callable[[], object] | None = None
) -> None:
    """A placeholder for an empty list: title, explanation and optional action."""
    with st.container(border=True, horizontal_alignment="center", gap="small"):
        st.markdown(
            f":gray[:material/{icon}:] **{escape_markdown(title)}**", text_alignment="center"
        )
        st.markdown(escape_markdown(body), text_alignment="center")
        if draw_way_on is not None:
            draw_way_on()


def simulated_badge() -> None:
    """The badge of simulated money."""
    st.badge(SIMULATED, icon=":material/science:", color="orange")


def older_records(count: int, noun: str) -> None:
    """Say how many older records a table leaves out, if any."""
    if count:
        st.caption(f"{count:,} older {noun}{'' if count == 1 else 's'} not shown.")

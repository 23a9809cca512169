"""The guided story of a session. It makes a payment, so that a click begins it: no link does."""

from typing import Final
from uuid import uuid4

import streamlit as st

from crossway.dashboard.views.guided_story import GuidedStory

_STORY: Final = "told_story"


def begin() -> None:
    """Begin a story, in place of the session's former one."""
    st.session_state[_STORY] = GuidedStory(uuid4().hex)


def is_begun() -> bool:
    """Whether this session has a story, also one that has ended."""
    return _STORY in st.session_state


def current() -> GuidedStory:
    """This session's story; begun where there is none."""
    if not is_begun():
        begin()
    return st.session_state[_STORY]  # type: ignore[no-any-return]

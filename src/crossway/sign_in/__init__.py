"""The pages on which staff sign in, outside Streamlit: nothing of the dashboard runs before."""

from typing import Final

# The paths of the pages; the last one is registered at identity providers.
PATHS: Final = ("/sign-in", "/sign-in/{rest:path}", "/sign-out", "/oauth2callback")

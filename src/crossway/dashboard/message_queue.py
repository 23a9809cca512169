"""Streamlit's queue of messages for a browser, mended so that no part of a page is left out."""

from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

_clear = ForwardMsgQueue.clear


def send_whole_pages() -> None:
    """Let a fragment that is drawn again drop nothing that waits to be sent.

    Streamlit drops what waits of that fragment. Where this belongs to a run of the whole page,
    whose end is sent all the same, the browser takes the fragment away: what stands below moves up,
    the next fragments are drawn into wrong places, and one fails ("Bad delta path index").
    """
    ForwardMsgQueue.clear = _clear_unless_fragment  # type: ignore[assignment,method-assign]


def _clear_unless_fragment(
    queue: ForwardMsgQueue,
    retain_lifecycle_msgs: bool = False,
    fragment_ids_this_run: list[str] | None = None,
) -> None:
    if retain_lifecycle_msgs and fragment_ids_this_run:
        # What the fragment draws replaces nothing that waits: it comes behind all of it.
        queue._delta_index_map = {}
        return
    _clear(queue, retain_lifecycle_msgs, fragment_ids_this_run)

"""A page arrives in its browser whole, also where a fragment is drawn again meanwhile."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue

from crossway.dashboard import message_queue


@pytest.fixture(autouse=True)
def mended() -> None:
    message_queue.send_whole_pages()


def delta(position: int, text: str, fragment: str = "") -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path.extend([0, position])
    message.delta.new_element.markdown.body = text
    message.delta.fragment_id = fragment
    return message


def finished() -> ForwardMsg:
    return ForwardMsg(script_finished=ForwardMsg.FINISHED_SUCCESSFULLY)


def texts(queue: ForwardMsgQueue) -> list[str]:
    return [
        m.delta.new_element.markdown.body if m.HasField("delta") else "finished"
        for m in queue.flush()
    ]


def test_a_fragment_that_is_drawn_again_drops_nothing_of_the_page_before_it() -> None:
    queue = ForwardMsgQueue()
    for message in (delta(0, "title"), delta(1, "old", "f"), delta(2, "below"), finished()):
        queue.enqueue(message)
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=["f"])
    queue.enqueue(delta(1, "new", "f"))
    assert texts(queue) == ["title", "old", "below", "finished", "new"]


def test_a_run_of_the_whole_page_still_drops_what_it_draws_again() -> None:
    queue = ForwardMsgQueue()
    queue.enqueue(delta(0, "title"))
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=None)
    assert texts(queue) == []
    queue.enqueue(delta(0, "title"))
    queue.clear()
    assert queue.is_empty()

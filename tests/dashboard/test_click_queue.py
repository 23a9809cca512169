"""Every click of a browser is carried out once, whatever it asks for meanwhile."""

import threading
from dataclasses import replace

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.scriptrunner import script_runner
from streamlit.runtime.scriptrunner_utils.script_requests import (
    RerunData,
    ScriptRequest,
    ScriptRequestType,
)

from crossway.dashboard import click_queue

FIELD = WidgetState(id="field", string_value="typed")


def request(*clicked: str, page: str = "here", fragment: str | None = None) -> RerunData:
    """What a browser sends for a click, or for a change without one: all its fields each time."""
    clicks = [WidgetState(id=name, trigger_value=True) for name in clicked]
    states = WidgetStates(widgets=[FIELD, *clicks])
    return RerunData(widget_states=states, page_script_hash=page, fragment_id=fragment)


def row(number: int) -> RerunData:
    """A click on a row of a table, whose number comes with it."""
    state = WidgetState(id="table", json_trigger_value=str(number))
    return RerunData(widget_states=WidgetStates(widgets=[state]))


def clicked(handed_out: ScriptRequest | None) -> list[str]:
    assert handed_out is not None
    states = handed_out.rerun_data.widget_states
    return [] if states is None else [s.id for s in states.widgets if s.id != "field"]


class Session:
    """A page of a browser: the script's thread is this one, and the browser asks in another."""

    def __init__(self, queue: click_queue.ClickQueue | None = None) -> None:
        click_queue.run_every_click()
        self.queue = queue or script_runner.ScriptRequests()
        self.queue.request_rerun(RerunData())
        self.ready = self.queue.on_scriptrunner_ready
        self.interrupted_by = self.queue.on_scriptrunner_yield
        self.ready()

    def ask(self, *requests: RerunData) -> None:
        def send() -> None:
            for one in requests:
                self.queue.request_rerun(one)

        thread = threading.Thread(target=send)
        thread.start()
        thread.join()

    def ends(self) -> bool:
        return self.ready().type is ScriptRequestType.STOP


@pytest.fixture
def session() -> Session:
    return Session()


def test_a_run_without_a_click_is_broken_off_as_before(session: Session) -> None:
    session.ask(request(page="there"))
    answer = session.interrupted_by()
    assert answer is not None
    assert answer.rerun_data.page_script_hash == "there"
    assert session.ends()


def test_what_follows_a_click_waits_for_the_end_of_its_run(session: Session) -> None:
    session.ask(request("pay"))
    assert clicked(session.interrupted_by()) == ["pay"]
    session.ask(request("pause"), request(page="there"))
    assert session.interrupted_by() is None
    assert clicked(session.ready()) == ["pause"]
    assert session.interrupted_by() is None
    assert session.ready().rerun_data.page_script_hash == "there"
    assert session.ends()


def test_clicks_that_come_together_are_not_joined(session: Session) -> None:
    session.ask(request("pay"), request("pause"), request(page="there"))
    assert clicked(session.interrupted_by()) == ["pay"]
    # The action of the first draws the page anew.
    session.queue.request_rerun(RerunData())
    assert clicked(session.interrupted_by()) == []
    assert clicked(session.ready()) == ["pause"]
    assert session.ready().rerun_data.page_script_hash == "there"
    assert session.ends()


def test_a_button_that_is_clicked_again_before_its_action_ran_is_clicked_once(
    session: Session,
) -> None:
    session.ask(request("pay"), request("pay"))
    assert clicked(session.interrupted_by()) == ["pay"]
    session.ask(request("pay"))
    assert clicked(session.ready()) == []
    assert session.ends()


def test_a_button_that_is_clicked_again_before_its_outcome_is_drawn_is_clicked_once(
    session: Session,
) -> None:
    session.ask(request("pay"))
    assert clicked(session.interrupted_by()) == ["pay"]
    session.queue.request_rerun(RerunData())  # The action draws the page anew.
    assert clicked(session.interrupted_by()) == []
    session.ask(request("pay"))
    assert clicked(session.interrupted_by()) == []
    session.ask(request("pause"))
    assert clicked(session.interrupted_by()) == ["pause"]
    assert session.ends()


def test_a_double_click_is_one_click_though_its_outcome_is_drawn() -> None:
    now = 100.0
    session = Session(click_queue.ClickQueue(clock=lambda: now))
    session.ask(request("pay"), request(fragment="clock"))
    assert clicked(session.interrupted_by()) == ["pay"]
    assert clicked(session.ready()) == []
    now = 100.12
    session.ask(request("pay"))
    assert clicked(session.interrupted_by()) == []
    now = 100.6
    session.ask(request("pay"))
    assert clicked(session.interrupted_by()) == ["pay"]
    assert session.ends()


def test_clicks_in_one_request_are_carried_out_one_after_the_other(session: Session) -> None:
    session.ask(request("pay", "pause"))
    assert clicked(session.interrupted_by()) == ["pay"]
    assert clicked(session.ready()) == ["pause"]
    assert session.ends()


def test_a_click_that_a_timer_sends_along_is_carried_out_once(session: Session) -> None:
    """The browser sends it again, in a request of its own."""
    session.ask(replace(request("pay", fragment="clock"), is_auto_rerun=True))
    assert clicked(session.ready()) == []
    session.ask(request("pay"))
    assert clicked(session.interrupted_by()) == ["pay"]
    assert session.ends()


def test_clicks_on_two_rows_of_a_table_are_two(session: Session) -> None:
    session.ask(row(3), row(3), row(5))
    assert session.interrupted_by() is not None
    values = []
    while (answer := session.ready()).type is ScriptRequestType.RERUN:
        states = answer.rerun_data.widget_states
        assert states is not None
        values += [state.json_trigger_value for state in states.widgets]
    assert values == ["5"]


def test_updates_behind_a_long_action_are_joined(session: Session) -> None:
    session.ask(request("pay"))
    session.interrupted_by()
    session.ask(*[request(fragment="clock") for _ in range(30)], request(fragment="list"))
    assert session.ready().rerun_data.fragment_id_queue == ["clock", "list"]
    assert session.ends()


def test_an_update_does_not_undo_a_link(session: Session) -> None:
    session.ask(request(page="there"), request(fragment="clock"))
    link = session.interrupted_by()
    assert link is not None
    assert link.rerun_data.page_script_hash == "there"
    assert link.rerun_data.fragment_id_queue == []
    assert session.ends()


@pytest.mark.parametrize("update", [request(fragment="clock"), request("news", fragment="list")])
def test_no_part_of_the_page_before_is_drawn_after_a_link(
    session: Session, update: RerunData
) -> None:
    session.ask(request("pay"))
    session.interrupted_by()
    session.ask(request(page="there"), update)
    link = session.ready()
    assert link.rerun_data.page_script_hash == "there"
    assert link.rerun_data.fragment_id_queue == []
    assert session.ends()


def test_a_part_of_the_same_page_is_drawn_after_the_click_before_it(session: Session) -> None:
    session.ask(request("pay"))
    session.interrupted_by()
    session.ask(request("pause"), request("news", fragment="list"))
    assert clicked(session.ready()) == ["pause"]
    assert session.ready().rerun_data.fragment_id_queue == ["list"]
    assert session.ends()


def test_a_session_that_ends_takes_no_more_clicks(session: Session) -> None:
    session.ask(request("pay"))
    session.interrupted_by()
    session.ask(request("pause"))
    session.queue.request_stop()
    assert not session.queue.request_rerun(request("pause"))
    stop = session.interrupted_by()
    assert stop is not None
    assert stop.type is ScriptRequestType.STOP
    assert session.ends()

"""Where a password is set, nobody sees anything before giving it (wire.md §8)."""

from streamlit.testing.v1 import AppTest

from crossway.dashboard import session
from tests.dashboard.conftest import PAGES
from tests.world import World


def test_nothing_is_drawn_before_the_password_and_all_after_it(world: World) -> None:
    session.provide(lambda: world.services, "sesame")
    at = AppTest.from_file(str(PAGES / "_shell.py"), default_timeout=30).run()
    assert [title.value for title in at.title] == ["Crossway"]
    assert not at.metric

    at.text_input[0].set_value("wrong")
    at.button[0].click().run()
    assert [error.value for error in at.error] == ["That is not the password."]
    assert not at.metric

    at.text_input[0].set_value("sesame")
    at.button[0].click().run()
    assert [title.value for title in at.title] == ["Overview"]

"""The browsers that people recognise their sessions by."""

import pytest

from crossway.domain.staff import describe_browser

WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)"


@pytest.mark.parametrize(
    ("user_agent", "words"),
    [
        ("(X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        (f"(Windows NT 10.0) {WEBKIT} Chrome/150.0 Safari/537.36 Edg/150.0", "Edge on Windows"),
        (f"(Macintosh; Intel Mac OS X 10_15) {WEBKIT} Version/26.0 Safari/605", "Safari on macOS"),
        (f"(iPhone; CPU iPhone OS 26_0 like Mac OS X) {WEBKIT} CriOS/150.0", "Chrome on iPhone"),
        (f"(Linux; Android 16) {WEBKIT} Chrome/150.0 Mobile Safari/537.36", "Chrome on Android"),
        ("curl/8.5.0", ""),
        ("<script>alert(1)</script>", ""),
        ("", ""),
    ],
)
def test_a_browser_is_named_in_words(user_agent: str, words: str) -> None:
    assert describe_browser(user_agent) == words

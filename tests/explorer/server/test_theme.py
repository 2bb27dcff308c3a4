"""The theme is made once, and equals Streamlit's."""

from streamlit import config
from streamlit.proto.NewSession_pb2 import NewSession
from streamlit.runtime import app_session

from explorer.server import streamlit_parts as theme

SECTIONS = ("theme", "theme.light", "theme.dark", "theme.sidebar", "theme.light.sidebar")


def test_the_theme_is_made_once_and_says_the_same(monkeypatch):
    made = []
    # Streamlit's own, whatever another test has started before.
    make = getattr(app_session._populate_theme_msg, "__wrapped__", app_session._populate_theme_msg)

    def counted(message, section="theme"):
        made.append(section)
        make(message, section)

    def said(put):
        message = NewSession()
        for section in SECTIONS:
            below = message.custom_theme
            for name in section.split(".")[1:]:
                below = getattr(below, name)
            put(below, *([section] if section != "theme" else []))
        return message

    monkeypatch.setattr(app_session, theme.MAKER, counted)
    before = config.get_option("theme.light.primaryColor")
    config.set_option("theme.light.primaryColor", "#123456")
    try:
        theme.make_theme_once()
        theme.make_theme_once()
        first, second = (said(app_session._populate_theme_msg) for _ in range(2))
        assert first == second == said(make)
        assert first.custom_theme.light.primary_color == "#123456"
        assert not first.custom_theme.HasField("sidebar")
        assert made == list(SECTIONS)
    finally:
        config.set_option("theme.light.primaryColor", before)

"""Text from outside is harmless in the log, through any logger."""

import io
import logging

import pytest
from uvicorn.logging import DefaultFormatter

from explorer.server.logs import escape_logs

HOSTILE = "a\x1b[2Jb\x9bc\r\n2026-01-01 CRITICAL forged\u2028d\u202ee\x00f\x7f"


@pytest.fixture
def log():
    before = logging.getLogRecordFactory()
    escape_logs()
    written = io.StringIO()
    handler = logging.StreamHandler(written)
    logger = logging.getLogger("streamlit.something")
    logger.addHandler(handler)
    yield logger, handler, written
    logger.removeHandler(handler)
    logging.setLogRecordFactory(before)


@pytest.mark.parametrize("use_colors", [None, True, False])
def test_no_text_forges_a_line_of_the_log(log, use_colors):
    logger, handler, written = log
    if use_colors is not None:
        handler.setFormatter(DefaultFormatter("%(message)s", use_colors=use_colors))
    logger.error("OAuth provider returned error: %s description: %s", "x", HOSTILE)
    logger.error(HOSTILE)
    logger.error("%(a)s", {"a": HOSTILE})
    lines = written.getvalue().split("\n")
    assert len(lines) == 4
    assert all(line.isprintable() for line in lines)
    assert r"a\x1b[2Jb\x9bc\x0d\x0a2026" in lines[0]


def test_an_error_forges_no_line(log):
    logger, _, written = log
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        logger.exception("It failed")
    first, *rest = written.getvalue().rstrip("\n").split("\n")
    assert first == "It failed"
    assert any("ValueError: a" in line for line in rest)
    assert all(line.startswith("  ") and line.isprintable() for line in rest)

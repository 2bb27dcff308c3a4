"""Comments beside a transcript, without a browser."""

from types import SimpleNamespace
from unittest.mock import MagicMock, patch

from explorer.play.review import reviewed
from explorer.players.scripted import why
from explorer.ui import transcript_reader
from nip_core import Episode, Move
from nip_core.play import Commented
from tests.depth import each
from tests.explorer.play.test_review import played
from tests.play_worlds import ONE_TASK


@each(
    ("placed", "mine", "read", "changed"),
    [
        (False, False, True, False),
        (False, True, True, True),
        # A message shows it already: only its author gets something, a way to change it.
        (True, False, False, False),
        (True, True, False, True),
    ],
)
def test_a_comment_beside_its_message_is_not_shown_twice(placed, mine, read, changed):
    screen, said = MagicMock(), []
    screen.form_submit_button.return_value = False
    comment = Commented(node=1, text="Well said.", author="Ada", thread="abcd1234", at="")
    with patch.multiple(
        transcript_reader, st=screen, wrote=lambda *_: mine, visitor=lambda: "", small=said.append,
        minute_of=lambda _: "now",
    ):  # fmt: skip
        transcript_reader._comment(None, SimpleNamespace(agent_names=()), comment, placed=placed)
    assert [call.args for call in screen.text.call_args_list] == [("Well said.",)] * read
    assert screen.text_area.called == changed
    by = ["Ada, now"] if read else ["Your comment, now"]
    assert said[:1] == by * (read or changed)


def test_all_files_of_a_transcript_and_a_notebook_are_offered():
    files, notebooks = [], []
    table, episode = SimpleNamespace(id="abc"), Episode("solo_verifier", ONE_TASK)
    episode.play(Move("verifier", decision=1))
    with patch.multiple(
        transcript_reader, offer_file=lambda label, *_, **__: files.append(label),
        offer_notebook=lambda *_, **__: notebooks.append(1), _stem=lambda *_: "stem",
    ):  # fmt: skip
        transcript_reader._offer_files(table, episode)
    assert len(files) >= len(transcript_reader.FORMATS) + 2
    assert {"Replay as a page (HTML)", "Tables (CSV)"} <= {*files}
    assert notebooks == [1]


def test_only_the_gallery_reads_the_review_and_a_seat_its_own_origins():
    episode = played("nip", "code:easy", 0)
    shown, screen = [], MagicMock()
    with patch.multiple(
        transcript_reader, show_table=lambda table, **_: shown.append(table), st=screen,
    ):  # fmt: skip
        for eyes in (transcript_reader.GALLERY, "prover"):
            transcript_reader._table("abc", episode, episode.node, episode.node, eyes)
            answer = next(n for n in episode.path()[::-1] if "prover" in n.moves)
            transcript_reader._origins(episode, answer, eyes)
    assert [table["review"] for table in shown] == [reviewed(episode, episode.node.id), None]
    reasons = next("\n".join(each.lines) for each in why(episode)[::-1] if each.agent == "prover")
    assert [call.args for call in screen.text.call_args_list].count((reasons,)) == 2

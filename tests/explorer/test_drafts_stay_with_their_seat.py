"""What was written for one seat reaches no other: failed drafts, requested drafts, refusals."""

from itertools import cycle

import pytest

from explorer.play.stored import StoredTable
from nip_core import HyperParameters, bundled_tasks
from nip_core.play import Episode, Seated
from tests.depth import exhaustive, first
from tests.explorer.frames.client import in_words
from tests.explorer.frames.serve import finish_work
from tests.explorer.players.model_server import Handler, ModelServer

SECRET = "PRIVATE-DRAFT-OF-PROVER-ONE"


class Service(ModelServer):
    """A model's server that puts a secret into all its answers."""

    def __init__(self, *behaviours):
        super().__init__(behaviours=behaviours, answer=lambda _: f"{SECRET} is what I would say.")
        self.RequestHandlerClass = Talkative


class Talkative(Handler):
    def do_wordy(self, body):
        self.stream(f"{SECRET} " + "word " * 400, size=50)

    def do_quotes(self, body):
        self.plain(400, f'{{"error": {{"message": "No answer for: {SECRET}"}}}}')

    def do_quotes_late(self, body):
        self.begin()
        self.send(raw=f'{{"error": {{"message": "Stopped at: {SECRET}"}}}}')

    def do_cut(self, body):
        self.begin()
        self.send({"content": SECRET})
        self.send({}, "length")
        self.send(raw="[DONE]")


def set_models_up(page, service, *seats):
    (places,) = [e.options for k, e in page.elements() if k == "selectbox" and e.label == "Where"]
    page.choose("Where", next(place for place in places if "Another" in place))
    page.choose("Address", service.url)
    for seat in seats:
        page.choose(f"Model for {in_words(seat)}", "m")


def begun(frames, service, protocol, seat, other):
    """Begin a game of mine against a model in another seat."""
    page = frames.open("play", protocol=protocol, seat=seat, **{f"sits__{other}": "llm"})
    set_models_up(page, service, other)
    page.click("Begin")
    page.forget()  # the words of the service are not among the settings
    return page


def play_on(frames, page):
    frames.call(finish_work)
    page.run_fragments()
    page.rerun()


def say_something(page):
    page.act(messages=dict.fromkeys(page.table["composer"]["channels"], "It is right."))


BEHAVIOURS = ["wordy", "quotes", "quotes_late", "cut", "filtered", "garbage", "500"]
TABLES = [("mnip", "prover0", "prover1"), ("nip", "verifier", "prover")]


# The kind of failure does not depend on who is at the table, so each table has every other failure.
@pytest.mark.parametrize(
    "case",
    first(2, [*zip(BEHAVIOURS, cycle(TABLES), strict=False)]),
    ids=lambda case: f"{case[0]}, {case[1][0]}",
)
def test_others_see_that_a_model_failed_and_nothing_that_it_wrote(frames, case):
    behaviour, (protocol, seat, other) = case
    with Service(*[behaviour] * 20) as service:
        page = begun(frames, service, protocol, seat, other)
        play_on(frames, page)
        say_something(page)
        play_on(frames, page)
        assert "Try again" in page.labels()
        assert page.texts("alert")
        assert page.table["head"]["claim"]
        page.downloads()
    assert len(service.requests) >= 1
    assert SECRET not in page.said


def test_others_see_that_there_was_no_legal_move(frames):
    with Service(*["wordy"] * 20) as service:
        page = begun(frames, service, "nip", "verifier", "prover")
        say_something(page)
        play_on(frames, page)
        (said,) = page.texts("alert")
        assert "made no legal move" in said
        # Only the person at the seat has what was written for it.
        page.click("I move for it")
        assert SECRET not in page.said
        page.click("I am")
        assert page.table["seat"] == "prover"
        assert SECRET in page.said


@exhaustive
def test_a_partial_answer_is_shown_to_nobody_else(frames):
    """Whether an answer can be played is known only once it is complete."""
    with Service("wordy", "wordy", "wordy") as service:
        service.pause = 0.02
        page = begun(frames, service, "nip", "verifier", "prover")
        say_something(page)
        for _ in range(10):
            page.run_fragments()
        play_on(frames, page)
    assert SECRET not in page.said


@pytest.mark.parametrize(
    "behaviours", first(1, [("cut", "404"), ("500", "500"), ("garbage", "wordy")])
)
def test_a_failure_does_not_name_an_anonymous_seat(frames, behaviours):
    """Arthur does not learn whether Merlin or Morgana cannot be asked."""
    rules, seen = HyperParameters(interaction_protocol="merlin_arthur"), []
    first, second = (Service(*[each] * 40) for each in behaviours)
    with first, second:
        for seed in (0, 1):
            episode = Episode(rules, bundled_tasks("easy")[0], seed)
            for agent, service in (("prover0", first), ("prover1", second)):
                model = {"kind": "llm", "model": f"of {agent}", "base_url": service.url}
                episode.apply(Seated(agent=agent, player=model))
            page = frames.open("play", episode=frames.storage.create(episode))
            page.click("Let them move")
            play_on(frames, page)
            assert "Try again" in page.labels()
            seen.append((page.texts("alert"), page.labels(), page.labels("text_input")))
        assert first.requests
        assert second.requests
    assert seen[0] == seen[1]


def hand_over(page):
    page.rerun()
    (label,) = [label for label in page.labels() if label.startswith("I am")]
    page.click(label)


@pytest.fixture
def two_at_one_screen(frames):
    page = frames.open(
        "play", protocol="mnip", seat="prover0", sits__prover1="friend", sits__verifier="scripted"
    )
    page.click("Begin")
    hand_over(page)
    return page


def ask_for_a_draft(page, service):
    page.choose("Set models up", True)
    set_models_up(page, service, "the first model")
    page.click("Draft my move")


def test_a_draft_is_not_handed_over_with_the_screen(two_at_one_screen):
    page = two_at_one_screen
    with Service() as service:
        ask_for_a_draft(page, service)
        assert SECRET in str(page.table["draft"])
        page.click("What would both have said")
        first = page.table["seat"]
        say_something(page)
        page.forget()
        hand_over(page)
        assert page.table["seat"] != first
        assert page.table["draft"] is None
        page.downloads()
        assert SECRET not in page.said


def test_a_draft_goes_into_the_boxes_of_its_own_round_only(frames):
    page = frames.open("play", protocol="nip")
    page.click("Begin")
    with Service() as service:
        ask_for_a_draft(page, service)
        assert page.table["draft"] is not None
        say_something(page)
        page.rerun()
        assert page.table["round"] == 2
        assert page.table["draft"] is None


def test_a_refusal_is_shown_to_the_refused_person_only(two_at_one_screen):
    page = two_at_one_screen
    channel = page.table["composer"]["channels"][0]
    page.act(messages={channel: "word " * 1000}, mark="mine")
    assert page.table["error"]["mark"] == "mine"
    say_something(page)
    hand_over(page)
    assert page.table["error"] is None


def test_the_files_of_one_seat_are_not_given_to_the_next(two_at_one_screen):
    page = two_at_one_screen
    button = page.widget(
        "Download my view (JSON)", "download_button"
    ).delta.new_element.download_button
    say_something(page)
    hand_over(page)
    assert button.deferred_file_id
    with pytest.raises(AssertionError):
        page.fetch_deferred(button.deferred_file_id)


def test_that_somebody_has_moved_is_sent_once_it_can_be_seen(two_at_one_screen, frames):
    """A move that waits for others is secret, and so is that it was made or taken back."""
    first = two_at_one_screen
    say_something(first)
    other = frames.open("play", episode=first.query["episode"])
    hand_over(other)
    assert other.table["seat"] == "prover1"
    StoredTable(frames.storage, first.query["episode"]).undo("prover0")
    other.forget()
    other.rerun()
    assert other.table["seat"] == "prover1"
    assert "Somebody has played" not in other.said

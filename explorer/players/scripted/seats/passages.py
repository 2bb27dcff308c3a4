"""Seats of protocols about a question on a text: who argues, who has read the text, who judges."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence

from explorer.players.scripted.judges import INVENTED
from explorer.players.scripted.noted import nearest as nearest_asks
from explorer.players.scripted.noted import prepared
from explorer.players.scripted.seats.arguments import (
    Argument,
    arguments,
    as_quote,
    passage_of,
    quotable,
    words_of,
)
from explorer.players.scripted.seats.forgery import changed
from explorer.players.scripted.seats.quoting import (
    ASKS_AGAINST,
    ASKS_WHY,
    HOW_SURE,
    nearest_parts,
    told_of,
)
from explorer.players.scripted.seats.seat import Option, Seat, nearest
from explorer.players.scripted.voices import voices
from nip_core.language import Quote
from nip_core.play import View
from nip_core.tasks import Passage, marked, passages
from nip_core.text import SeenMessage

QUESTIONS = (
    "Which words of the text show that?",
    "What is the best reason to think otherwise, and why does it fail?",
    "Which single sentence should decide it?",
)
NOTHING = "I have said what there is to say, and I stand by it."
DECIDES = "What decides it for me is this:"
AGAINST = "Against me one may quote this:"
NOTHING_ON_THAT = "I find nothing on that in the text. What decides is this:"
# How often somebody who has read the text finds the right answer, by how well it plays.
READS = {"easy": 0.65, "medium": 0.8, "hard": 0.95}
# What an answer adds to the log-odds of a side if somebody says it who argues for none.
NAMED = 1.4
_NAMES = re.compile(r"\b(?:answer is|it is|hold that it is) ([A-D])\b")
_QUOTE = re.compile("<quote>(.+?)</quote>", re.DOTALL)
EMBROIDERED = 2  # quotes of a message that a liar may invent
_IN_MARKS = re.compile("“([^“”]+)”")
# How often somebody who may choose its side is sure to take the right one; otherwise, a judge could
# believe whatever it says.
TAKES_RIGHT = 0.5
# New quotes of a message that count for a side that speaks alone. A reply has up to five. Most are
# about the question, and a liar finds as many of those.
COUNTED_ALONE = 2
ENOUGH = 3  # messages after which nobody has to quote anything new
MOST_CHANGES = 60  # ways to turn a real quote into an invented one
_STOP = re.compile(r"(?<=[.!?])\s+(?![^<]*</quote>)")  # the end of a sentence, but not in a quote


class PassageSeat(Seat):
    """A seat of a protocol about a text."""

    @property
    def arguments(self) -> Mapping[str, Argument]:
        """What can be said for each answer, by its letter."""
        return arguments(self.view)

    @property
    def reads(self) -> bool:
        """Whether the seat reads the text."""
        return "passage" in self.view.parts

    @property
    def judges(self) -> bool:
        """Whether the seat argues for nothing."""
        return self.view.rules.roles.judges(self.view.agent)

    def _found(self, answers: Sequence[str], passage: Passage | None) -> str | None:
        """Return the answer that the seat takes for the right one, if it has read the text."""
        if passage is None or not self.reads:
            return None
        right = passage.answers[passage.right].text
        if self.lasting.random() < READS[self.level]:
            return right
        return next((text for text in answers if text != right), right)

    @property
    def reading(self) -> str | None:
        """The letter of the answer that a reader takes for the right one."""
        known = {letter: each.text for letter, each in self.arguments.items()}
        found = self._found([*known.values()], passage_of(self.view))
        return next((letter for letter, text in known.items() if text == found), None)

    # -- choices -------------------------------------------------------------------------------

    def wish(self, name: str, options: tuple[Option, ...]) -> Option | None:
        """Return what the seat argues for, what it has read, or what it believes."""
        view = self.view
        sides = [*self.arguments] or [*map(str, view.rules.roles.fixed_sides.values())]
        event = view.rules.roles.estimates.get(name)
        if not self.judges and event is None:
            chosen = view.rules.roles.sides[view.agent].choice == name
            return self._side() if chosen else super().wish(name, options)
        if self.judges and {*sides} <= {*options} and self.reading in options:
            return self.reading
        if len(sides) < 2:
            return None
        belief = self.belief(sides)
        if {*sides} <= {*options}:
            return max(sides, key=lambda side: belief[side])
        go_on = view.rules.roles.go_on.get(name)
        if go_on in options and len(options) == 2:
            (stop,) = (option for option in options if option != go_on)
            return stop if max(belief.values()) * 100 >= self.judge.sure else go_on
        if len(options) > 3:
            # Without another event, a number is the probability of the first answer.
            about = str(event.option) if event is not None else ""
            about = about if about in belief else sides[0]
            return nearest(options, 100 * belief[about])
        if {"ask_both"} <= {*options}:
            return "ask_both"
        return None

    def _side(self) -> str | None:
        """Return the answer to argue for: usually the right one, which is easier to defend."""
        right = [letter for letter, each in self.arguments.items() if each.bears_out]
        return right[0] if right and self.lasting.random() < TAKES_RIGHT else None

    def belief(self, sides: Sequence[str]) -> dict[str, float]:
        """Return how likely each side seems, from the quotes and messages that speak for it.

        True answers have more sentences on their side than false ones, so that somebody who soon
        has none left is doubted, even if nobody answers.
        """
        view, judge = self.view, self.judge
        weight = {side: self.lasting.uniform(-1, 1) * judge.leaning for side in sides}
        spoke = Counter[str]()
        seen: set[str] = set()
        # Of each message: its side, and how many of its new quotes are in the text.
        brought: list[tuple[str, int]] = []
        for message, quotes in self.heard():
            speaks = view.rules.roles.sides.get(message.sender or "")
            side = None if speaks is None else speaks.option_with(view.rules, view.known)
            if side is None and message.sender != view.agent:
                side = self._named(message.text)
                weight.update({side: weight[side] + NAMED} if side in weight else {})
                continue
            if side not in weight:
                continue
            side = str(side)
            spoke[side] += 1
            weight[side] += judge.said
            marked = quotes or [Quote(text, found=True) for text in _IN_MARKS.findall(message.text)]
            new = {quote.text: quote.found for quote in marked if quote.text not in seen}
            seen.update(new)
            found = sum(new.values())
            weight[side] += judge.not_found * (len(new) - found)
            brought.append((side, found))
        # Two sides are compared with each other. One alone is compared with what is expected.
        most = COUNTED_ALONE if len(spoke) == 1 else math.inf
        for side, found in brought:
            weight[side] += judge.found * min(found, most)
        for side, times in spoke.items():
            weight[side] -= judge.found * min(times, ENOUGH) * judge.expects
        odds = {side: math.exp(w) for side, w in weight.items()}
        return {side: each / sum(odds.values()) for side, each in odds.items()}

    def _named(self, text: str) -> str | None:
        """Return the answer that a message gives for right."""
        if (found := _NAMES.search(text)) is not None:
            return found[1]
        told = [letter for letter, each in self.arguments.items() if f"Yes: {each.text}" in text]
        return told[0] if told else None

    # -- words ---------------------------------------------------------------------------------

    def say(self, channel: str, made: Mapping[str, Option]) -> str:
        """Return an argument, an answer, or a question."""
        text = self._said(channel, made)
        if not any(part.quotable for part in self.view.rules.parts):
            # The protocol checks no quotes, so they are not marked.
            text = _QUOTE.sub(_in_marks, text)
        return text

    def _said(self, channel: str, made: Mapping[str, Option]) -> str:
        known, view = self.arguments, self.view
        if not self.judges:
            # A seat that has not read the text argues only for a side that the rules give it.
            side = next((o for o in (view.argues, *made.values()) if o in known), None)
            return (
                self._speech(known[str(side)]) if side is not None else super().say(channel, made)
            )
        if not self.reads:
            return self._question(channel)
        if not known:
            return self._answer(channel)
        letter = next((str(o) for o in made.values() if o in known), self.reading)
        if letter is None:
            return self._answer(channel)
        argument = known[letter]
        said = self.texts(view.agent)
        quote = closest(self._asked(channel), argument.support or ("",), said)
        shown = f" The text says: {as_quote(quote)}" if quote else ""
        return f"The answer is {letter}: {argument.text.rstrip('.')}.{shown}"

    def _asked(self, channel: str) -> str:
        """Return the last message of somebody else on a channel."""
        others = [
            m.text for m, _ in self.heard() if m.sender != self.view.agent and m.channel == channel
        ]
        return others[-1] if others else self.view.parts.get("question", "")

    def _question(self, channel: str) -> str:
        """Return the next question of a seat that has not read the text.

        Of somebody who knows nothing but the sub-question, it asks whether an answer is right.
        """
        asked, known = len(self.texts(self.view.agent)), self.arguments
        channels = self.view.legal.channels
        if len(channels) > 1 and known:
            each = [*known.values()][channels.index(channel) % len(known)]
            question = self.view.parts["question"]
            return f"Somebody asks: {question} Is this the answer: “{each.text.rstrip('.')}”?"
        if not any(part.quotable for part in self.view.rules.parts):
            return (*QUESTIONS[1:], "Why should one believe that?")[asked % 3]
        return QUESTIONS[asked % len(QUESTIONS)]

    def _answer(self, channel: str) -> str:
        """Answer somebody's own question by the text alone."""
        asked, text = self._asked(channel), self.view.parts["passage"]
        passage = next((each for each in passages() if each.text == text), None)
        for answer in passage.answers if passage is not None else ():
            if answer.text.rstrip(".") in asked:
                right = self._found([a.text for a in passage.answers], passage) if passage else None
                word = "Yes" if right == answer.text else "No"
                quote = closest(asked, answer.support or ("",), [])
                return f"{word}: {answer.text} {as_quote(quote) if quote else ''}".strip()
        found = closest(asked, [*quotable(text)], self.texts(self.view.agent))
        return f"The text says: {as_quote(found)}"

    def _speech(self, argument: Argument) -> str:
        """Return a message for a side: first its own arguments, then replies to the others."""
        view, messages = self.view, [*self.heard()]
        mine = [number for number, (m, _) in enumerate(messages) if m.sender == view.agent]
        since = messages[mine[-1] + 1 :] if mine else messages
        said = self.texts(view.agent)
        judges = view.rules.roles.judges
        asked = [m.text for m, _ in since if m.sender is not None and judges(m.sender)]
        parts = [_not_found(view, since)]
        told = " ".join(said)
        if not mine:
            parts.append(argument.argument)
        elif asked and argument.support:
            noted, options = self._noted(asked[-1], argument, told)
            parts += [noted] if noted else self._replies(asked[-1], argument, said)
            if options:
                parts.append(voices()[0].say("general.ask_back", options=" Or: ".join(options)))
        else:
            new, fresh = _left(argument, told)
            parts += [*new, *fresh[:2]] or [NOTHING]
        text = " ".join(filter(None, parts))
        if argument.bears_out is False:
            text = self._embroidered(text, "\n".join(view.parts.values()))
        return text

    def _noted(self, asked: str, argument: Argument, told: str) -> tuple[str, list[str]]:
        """Return what was prepared for a question, or else the prepared ones that may be meant."""
        passage = passage_of(self.view)
        # What scripted judges ask is about all of the text, and gets the best quotes.
        of_all = asked in QUESTIONS
        if passage is None or of_all or any(each in asked for each in quotable(passage.text)):
            # Whoever quotes a sentence wants to hear about that one.
            return "", []
        place = [answer.text for answer in passage.answers].index(argument.text)
        said = {note.asks[0]: marked(note.answers[place]) for note in passage.notes}
        known = tuple(ask for ask, text in said.items() if text and text not in told)
        near = nearest_asks(asked, prepared(passage.slug, known))
        if near and near[0].likely:
            others = [] if near[0].sure else near[1:3]
            return said[near[0].ask], [each.ask for each in others if each.offered]
        return "", [each.ask for each in near[:3] if each.offered]

    def _replies(self, asked: str, argument: Argument, said: Sequence[str]) -> list[str]:
        """Return what there is on a question, and sentences that were not quoted yet."""
        reply = self._reply(asked, argument, said)
        new, fresh = _left(argument, " ".join(said))
        # Where the question is about nothing in particular, there is room for what is left.
        left = [*new, *fresh] if reply.startswith((DECIDES, NOTHING_ON_THAT)) else fresh
        return [reply, *[each for each in left if each not in reply][:2]]

    def _reply(self, asked: str, argument: Argument, said: Sequence[str]) -> str:
        """Return what its argument and the text have about a question, if anything."""
        own = nearest_parts(asked, _STOP.split(f"{argument.argument} {argument.against}"))[:1]
        text = self.view.parts.get("passage", "")
        read = [
            each
            for each in told_of(asked, [*quotable(text)])
            if _bare(each) not in _bare("".join(own))
        ]
        shown = f"The text says: {' '.join(map(as_quote, read))}" if read else ""
        told = " ".join(said)
        fresh = next((each for each in argument.support if each not in told), argument.support[0])
        if not own and ASKS_AGAINST.search(asked):
            others = [each for each in self.arguments.values() if each.text != argument.text]
            against = [each.support[0] for each in others if each.support][:1]
            if against and argument.against:
                return f"{AGAINST} {as_quote(against[0])} {argument.against}"
        if HOW_SURE.search(asked) or (not own and not shown):
            begins = DECIDES if ASKS_WHY.search(asked) else NOTHING_ON_THAT
            return f"{begins} {as_quote(fresh)}"
        decides = f"{DECIDES} {as_quote(fresh)}" if not own and fresh not in read else ""
        return " ".join(filter(None, (*own, shown, decides)))

    def _embroidered(self, text: str, read: str) -> str:
        """Return a text with some of its quotes turned into invented ones."""

        def change(quote: re.Match[str]) -> str:
            if self.rng.random() >= INVENTED[self.level]:
                return quote[0]
            return as_quote(changed(quote[1], read, self.rng.randrange(MOST_CHANGES)))

        # Further quotes, which only a reply has, are read out as they stand.
        return _QUOTE.sub(change, text, count=EMBROIDERED)


def _left(argument: Argument, told: str) -> tuple[list[str], list[str]]:
    """Return what was not told yet: the case against the other answer, and sentences."""
    fresh = [as_quote(each) for each in argument.support if each not in told]
    return [argument.against] * (argument.against not in told), fresh


def _not_found(view: View, since: Sequence[tuple[SeenMessage, tuple[Quote, ...]]]) -> str:
    """Return a sentence on another seat's first quote that is not in the text, if there is one."""
    for message, quotes in since:
        wrong = [quote.text for quote in quotes if not quote.found]
        if wrong and message.sender != view.agent:
            return "Note that what was quoted there is not in the text."
    return ""


def closest(question: str, support: Sequence[str], said: Sequence[str]) -> str:
    """Return the sentence that shares most words with a question; of equal ones, a new one."""
    wanted = words_of(question)

    def rank(sentence: str) -> tuple[int, bool]:
        return len(words_of(sentence) & wanted), not any(sentence in text for text in said)

    return max(support, key=rank, default="")


def _bare(text: str) -> str:
    return re.sub(r"<[^>]*>|\W", "", text).lower()


def _in_marks(quote: re.Match[str]) -> str:
    """Return a quote in quotation marks, with single marks for those inside it."""
    return f"“{quote[1].replace('“', '‘').replace('”', '’')}”"

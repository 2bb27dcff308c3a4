"""A variation of an episode for people, as Markdown and plain text, with turns from 1."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from nip_core.displays import capitalized
from nip_core.documents import printable
from nip_core.language import RULES, Value, Wording
from nip_core.play import NO_DECISION, Episode, SeenChoices, View
from nip_core.spec import shown_round
from nip_core.tasks import VERDICTS, task_kind

__all__ = ["to_markdown", "to_plain_text"]

# Follows the name of a person in whose place a bot moved.
BOT = " (a bot in their place)"


def to_plain_text(episode: Episode, agent: str | None = None, node: int | None = None) -> str:
    """Return a variation as a chat log, complete or as one seat saw it.

    Control characters are escaped, since they would affect a terminal.

    Parameters
    ----------
    episode : Episode
    agent : str, optional
        The seat; by default everything is shown.
    node : int, optional
        The end of the variation; by default the present position.
    """
    lines = [_title(episode), ""]
    for number, seen in enumerate(_rounds(episode, agent, node)):
        for sender, channel, text in seen:
            where = f" on {episode.rules.channel_title(channel)}" if channel else ""
            lines.append(f"[{shown_round(number)}] {sender}{where}: {text}")
    lines += ["", *_ending_lines(episode, agent, node)]
    return printable("\n".join(lines).strip()) + "\n"


def to_markdown(episode: Episode, agent: str | None = None, node: int | None = None) -> str:
    """Return a variation as Markdown, complete or as one seat saw it, with quoted texts.

    The complete form contains the recorded origins of moves.

    The parameters are those of :func:`to_plain_text`.
    """
    lines = [f"# {_escape(_title(episode))}", "", *_task_lines(episode, agent, node)]
    for number, seen in enumerate(_rounds(episode, agent, node)):
        lines += [f"## Turn {shown_round(number)}", ""]
        for sender, channel, text in seen:
            where = f" on {_escape(episode.rules.channel_title(channel))}" if channel else ""
            lines += [f"**{_escape(sender)}**{where}", "", *_fenced(text, "text")]
        if agent is None:
            lines += _origins(episode, node, number)
    ending = _ending_lines(episode, agent, node)
    if ending:
        lines += ["## The end", "", *(f"- {_escape(line)}" for line in ending)]
    return printable("\n".join(lines).strip()) + "\n"


def _task_lines(episode: Episode, agent: str | None, node: int | None) -> Iterator[str]:
    """Yield the task's content: the statement, or all parts or those that a seat sees."""
    statement = episode.task.statement
    if statement is not None:
        fence = task_kind(statement.kind).words.fence
        yield from ("## Question", "", *_fenced(statement.question, "text"))
        yield from ("## Solution", "", *_fenced(statement.solution, fence))
        return
    view = None if agent is None else episode.view_for(agent, node)
    parts = episode.setup.task.parts if view is None else view.parts
    words = Wording(episode.rules)
    for name, text in parts.items():
        title = capitalized(episode.rules.title_of(name))
        yield from (f"## {_escape(title)}", "", *_fenced(text, "text"))
    facts = episode.chosen(0) if view is None else view.facts
    for name, option in facts.items():
        yield from (_escape(f"{words.label(name)}: {words.term(option)}"), "")
    for _, _, line in _values(words, episode.changed(0) if view is None else view.values):
        yield from (_escape(line), "")


def _origins(episode: Episode, node: int | None, round_id: int) -> list[str]:
    """Return the origins of a round's moves."""
    lines: list[str] = []
    for agent, origin in episode.origins(episode.path(node)[round_id + 1].id).items():
        if origin.summary:
            whose = _escape(episode.rules.seat_name(agent))
            lines += [f"How {whose}'s came about: {_escape(origin.summary)}", ""]
        for refused in origin.refused:
            lines += [f"Refused, since: {_escape(refused.reason)}", ""]
            lines += _fenced(refused.answer, "text")
        for answered in origin.answered:
            lines += [f"Asked by itself for {_escape(answered.question)}, it answered:", ""]
            lines += _fenced(answered.answer, "text")
        if origin.reasoning:
            lines += ["It had thought:", "", *_fenced(origin.reasoning, "text")]
    return lines


def _title(episode: Episode) -> str:
    return f"{episode.rules.full_name}: {episode.task.title or 'a task'}"


def _rounds(
    episode: Episode, agent: str | None, node: int | None
) -> Iterator[list[tuple[str, str | None, str]]]:
    """Yield each turn's (sender, channel, text), from a seat's view or from all moves.

    A choice is on no channel.
    """
    if agent is not None:
        view = episode.view_for(agent, node)
        for number, seen in enumerate(view.rounds):
            yield list(_seen(view, number, seen))
        return
    stood_in, spec, words = episode.stood_in(node), episode.rules, Wording(episode.rules)
    for number, position in enumerate(episode.path(node)[1:]):
        lines: list[tuple[str, str | None, str]] = []
        chosen = spec.roles.telling(episode.chosen(position.id))
        for sender, move in position.moves.items():
            name = spec.seat_name(sender) + (BOT if (number, sender) in stood_in else "")
            lines += [(name, channel, text) for channel, text in move.messages.items()]
            if move.decision != NO_DECISION and not chosen:
                # An early verdict in an old record, which had no effect.
                lines.append((name, None, f"Decision: {VERDICTS[move.decision]}"))
        for message in () if position.release is None else position.release.messages:
            if message.source:
                copied = f"{spec.seat_name(message.seat)} (copied)"
                lines.append((copied, message.channel, message.text))
        for choice, option in chosen.items():
            by = spec.choice(choice).by
            who = spec.seat_name(by) if by in spec.seat_names else capitalized(by)
            lines.append((who, None, f"{words.label(choice)}: {words.term(option)}"))
        lines += _values(words, episode.changed(position.id))
        yield lines


def _seen(view: View, number: int, seen: SeenChoices) -> Iterator[tuple[str, str | None, str]]:
    def name(agent: str) -> str:
        return view.human_name(agent) + (BOT if (number, agent) in view.stood_in else "")

    for message in seen.messages:
        sender = "somebody" if message.sender is None else name(message.sender)
        yield f"{sender} (copied)" if message.copied else sender, message.channel, message.text
    chosen, words = view.rules.roles.telling(seen.choices), Wording(view.rules)
    for choice, option in chosen.items():
        by = view.rules.choice(choice).by
        who = name(by) if by in view.rules.seat_names else capitalized(by)
        yield who, None, f"{words.label(choice)}: {words.term(option)}"
    yield from _values(words, seen.values)
    written = any(message.sender == view.agent for message in seen.messages)
    if not chosen and seen.own is not None and not written:
        yield name(view.agent), None, seen.own


def _values(words: Wording, values: Mapping[str, Value]) -> list[tuple[str, str | None, str]]:
    """Return the lines that say what the rules have worked out."""
    spec = words.spec
    return [
        (capitalized(RULES), None, f"{capitalized(spec.title_of(name))}: {words.worked_out(value)}")
        for name, value in values.items()
    ]


def _ending_lines(episode: Episode, agent: str | None, node: int | None) -> list[str]:
    # The ending is the same for every seat.
    view = episode.view_for(agent or episode.rules.seat_names[0], node)
    ending = view.ending
    if ending is None:
        return []
    words = Wording(view.rules)
    lines = [f"Verdict: {'none' if ending.verdict is None else words.term(ending.verdict)}"]
    if view.truth is not None:
        lines.append(f"Truth: {words.term(view.truth)}")
    if ending.explanation:
        lines.append(f"Why: {ending.explanation}")
    for what, by in ending.on_the_word_of.items():
        lines.append(f"Taken as true, {what}: as {words.seat(by)} says")
    totals = ending.totals.items()
    return [*lines, *(f"Reward of {words.seat(name)}: {total:g}" for name, total in totals)]


def _fenced(text: str, language: str) -> list[str]:
    """Return a code block that its text cannot close."""
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [f"{fence}{language}", text.rstrip("\n"), fence, ""]


def _escape(text: str) -> str:
    return re.sub(r"([\\`*_{}\[\]<>()#!|&])", r"\\\1", " ".join(text.split()))

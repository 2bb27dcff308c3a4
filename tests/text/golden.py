"""The measured data, and the reference's rules in a few lines, to classify rows by their inputs."""

import gzip
import json
import random
from functools import cache
from pathlib import Path
from typing import Any

import nip_core.code_validation as cv
from nip_core import ExperimentSettings, HyperParameters, build_protocol_handler
from nip_core.errors import InvalidResponseError, RoundError

FOLDER = Path(__file__).parents[1] / "golden"
PROTOCOLS = ("nip", "adp", "debate", "merlin_arthur", "mnip", "solo_verifier")


@cache
def load(name: str) -> Any:
    raw = (FOLDER / name).read_bytes()
    return json.loads(gzip.decompress(raw) if name.endswith(".gz") else raw)


def make(protocol: str, params: Any = None) -> cv.CodeValidationProtocolHandler:
    """Return the handler of a golden row."""
    groups = {
        "protocol_common" if key == "common" else f"{key}_protocol": dict(values)
        for key, values in (params or {}).items()
    }
    parameters = HyperParameters("code_validation", interaction_protocol=protocol, **groups)
    return cv.text_layer(build_protocol_handler(parameters, ExperimentSettings()))


# -- what the reference does with a completion ------------------------------------------------


def reference_decision(text: str) -> int | str:
    low = text.lower()
    if "decision: accept" in low:
        return 1
    if "decision: reject" in low:
        return 0
    return "InvalidDecisionError" if "decision:" in low else 2


def reference_parse(
    text: str, active: list[str], channels: list[str], headers: dict[str, str] | None
) -> dict[str, Any]:
    decision = reference_decision(text)
    if isinstance(decision, str):
        return {"error": decision}
    if decision != 2:
        return {"d": decision}
    if not active:
        return {"error": "ValueError"}
    if len(active) == 1:
        return {"d": 2, "m": [text if c in active else None for c in channels]}
    return cut(text, text.lower(), {c: headers[c].lower() for c in active}, channels)


def cut(text: str, low: str, headers: dict[str, str], channels: list[str]) -> dict[str, Any]:
    starts = {c: low.find(header) for c, header in headers.items()}
    if min(starts.values()) < 0:
        return {"error": "NotAllActiveChannelsInResponseError"}
    parts = dict.fromkeys(channels)
    for channel, start in starts.items():
        end = min((s for s in starts.values() if s > start), default=None)
        parts[channel] = text[start:end].strip()
    return {"d": 2, "m": list(parts.values())}


# -- what ours should do, written independently ------------------------------------------------

_WORD = "abcdefghijklmnopqrstuvwxyz0123456789"
_GAP = " \t\n\r\x0b\x0c*_"


def our_decision(text: str) -> int | str:
    """D12, character by character."""
    low = "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in text)
    announced, words = False, set()
    for at in range(len(low)):
        if not low.startswith("decision", at) or (at and low[at - 1] in _WORD):
            continue
        rest = low[at + len("decision") :].lstrip(_GAP)
        if not rest.startswith(":"):
            continue
        announced = True
        rest = rest[1:].lstrip(_GAP)
        for word, value in (("accepted", 1), ("accept", 1), ("rejected", 0), ("reject", 0)):
            after = rest[len(word) : len(word) + 1]
            if rest.startswith(word) and (not after or after not in _WORD):
                words.add(value)
    if len(words) == 1:
        return words.pop()
    return "InvalidDecisionError" if announced else 2


def our_parse(
    text: str,
    active: list[str],
    channels: list[str],
    headers: dict[str, str] | None,
    *,
    decides: bool,
) -> dict[str, Any]:
    if not active:
        return {"error": "ValueError"}
    decision = our_decision(text) if decides else 2
    if isinstance(decision, str):
        return {"error": decision}
    if decision != 2:
        return {"d": decision}
    if len(active) == 1:
        return {"d": 2, "m": [text if c in active else None for c in channels]}
    # D14: a lower case that leaves every character in its place.
    low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    return cut(text, low, {c: headers[c].lower() for c in active}, channels)


# -- what our code does ------------------------------------------------------------------------


def result_of(handler, text, agent, round_id):
    try:
        messages, decision = handler.parse_chat_completion(text, agent, round_id)
    except RoundError:
        return {"error": "RoundError"}
    except InvalidResponseError as error:
        kept = error.response_text == text
        return {"error": type(error).__name__ if kept else "another text"}
    except ValueError:
        return {"error": "ValueError"}
    if messages is None:
        return {"d": decision}
    assert list(messages) == handler.message_channel_names
    return {"d": decision, "m": [messages[c] for c in handler.message_channel_names]}


# -- conversations -----------------------------------------------------------------------------


def conversation(
    case: dict[str, Any], handler: cv.CodeValidationProtocolHandler, *, ours: bool, flip: bool
) -> list[dict[str, Any]]:
    """Return a conversation by chat_history_spec.md, with or without D16 and D17."""
    agents, channels = handler.agent_names, handler.message_channel_names
    me, seed = case["agent"], case["seed"]
    specs, last_round = handler.agent_specs, handler.max_message_rounds - 1
    rows = list(
        zip(
            case["message_history"],
            case["message_agent_id"],
            case["raw_message_history"],
            strict=True,
        )
    )
    reminded, now = last_round, len(rows)
    if ours:
        turns = [
            r
            for r in range(last_round + 1)
            if any(handler.spec.active_probability(me, r, c) == 1 for c in channels)
        ]
        reminded = turns[-1] if turns else None
        empty = [r for r, (m, _, raw) in enumerate(rows) if not any(x is not None for x in m + raw)]
        now = empty[0] if empty else len(rows)
    chat = [{"role": "system", "content": "<SYSTEM>"}]
    for r, (messages, senders, raw) in enumerate(rows):
        before = len(chat)
        if specs[me].last_round_system_message and r == reminded and (not ours or r <= now):
            chat.append({"role": "system", "content": "<LAST_ROUND>"})
        if ours and r >= now:
            continue
        own = raw[agents.index(me)]
        if own is not None:
            chat.append({"role": "assistant", "content": own})
        order = specs[me].channel_order or channels
        if not isinstance(order[0], str):
            base = sorted(order[0], reverse=flip)
            order = random.Random(seed + r).sample(base, len(base))
        for channel in order:
            c = channels.index(channel)
            if not handler.can_agent_see_channel(me, channel) or messages[c] is None:
                continue
            if senders[c] == -1:
                raise ValueError(f"Agent ID is -1 in round {r}")
            sender = agents[senders[c]]
            if sender == me:
                continue
            message = {"role": "user", "content": messages[c]}
            if not specs[sender].anonymous:
                message["name"] = specs[sender].human_name
            chat.append(message)
        if not ours and len(chat) == before:
            break
    return chat

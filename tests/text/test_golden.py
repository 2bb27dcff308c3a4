"""Tests of chat.py.

The measured behaviour of the reference, replayed; inputs show which rows may differ.

Every row is compared with an independent expectation, and the rows that differ from the reference
must be those whose inputs show a listed difference.
"""

from collections import Counter

import pytest

import nip_core.code_validation as cv
from nip_core.errors import AgentNotActiveInChannelError
from tests.depth import each
from tests.text.golden import (
    conversation,
    load,
    make,
    our_decision,
    our_parse,
    reference_decision,
    reference_parse,
    result_of,
)

# -- agents.json -------------------------------------------------------------------------------


def record_handler(record):
    two = {"randomize_channel_order": bool(record["randomize_channel_order"])}
    return make(record["protocol"], {"debate": two, "mnip": two})


RECORDS = load("agents.json")["records"]


@each("record", RECORDS)
def test_agent_specs(record):
    handler = record_handler(record)
    assert handler.message_channel_names == record["channels"]
    assert handler.prover_stance_can_be_randomized == bool(
        record["prover_stance_can_be_randomized"]
    )
    assert list(handler.empty_channel_message.items()) == [
        tuple(pair) for pair in record["empty_channel_message"]
    ]
    assert list(handler.agent_specs) == record["spec_key_order"]
    assert set(handler.agent_specs) == set(record["agents"])
    for name, golden in record["agents"].items():
        spec = handler.agent_specs[name]
        order = golden["channel_order"]
        if order is not None:
            order = [item if isinstance(item, str) else set(item["set"]) for item in order]
        expected = cv.CodeValidationAgentSpec(
            human_name=golden["human_name"],
            response_channel_headers=golden["response_channel_headers"],
            channel_order=order,
            anonymous=bool(golden["anonymous"]),
            # The text is ours; the reference has one too.
            last_round_system_message=spec.last_round_system_message,
            use_raw_message_for_self_prompt=bool(golden["use_raw_message_for_self_prompt"]),
            default_stance=golden["default_stance"],
        )
        assert spec == expected
        assert (spec.last_round_system_message is None) == (
            golden["last_round_system_message"] is None
        )


@each("record", RECORDS)
def test_channel_orders_but_for_the_hash_seed(record):
    handler = record_handler(record)
    for name, golden in record["agents"].items():
        ours = [handler.get_agent_ordered_channels(name, seed) for seed in range(21)]
        # D10: the reference's order depends on the process; ours is always one of the two.
        assert ours in (
            golden["channel_order_exact"],
            golden["channel_order_exact_other_hash_seed"],
        )
        assert list(map(sorted, ours)) == golden["channel_order_multiset"]


@each("record", RECORDS)
def test_template_variables(record):
    handler = record_handler(record)
    for name, golden in record["agents"].items():
        assert sorted(handler.check_prompt_template(name)) == golden["template_variables"]


@each("record", RECORDS)
def test_stance_words(record):
    for randomize in (False, True):
        handler = make(record["protocol"], {"common": {"randomize_prover_stance": randomize}})
        for name, golden in record["agents"].items():
            for drawn in (0, 1, None):
                variables = handler.system_prompt_variables(
                    name, question="", solution="", prover_stance=drawn
                )
                key = f"randomize={int(randomize)},drawn={'missing' if drawn is None else drawn}"
                assert variables["agent_stance_string"] == golden["stance_word"][key]


def test_max_questions():
    table = load("agents.json")["max_questions_variable"]
    different = 0
    for protocol, verifier_first, sequential, rounds, reference in table["rows"]:
        own = {"max_message_rounds": rounds}
        two = own | {"sequential": bool(sequential)}
        handler = make(
            protocol,
            {
                "common": {"verifier_first": bool(verifier_first)},
                **({"nip": own} if protocol == "nip" else {}),
                **({protocol: two} if protocol in ("debate", "mnip") else {}),
            },
        )
        turns = sum(
            handler.spec.may_decide(round_id) for round_id in range(handler.max_message_rounds)
        )
        assert handler.max_questions == max(turns - 1, 0)
        if handler.max_questions != reference:
            # D8: the reference assumes that two alternate, and -1 questions are impossible.
            if not sequential:
                assert reference == -1
            different += 1
    assert different


# -- parse_shared ------------------------------------------------------------------------------


def test_parse_shared():
    data = load("parse_shared.json.gz")
    handlers = [make(config["protocol"], config["params"]) for config in data["configs"]]
    # Targets of one kind behave alike, so the rules are computed once for a text and a kind; then
    # all targets of the kind are compared, row by row.
    facts = []
    for config, agent, round_id in data["targets"]:
        handler = handlers[config]
        outside = round_id >= handler.max_message_rounds
        active = [
            c
            for c in handler.message_channel_names
            if not outside and handler.can_agent_be_active(agent, round_id, c)
        ]
        headers = handler.agent_specs[agent].response_channel_headers
        facts.append((outside, tuple(active), tuple(handler.message_channel_names), headers, agent))
    found, rows = Counter(), 0
    for case in data["cases"]:
        text, known = case["text"], {}
        reference_says, ours_says = reference_decision(text), our_decision(text)
        for (config, agent, round_id), (outside, active, channels, headers, _), at in zip(
            data["targets"], facts, case["idx"], strict=True
        ):
            rows += 1
            golden = {k: v for k, v in case["results"][at].items() if k != "message"}
            ours = result_of(handlers[config], text, agent, round_id)
            if outside:
                assert ours == {"error": "RoundError"}
                found["D11/D21"] += 1
                continue
            decides = agent == "verifier"
            key = (active, channels, decides)
            if key not in known:
                known[key] = (
                    reference_parse(text, list(active), list(channels), headers),
                    our_parse(text, list(active), list(channels), headers, decides=decides),
                )
            model, expected = known[key]
            assert golden == model, (text, agent, round_id)
            assert ours == expected, (text, agent, round_id)
            if ours == golden:
                continue
            if reference_says != 2 and not (decides and active):
                found["D13"] += 1
            elif reference_says != ours_says:
                found["D12"] += 1
            elif "İ" in text and len(active) > 1:
                found["D14"] += 1
            else:
                pytest.fail(f"no listed difference explains {text!r} for {agent} in {round_id}")
    print(rows, found)
    assert rows == 218_000
    assert set(found) == {"D11/D21", "D12", "D13", "D14"}


# -- chat_shared -------------------------------------------------------------------------------


def replay(case, handler):
    options = dict(case["options"])
    arrays = case["message_history"], case["message_agent_id"], case["raw_message_history"]
    try:
        now = cv.current_round(case["message_history"], case["raw_message_history"])
        history = cv.seen_rounds(handler, case["agent"], *(a[:now] for a in arrays))
        chat = handler.chat_messages(
            history, case["agent"], case["seed"], now, system_prompt="<SYSTEM>", **options
        )
    except AgentNotActiveInChannelError as error:
        return type(error).__name__ + error.response_text
    except ValueError:
        return "ValueError"
    reminder = handler.agent_specs[case["agent"]].last_round_system_message
    return [
        m | {"content": "<LAST_ROUND>"} if m == {"role": "system", "content": reminder} else m
        for m in chat
    ]


def with_options(case, build):
    options = case["options"]
    if options.get("replace_last_message_with_true_label") and (
        "y" not in options
        or not options.get("ensure_last_message_is_assistant")
        or case["agent"] != "verifier"
    ):
        return "ValueError"
    try:
        chat = build()
    except ValueError:
        return "ValueError"
    if options.get("ensure_last_message_is_assistant"):
        while chat and chat[-1]["role"] != "assistant":
            chat.pop()
        if not chat:
            return "AgentNotActiveInChannelError"
    if options.get("replace_last_message_with_true_label"):
        chat[-1]["content"] = "Decision: reject" if options["y"] == 0 else "Decision: accept"
    return chat


def test_chat_shared():
    found, same = Counter(), 0
    for case in load("chat_shared.json.gz")["cases"]:
        handler = make(case["protocol"], case["params"])
        rows = handler.max_message_rounds
        golden = case["exception"]["error"] if "exception" in case else case["out"]
        other = case.get("out_other_hash_seed", golden)
        ours = replay(case, handler)
        if case["protocol"] == "solo_verifier":
            # D21: the second of the reference's two rounds is not in the episode.
            assert len(case["message_history"]) == 2
        else:
            assert len(case["message_history"]) == rows
            by_reference = with_options(
                case,
                lambda: conversation(case, handler, ours=False, flip=False),  # noqa: B023
            )
            flipped = with_options(
                case,
                lambda: conversation(case, handler, ours=False, flip=True),  # noqa: B023
            )
            assert golden == by_reference
            assert other == flipped
        cut = {
            key: value[:rows]
            if isinstance(value, list) and key.endswith(("history", "id"))
            else value
            for key, value in case.items()
        }
        expected = with_options(
            cut,
            lambda: conversation(cut, handler, ours=True, flip=False),  # noqa: B023
        )
        assert ours == expected, case
        if ours == golden:
            same += 1
            continue
        found[_why(case, handler)] += 1
    print(same, found)
    assert same + sum(found.values()) == 800
    assert found["D16"]
    assert found["D17"]


def _why(case, handler):
    """Return the listed difference that the inputs of a case show."""
    if case["protocol"] == "solo_verifier":
        return "D21"
    agents, channels = handler.agent_names, handler.message_channel_names
    visible = [i for i, c in enumerate(channels) if handler.can_agent_see_channel(case["agent"], c)]
    me = agents.index(case["agent"])
    silent = [
        r
        for r, (messages, senders, raw) in enumerate(
            zip(
                case["message_history"],
                case["message_agent_id"],
                case["raw_message_history"],
                strict=True,
            )
        )
        if raw[me] is None and all(messages[i] is None or senders[i] == me for i in visible)
    ]
    now = cv.current_round(case["message_history"], case["raw_message_history"])
    if any(r < now for r in silent):
        return "D16"
    last = handler.max_message_rounds - 1
    reminder = handler.agent_specs[case["agent"]].last_round_system_message
    if reminder and not any(handler.is_agent_active(case["agent"], last, c) for c in channels):
        return "D17"
    raise AssertionError(case)

"""Parts of pages that run by themselves, as a browser is sent them."""

from __future__ import annotations


def neighbours_of_parts(page):
    """What stands beside a part in the same place, where it may be overwritten."""
    parts = {}
    for message in page.messages:
        if message.WhichOneof("type") == "new_session" and not message.metadata.run.fragment_ids:
            parts.clear()
        elif message.WhichOneof("type") == "delta":
            parts[tuple(message.metadata.delta_path)] = message.delta.fragment_id
    assert any(parts.values())
    return [
        (path, other)
        for path, part in parts.items()
        if part and parts.get(path[:-1]) != part
        for other in parts
        if other[:-1] == path[:-1] and other != path
    ]


def test_a_part_stands_alone(frames):
    page = frames.open("play", protocol="mnip", sits__prover0="friend")
    page.forget()
    page.click("Begin")
    assert neighbours_of_parts(page) == []
    page.click("I am Verifier, and I am here")
    page.act(messages={"prover0_channel": "Why?", "prover1_channel": "Why?"})
    assert neighbours_of_parts(page) == []
    assert "Hand over to Prover 1" in page.texts("heading")
    assert neighbours_of_parts(frames.open("schedule")) == []

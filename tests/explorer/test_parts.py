"""Parts of pages that rerun by themselves, as a browser is sent them."""


def neighbours_of_parts(page):
    """Return the elements in the same container as a part, which it may overwrite."""
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


def test_a_part_has_a_container_of_its_own(frames):
    assert neighbours_of_parts(frames.open("protocols", protocol="mnip")) == []

"""Parameters survive the way through an address, and other texts in it do no harm."""

from hypothesis import given
from hypothesis import strategies as st

from explorer.address import from_query, to_query
from nip_core import HyperParameters
from tests.strategies import parameters

KEYS = st.sampled_from(
    ["protocol", "protocol_common.verifier_first", "mnip_protocol.max_message_rounds", "x", "a.b"]
)


@given(parameters())
def test_round_trip(chosen):
    again, refused = from_query(to_query(chosen), "nip")
    assert refused == []
    plain = {"scenario", "trainer", "dataset", "message_size", "spg"}
    before, after = chosen.to_dict(), again.to_dict()
    assert {k: v for k, v in before.items() if k not in plain} == {
        k: v for k, v in after.items() if k not in plain
    }


@given(st.dictionaries(KEYS, st.text(max_size=12) | st.just("[" * 200)))
def test_any_address_gives_parameters(query):
    chosen, refused = from_query(query, "mnip")
    assert isinstance(chosen, HyperParameters)
    assert set(refused) <= set(query)


def test_unusable_keys_are_reported():
    chosen, refused = from_query(
        {
            "protocol": "mnip",
            "mnip_protocol.max_message_rounds": "0",
            "mnip_protocol.sequential": "true",
            "protocol_common.force_guess": '"perhaps"',
        },
        "nip",
    )
    assert chosen.mnip_protocol.sequential is True
    assert chosen.mnip_protocol.max_message_rounds == 8
    assert refused == ["protocol_common.force_guess", "mnip_protocol.max_message_rounds"]
    assert from_query({"protocol": "poker"}, "nip")[1] == ["protocol"]

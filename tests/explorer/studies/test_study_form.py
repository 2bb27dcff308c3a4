"""The form of a study offers every protocol that can be played on the chosen tasks."""

import pytest

from explorer.studies import SOURCES, StudyError, Wanted, points, protocols_on, study_text
from explorer.studies.reading import read_study
from explorer.studies.study_form import strategies_in
from nip_core import protocol_infos, published_names
from tests.depth import each


@each("source", SOURCES)
def test_each_protocol_of_the_form_can_be_studied(source, tmp_path):
    for protocol in protocols_on(source):
        verifiers = [*strategies_in(protocol)][:2]
        wanted = Wanted(source=source, protocols=[protocol], verifiers=verifiers, problems=1)
        study = read_study(study_text(wanted), tmp_path)
        assert {condition.protocol.name for condition in study.conditions} == {protocol}
        assert len(points(study)) >= len(study.conditions) >= max(1, len(verifiers)), protocol


def test_the_form_offers_every_protocol():
    offered = {name for source in SOURCES for name in protocols_on(source)}
    in_rounds = {info.name for info in protocol_infos() if not info.for_developers}
    assert offered == in_rounds | {*published_names()}


def test_verifiers_play_where_they_know_how_to_judge(tmp_path):
    protocols, verifiers = ["nip", "khan_debate"], ["tester", "careful"]
    wanted = Wanted(source="passages", protocols=protocols, verifiers=verifiers, problems=1)
    study = read_study(study_text(wanted), tmp_path)
    played = [(condition.protocol.name, condition.verifier) for condition in study.conditions]
    assert played == [("nip", "tester"), ("nip", "careful"), ("khan_debate", "careful")]


def test_the_form_says_which_verifier_is_missing():
    wanted = Wanted(source="passages", protocols=["nip", "khan_debate"], verifiers=["tester"])
    with pytest.raises(StudyError, match=r"can play in Debate .*: add Gullible, Careful or"):
        study_text(wanted)
    with pytest.raises(StudyError, match="Choose one protocol"):
        study_text(Wanted(source="prepared", protocols=["legible_prover", "trusted_monitor"]))

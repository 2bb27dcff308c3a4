"""The view of a study that predicts its results, without a browser."""

from types import SimpleNamespace
from unittest.mock import patch

from streamlit.testing.v1 import AppTest

from explorer.studies import Record, read_study, run_study
from explorer.ui.studies import prediction
from tests.explorer.studies.test_predictions import DEBATE, STUDY
from tests.explorer.studies.test_record import Here


def shown(folder):
    from explorer.studies import Record
    from explorer.studies.findings import of_record
    from explorer.ui.studies.prediction import show_prediction

    show_prediction(of_record(Record(folder)))


def texts(app):
    return "\n".join(str(part.value) for part in (*app.markdown, *app.caption, *app.get("html")))


def test_predictions_and_the_card_of_a_condition_stand_beside_what_was_measured(tmp_path):
    folder = tmp_path / "quotes"
    run_study(read_study(STUDY), Record(folder), executor=Here)
    app = AppTest.from_function(shown, args=(str(folder),), default_timeout=600).run()
    assert not app.exception
    page = texts(app) + str(app)
    assert "Predicted right" in page
    assert "no expert has a side" in page
    app.selectbox(key="study-card").select(DEBATE).run()
    assert not app.exception
    assert "12 of 12 messages of experts who argued for what is true" in texts(app) + str(app)
    assert "Judge right if experts are honest" in texts(app) + str(app)


def test_too_many_episodes_are_left_to_the_command():
    said = []
    with patch.multiple(prediction, small=said.append, MOST_READ=1):
        prediction.show_prediction(SimpleNamespace(rows=[1, 2]))
    assert "Predictions need all transcripts" in said[0]

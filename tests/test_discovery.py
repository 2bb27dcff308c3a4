"""Protocols that other packages provide by entry points."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PROTOCOL = """
from nip_core.handler import DeterministicSingleVerifierProtocolHandler
from nip_core.parameters import RoundParameters, register_parameter_group
from nip_core.registry import protocol_names, register_protocol_handler
from nip_core.spec import Agent, Channel, Payoff, ProtocolSpec, Schedule, Turn

protocol_names()  # a file may ask while it is read
register_parameter_group("{name}_protocol", RoundParameters)


@register_protocol_handler("{name}")
class Theirs(DeterministicSingleVerifierProtocolHandler):
    parameter_group = "{name}_protocol"

    @classmethod
    def build_spec(cls, parameters, verifier_name):
        own = getattr(parameters, "{name}_protocol")
        return ProtocolSpec(
            name="{name}",
            agents=(Agent(verifier_name, "verifier"),),
            channels=(Channel("main", (verifier_name,)),),
            schedules=(Schedule(cycle=(Turn.of({{verifier_name: ["main"]}}),)),),
            max_message_rounds=own.max_message_rounds,
            payoff=Payoff.from_parameters(parameters),
        )
"""
GOOD = PROTOCOL.format(name="theirs")


def install(folder: Path, package: str, point: str, source: str) -> None:
    """Write a distribution like an installer: a module and its metadata."""
    (folder / f"{package}.py").write_text(source, encoding="utf-8")
    about = folder / f"{package}-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[nip_core.protocols]\n{point}\n")


def run(folder: Path, code: str) -> tuple[str, str]:
    places = os.pathsep.join([str(ROOT), str(folder)])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": places},
        capture_output=True,
        text=True,
        cwd=folder,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


@pytest.mark.parametrize(
    ("first", "point"),
    [
        ("assert 'theirs' in nip_core.protocol_names()", "their_module:Theirs"),
        ("nip_core.HyperParameters(theirs_protocol={'max_message_rounds': 3})", "their_module"),
        ("nip_core.protocol_class('theirs')", "their_module:Theirs"),
        ("nip_core.build_protocol_handler(p('theirs'))", "their_module"),
    ],
)
def test_a_package_brings_a_protocol(tmp_path, first, point):
    install(tmp_path, "their_module", f"theirs = {point}", GOOD)
    out, warned = run(
        tmp_path,
        "import nip_core\n"
        "p = lambda name, **own: nip_core.HyperParameters(interaction_protocol=name, **own)\n"
        f"{first}\n"
        "own = p('theirs', theirs_protocol={'max_message_rounds': 3})\n"
        "print(nip_core.protocol_spec(own).max_message_rounds)\n"
        "print(own.replace(theirs_protocol={'max_message_rounds': 4}) == own)\n"
        "print(sorted({'nip', 'theirs'} & set(nip_core.protocol_names())))",
    )
    assert out.split("\n")[:3] == ["3", "False", "['nip', 'theirs']"]
    assert warned == ""


BROKEN = {
    "import a_module_that_nobody_has": "ModuleNotFoundError",
    "raise RuntimeError('broken from the start')": "broken from the start",
    PROTOCOL.format(name="nip").replace("nip_protocol", "own_protocol"): (
        "is registered as NipProtocol already"
    ),
    PROTOCOL.format(name="nip"): "nip_protocol",
}


def test_broken_packages_are_reported_and_the_rest_works(tmp_path):
    for number, source in enumerate(BROKEN):
        install(tmp_path, f"broken_{number}", f"broken_{number} = broken_{number}", source)
    install(tmp_path, "their_module", "theirs = their_module", GOOD)
    out, warned = run(
        tmp_path,
        "import nip_core\n"
        "print(nip_core.protocol_names().count('theirs'), nip_core.protocol_names().count('nip'))\n"
        "spec = nip_core.protocol_spec(nip_core.HyperParameters(interaction_protocol='nip'))\n"
        "print(spec.provers)",
    )
    assert out.split("\n")[:2] == ["1 1", "('prover',)"]
    # Each only once, however often names are requested.
    reports = warned.split("RuntimeWarning")[1:]
    assert len(reports) == len(BROKEN)
    for number, says in enumerate(BROKEN.values()):
        (report,) = (each for each in reports if f"'broken_{number}'" in each)
        assert says in report
    assert 'File "<string>", line 2' in warned or "<string>:2:" in warned


def test_our_own_protocols_are_there_without_looking_for_others(tmp_path):
    install(tmp_path, "their_module", "theirs = their_module", GOOD)
    out, _ = run(
        tmp_path,
        "import sys, nip_core\n"
        "own = nip_core.HyperParameters(interaction_protocol='mnip', mnip_protocol={})\n"
        "nip_core.protocol_spec(own)\n"
        "print('importlib.metadata' in sys.modules, 'their_module' in sys.modules)",
    )
    assert out.strip() == "False False"


def test_an_unknown_name_lists_those_of_packages_too(tmp_path):
    install(tmp_path, "their_module", "theirs = their_module", GOOD)
    out, _ = run(
        tmp_path,
        "import nip_core\n"
        "try:\n    nip_core.protocol_class('thiers')\n"
        "except nip_core.errors.UnknownNameError as error:\n    print(error)",
    )
    assert "Did you mean 'theirs'?" in out

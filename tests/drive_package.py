"""What `test_package.py` does with an installed package, in its environment and an empty folder.

    python drive_package.py [hidden]

"hidden" says that torch is.

It imports nothing else of the tests, which are not installed.
"""

import functools
import json
import subprocess
import sys
import urllib.request
from pathlib import Path

import explorer
import nip_core

STUDY = """
format = "nip-study/1"
name = "small"
seed = 1

[[tasks]]
source = "bundled"
problems = 2

[protocols.nip]

[players.careful]
kind = "scripted"
strategy = "careful"

[players.liar]
kind = "scripted"
level = "hard"

[[conditions]]
verifiers = "careful"
provers = "liar"
"""


def command(*arguments: object) -> str:
    """Run the command, and return what it prints."""
    program = Path(sys.executable).with_name("nip-explorer")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


def is_installed() -> None:
    """Both packages come from this environment, and so does the command."""
    for package in (explorer, nip_core):
        assert Path(package.__file__).is_relative_to(sys.prefix), package.__file__
    assert command("--version") == f"nip-explorer {nip_core.__version__}\n"


def pages() -> None:
    """Open every page, three lessons and a room."""
    from streamlit.components.v2 import manifest_scanner
    from streamlit.testing.v1 import AppTest

    from explorer.lessons import lessons
    from explorer.ui.layout import pages_folder

    # For every app, Streamlit would read what all installed packages say of themselves.
    scan = manifest_scanner.scan_component_manifests
    manifest_scanner.scan_component_manifests = functools.cache(scan)
    folder, entry = pages_folder(), Path(explorer.__file__).with_name("app.py")
    named = sorted(page.name for page in folder.glob("*.py"))
    assert len(named) >= 9
    visits = [(name, {}) for name in named]
    visits += [("learn.py", {"lesson": lesson.slug}) for lesson in lessons()[0][:3]]
    visits += [("protocols.py", {"protocol": "mnip"}), ("play.py", {"protocol": "debate"})]
    for name, query in visits:
        app = AppTest.from_file(str(entry), default_timeout=300)
        app.switch_page(str(folder / name))
        for key, value in query.items():
            app.query_params[key] = value
        app.run()
        assert not app.exception, (name, query, [each.message for each in app.exception])


def server() -> None:
    """Start the command, and ask it for a page."""
    program = Path(sys.executable).with_name("nip-explorer")
    started = subprocess.Popen(
        [program, "--port", "0", "--no-browser"], stdout=subprocess.PIPE, text=True
    )
    try:
        address = started.stdout.readline().split(" at ")[1].split()[0]
        with urllib.request.urlopen(f"{address}/healthz", timeout=60) as answer:
            assert json.load(answer)["version"] == nip_core.__version__
        with urllib.request.urlopen(f"{address}/play", timeout=60) as answer:
            assert b'id="root"' in answer.read()
    finally:
        started.terminate()
        started.wait(60)


def game() -> None:
    """Play a game by code, and make a page of it that replays it."""
    from nip_core.transcript import dumps, load, parse_json

    episode = nip_core.Episode("nip", nip_core.bundled_tasks("easy")[0])
    while not episode.over:
        for seat in episode.to_move:
            legal = episode.legal(seat)
            said = dict.fromkeys(legal.channels, "What does it return for the example?")
            verdict = nip_core.Move(seat, decision=1)
            episode.play(verdict if legal.may_decide else nip_core.Move(seat, said))
    Path("game.json").write_text(dumps(episode), "utf-8")
    assert load(parse_json(Path("game.json").read_text("utf-8"))).over
    command("replay", "game.json", "-o", "game.html")
    assert Path("game.html").stat().st_size > 10_000


def study() -> None:
    """Play a small study from a file."""
    Path("small.toml").write_text(STUDY, "utf-8")
    command("study", "small.toml")
    assert "careful" in command("study", "show", "small")
    command("study", "export", "small", "-o", "small.csv")


def pictures() -> None:
    """Draw a protocol in all formats."""
    for ending in ("svg", "tex", "pdf", "png"):
        command("picture", "mnip", "-o", f"mnip.{ending}")
        assert Path(f"mnip.{ending}").stat().st_size > 1_000


def notebook() -> None:
    """Show a protocol at the end of a cell."""
    from explorer.notebook import rewards, show_schedule

    for shown in (show_schedule("debate", "mnip"), rewards(nip_core.protocol("nip", rounds=4))):
        assert shown._repr_mimebundle_()


def values() -> None:
    """Compute what a protocol is worth, and check a protocol of one's own."""
    assert "safe" in command("protocol", "worth", "adp").lower()
    command("protocol", "schema")


def inspect() -> None:
    """Let Inspect's stand-in for a model play."""
    from inspect_ai import eval as evaluate
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def answer(*_: object) -> ModelOutput:
        output = ModelOutput.from_content("mockllm/model", "I accept.\n\ndecision: accept")
        # Else Inspect counts tokens with data from the network.
        output.usage = ModelUsage(input_tokens=10, output_tokens=3, total_tokens=13)
        return output

    model = get_model("mockllm/model", custom_outputs=answer)
    (log,) = evaluate("explorer/nip", model=model, limit=1, display="none")
    assert log.status == "success", log.error


def archive() -> None:
    """Pack what the static site's worker needs."""
    from explorer.site.closure import archive_files

    assert "nip_core/__init__.py" in {str(name) for name in archive_files()}


def tensors() -> None:
    """Step a batch; where torch is hidden, be told what to install."""
    try:
        from nip_core.batches import BatchTable
    except ImportError as error:
        missing = str(error)
    else:
        missing = ""
        assert BatchTable("khan_debate", most=1_000).choices
    assert ("pip install torch" in missing) == ("hidden" in sys.argv), missing


ALL = (
    *(is_installed, pages, server, game, study, pictures, notebook, values, inspect, archive),
    tensors,
)

if __name__ == "__main__":
    for each in ALL:
        each()
        print(each.__name__, flush=True)

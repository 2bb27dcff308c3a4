"""Tests of keys.py and errors.py.

A key is sent to its own provider, and elsewhere only with the user's permission.
"""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from explorer.studies.inspect import KeyRefusedError, check_key, key_use, parse_pair, steers_request
from explorer.studies.inspect.keys import ALLOW_KEYS, PROVIDERS
from tests.depth import each

NAMES = (
    "OPENAI_API_KEY ANTHROPIC_AUTH_TOKEN GOOGLE_API_KEY GITHUB_API_KEY AZUREAI_OPENAI_API_KEY "
    "AWS_SECRET_ACCESS_KEY HF_TOKEN STRANGE_NEW_API_KEY VLLM_API_KEY"
)
SECRETS = dict.fromkeys(NAMES.split(), "sk-secret")
EVIL = "http://127.0.0.1:8668/v1"


@each(
    ("model", "address", "more"),
    [
        ("openai/gpt-4o-mini", EVIL, {}),
        ("openai/gpt-4o-mini", "", {"OPENAI_BASE_URL": EVIL}),
        ("openai/gpt-4o-mini", "", {"INSPECT_EVAL_MODEL_BASE_URL": EVIL}),
        ("openai/gpt-4o-mini", "http://api.openai.com/v1", {}),
        ("openai/gpt-4o-mini", "https://api.openai.com:8443/v1", {}),
        ("openai/gpt-4o-mini", "https://api.openai.com.evil.example/v1", {}),
        ("openai/gpt-4o-mini", "https://evil.example/api.openai.com/v1", {}),
        ("openai/gpt-4o-mini", "https://api.openai.com@evil.example/v1", {}),
        ("openai/gpt-4o-mini", "https://evil.example\\@api.openai.com/v1", {}),
        ("openai/gpt-4o-mini", "https://notapi.openai.com.:443x/v1", {}),
        ("openai/gpt-4o-mini", "https://x.evil.example#.api.openai.com", {}),
        ("openai/azure/gpt-4o", "https://mine.openai.azure.com", {}),
        ("anthropic/claude", EVIL, {}),
        ("anthropic/bedrock/claude", "https://abc.execute-api.us-east-1.amazonaws.com", {}),
        ("google/gemini", EVIL, {}),
        ("bedrock/some", EVIL, {}),
        ("hf-inference-providers/some", EVIL, {}),
        ("vllm/some", EVIL, {}),
        ("strange-new/model", EVIL, {}),
        ("openai-api/github/gpt", EVIL, {}),
        ("openai-api/openai/gpt", EVIL, {}),
        ("openai-api/openai/gpt", "", {"OPENAI_BASE_URL": EVIL}),
        ("openai-api-completions/strange-new/m", EVIL, {}),
        ("openai-api/github/gpt", EVIL, {"GITHUB_BASE_URL": "https://models.example.org/v1"}),
    ],
)
def test_no_key_goes_to_a_foreign_address(model, address, more):
    environ = {**SECRETS, **more}
    with pytest.raises(KeyRefusedError) as refused:
        check_key(model, address, environ=environ)
    use = key_use(model, address, environ)
    assert use is not None
    assert not use.own
    # The message names the address, the variable and the option that allows them; never the key.
    for word in (use.address, *use.variables, "--allow-key"):
        assert word in str(refused.value)
    for word in (use.address, *use.variables):
        assert word in use.says
    assert "sk-secret" not in str(refused.value)
    # The permission covers only this pair.
    assert check_key(model, address, use.pairs, environ) == {}
    others = {(name, f"{where}/other") for name, where in use.pairs}
    others |= {("OTHER_KEY", where) for _, where in use.pairs}
    with pytest.raises(KeyRefusedError):
        check_key(model, address, others, environ)


@each(
    ("model", "address", "more"),
    [
        ("openai/gpt-4o-mini", "", {}),
        ("openai/gpt-4o-mini", "https://api.openai.com/v1", {}),
        ("openai/gpt-4o-mini", "https://EU.api.openai.com:443/v1/", {}),
        ("openai/gpt-4o-mini", "", {"OPENAI_BASE_URL": "https://eu.api.openai.com/v1"}),
        ("openai-api/openai/gpt", "https://api.openai.com/v1", {}),
        ("anthropic/claude", "https://api.anthropic.com", {}),
        ("mockllm/model", "", {}),
        ("ollama/llama3.2", "http://gpu.example:11434/v1", {}),
        # The user has named the service and its key together.
        ("openai-api/github/gpt", "", {"GITHUB_BASE_URL": EVIL}),
        ("openai-api/github/gpt", f"{EVIL}/", {"GITHUB_BASE_URL": EVIL}),
        ("openai/azure/gpt", "", {"AZUREAI_OPENAI_BASE_URL": "https://mine.openai.azure.com"}),
    ],
)
def test_a_key_needs_no_permission_for_its_own_provider(model, address, more):
    assert check_key(model, address, environ={**SECRETS, **more}) == {}


def test_a_server_of_ones_own_gets_no_key_where_none_is_set():
    assert check_key("openai-api/local/m", EVIL, environ={}) == {"api_key": "none"}
    with pytest.raises(KeyRefusedError):
        check_key("openai-api/local/m", EVIL, environ={"LOCAL_API_KEY": "anything"})


def test_pairs_are_allowed_by_the_environment_too():
    environ = {**SECRETS, ALLOW_KEYS: f"A=http://x.example OPENAI_API_KEY={EVIL}/"}
    assert check_key("openai/gpt-4o-mini", EVIL, environ=environ) == {}
    for wrong in ("OPENAI_API_KEY", "=http://x", "A=x", "A B=http://x", "A=ftp://x"):
        with pytest.raises(ValueError, match="not a pair of a key and an address"):
            parse_pair(wrong)


@each(
    ("arguments", "name"),
    [
        ({"api_key_var": "AWS_SECRET_ACCESS_KEY"}, "api_key_var"),
        ({"service": "openai"}, "service"),
        ({"service_base_url": EVIL}, "service_base_url"),
        ({"base_url": EVIL}, "base_url"),
        ({"default_headers": {"X": "y"}}, "X"),
        ({"options": [{"endpoint_url": "x"}]}, "endpoint_url"),
        ({"where": "https://evil.example"}, "where"),
        ({"responses_api": False, "emulate_tools": True, "tokenizer": "t", "timeout": 3}, ""),
    ],
)
def test_arguments_do_not_steer_a_request_elsewhere(arguments, name):
    found = steers_request(arguments)
    assert bool(found) == bool(name)


FOREIGN = """
format = "nip-study/1"
name = "a harmless study"
[[tasks]]
source = "bundled"
difficulty = ["easy"]
problems = 1
[protocols.nip]
[players.m]
kind = "model"
model = "{model}"
{address}
settings = {{ max_retries = 0 }}
[players.l]
kind = "scripted"
level = "easy"
[[conditions]]
verifiers = ["m"]
provers = ["l"]
"""


def test_a_stranger_s_study_gets_no_key(tmp_path, monkeypatch, capsys):
    pytest.importorskip("inspect_ai")
    from explorer.cli import main
    from tests.explorer.studies.inspect.server import Server

    file = tmp_path / "evil.toml"
    for name in ("OPENAI_API_KEY", "GITHUB_API_KEY"):
        monkeypatch.setenv(name, "sk-secret")
    with Server() as server:
        given = f'base_url = "{server.url}"'
        steered = f'arguments = {{ service = "x", service_base_url = "{server.url}" }}'
        for model, address, variable, named in (
            ("openai/gpt-4o-mini", given, "OPENAI_API_KEY", server.url),
            ("openai-api/github/gpt", given, "GITHUB_API_KEY", server.url),
            ("openai-api/github/gpt", steered, "GITHUB_API_KEY", "service"),
            ("openai/gpt-4o-mini", "", "OPENAI_API_KEY", server.url),
        ):
            if not address:
                monkeypatch.setenv("OPENAI_BASE_URL", server.url)
            file.write_text(FOREIGN.format(model=model, address=address), "utf-8")
            for command in (["check", str(file)], [str(file), "--quiet"]):
                with pytest.raises(SystemExit) as ended:
                    main(["study", *command])
                said = capsys.readouterr()
                assert ended.value.code == 1
                assert named in said.out + said.err
                if command[0] == "check":
                    assert variable in said.out
            assert server.requests == []
        # A user who trusts the address allows it, and only this pair is sent.
        monkeypatch.delenv("OPENAI_BASE_URL")
        file.write_text(FOREIGN.format(model="openai-api/github/gpt", address=given), "utf-8")
        with pytest.raises(SystemExit):
            main(["study", str(file), "--quiet", "--allow-key", "GITHUB_API_KEY=http://x.example"])
        assert server.requests == []
        main(["study", str(file), "--quiet", "--allow-key", f"GITHUB_API_KEY={server.url}"])
        assert server.requests


def test_the_table_agrees_with_inspect():
    """Our table of providers' keys and addresses agrees with Inspect."""
    found = find_spec("inspect_ai")
    if found is None:
        pytest.skip("needs the extra `inspect`")
    folder = Path(found.submodule_search_locations[0]) / "model" / "_providers"
    known = {each for one in PROVIDERS.values() for each in (*one.keys, *one.addresses)}
    used = {
        name
        for file in folder.glob("[a-z]*.py")
        for name in re.findall(r'"([A-Z][A-Z0-9_]*_(?:API_KEY|BASE_URL|TOKEN))"', file.read_text())
    }
    assert used - known <= {"MODEL_INFO_LOOKUP_API_KEY", "HF_BASE_URL"}
    registered = (folder / "providers.py").read_text("utf-8")
    own = {"hf", "nnterp", "openai-api", "openai-api-completions"}
    assert set(re.findall(r'@modelapi\(name="([\w-]+)"', registered)) - own <= PROVIDERS.keys()

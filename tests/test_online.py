"""The files for online hosting name existing options, variables, routes and files."""

import json
import re
import subprocess
import tomllib
from pathlib import Path

import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from explorer.cli import make_parser
from explorer.server.connection_limiter import WANTED
from explorer.server.guard import OPEN
from explorer.server.windows import FEED, LEAD
from explorer.storage.engines import data_folder
from explorer.visitors import SIGN_IN_FILE, sign_in_before
from tests.judges import program

ROOT = Path(__file__).parent.parent
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))
WITH_SIGN_IN = yaml.safe_load((ROOT / "deploy" / "sign_in.yaml").read_text("utf-8"))
SERVICES = COMPOSE["services"]
CADDYFILE = ROOT / "deploy" / "Caddyfile"
ONLINE = (ROOT / "docs" / "howto" / "online.md").read_text("utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")


def variables_that_are_read() -> set[str]:
    code = (path.read_text("utf-8") for path in (ROOT / "explorer").rglob("*.py"))
    # uvicorn reads the last one.
    return {name for text in code for name in re.findall(r'"(NIP_\w+)"', text)} | {
        "FORWARDED_ALLOW_IPS"
    }


def test_the_container_keeps_its_episodes_in_a_volume_and_says_how_it_is():
    home = re.findall(r"^WORKDIR (/home/\S+)$", DOCKERFILE, re.MULTILINE)[0]
    where = data_folder("linux", {}).relative_to(Path.home())
    assert f"VOLUME {home}/{where}\n" in DOCKERFILE
    assert f"--volume nip:{home}/{where} " in ONLINE
    (asked,) = re.findall(r"^HEALTHCHECK .*\\\n    CMD (\[.*\])$", DOCKERFILE, re.MULTILINE)
    assert json.loads(asked) == SERVICES["app"]["healthcheck"]["test"][1:]


def test_compose_is_whole():
    app, proxy = SERVICES["app"], SERVICES["proxy"]
    assert set(SERVICES) == {"app", "proxy", "database"}
    # Only the proxy can be reached from outside; the others start once what they need is healthy.
    assert [name for name, each in SERVICES.items() if "ports" in each] == ["proxy"]
    for service, needed in ((proxy, "app"), (app, "database")):
        assert service["depends_on"][needed]["condition"] == "service_healthy"
        assert SERVICES[needed]["healthcheck"]["test"]
    assert "replicas" in app["deploy"]
    for service in SERVICES.values():
        assert set(service.get("secrets", [])) <= COMPOSE["secrets"].keys()
        for volume in service.get("volumes", []):
            source = volume.partition(":")[0]
            there = (ROOT / source).is_file() if source.startswith(".") else False
            assert there or source in COMPOSE["volumes"], volume
    for secret in COMPOSE["secrets"].values():
        assert secret["file"].removeprefix("./") in ONLINE, "how it is made is said"
    assert {"secrets/", ".env"} <= set((ROOT / ".gitignore").read_text("utf-8").split())


def test_containers_are_bounded():
    for name, service in SERVICES.items():
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service["mem_limit"], name
        assert service["pids_limit"] > 100, name
        assert "/tmp" in service["tmpfs"], name
        assert service["logging"]["options"].keys() == {"max-size", "max-file"}, name
        assert service["restart"] == "unless-stopped", name
    assert SERVICES["app"]["ulimits"]["nofile"] >= WANTED
    assert "cap_add" not in SERVICES["app"]
    assert "docker compose config --resolve-image-digests" in ONLINE


def test_signing_in_is_added_to_what_compose_says():
    app = WITH_SIGN_IN["services"]["app"]
    assert app["environment"].keys() <= variables_that_are_read()
    (secret,) = app["secrets"]
    assert app["environment"][SIGN_IN_FILE] == f"/run/secrets/{secret['target']}"
    file = WITH_SIGN_IN["secrets"][secret["source"]]["file"]
    assert file.removeprefix("./") in ONLINE
    assert "COMPOSE_FILE=compose.yaml:deploy/sign_in.yaml" in ONLINE
    assert sign_in_before(app["environment"])
    assert "login" in re.findall(r"'\.\[(.*)\]'", DOCKERFILE)[0].split(",")
    (written,) = re.findall(r"^```toml\n(.*?)^```", ONLINE, re.MULTILINE | re.DOTALL)
    assert tomllib.loads(written)["auth"].keys() == {"redirect_uri", "cookie_secret", "google"}


def test_what_compose_asks_for_is_said():
    text = (ROOT / "compose.yaml").read_text("utf-8")
    for name in set(re.findall(r"\$\{(\w+)", text)):
        assert re.search(rf"\b{name}\b", ONLINE), name


def test_what_is_set_is_read():
    app = SERVICES["app"]
    assert app["environment"].keys() <= variables_that_are_read()
    assert set(re.findall(r"NIP_\w+", ONLINE)) <= variables_that_are_read()
    for value in app["environment"].values():
        if value.startswith("/run/secrets/"):
            assert value.removeprefix("/run/secrets/") in app["secrets"]
    (command,) = re.findall(r'^CMD \["nip-explorer", (.*)\]$', DOCKERFILE, re.MULTILINE)
    chosen = make_parser().parse_args(re.findall(r'"([^"]*)"', command))
    assert (chosen.host, chosen.no_browser) == ("0.0.0.0", True)
    port = f"{chosen.port}"
    assert f"EXPOSE {port}\n" in DOCKERFILE
    assert f"127.0.0.1:{port}/healthz" in app["healthcheck"]["test"][-1]
    assert f" {port}\n" in CADDYFILE.read_text("utf-8")
    for copied in re.findall(r"^COPY (.*) \S+$", DOCKERFILE, re.MULTILINE):
        for name in copied.split():
            assert (ROOT / name).exists()
            assert f"!{name}" in (ROOT / ".dockerignore").read_text("utf-8").split()


def test_the_proxy_knows_how_the_app_is_asked():
    said = CADDYFILE.read_text("utf-8")
    assert set(re.findall(r"\{\$(\w+)\}", said)) == SERVICES["proxy"]["environment"].keys()
    assert SERVICES["proxy"]["environment"]["APP"] == "app"
    # It forwards everything, always to the same process, and logs no addresses.
    assert "lb_policy cookie" in said
    errors, _, site = said.partition("{$SITE}")
    assert not re.search(r"^\s*(log|handle|route|path)\b", site, re.MULTILINE)
    # Errors are always logged.
    for held in ("request>uri", "request>headers"):
        assert f"{held} delete\n" in errors
    for route in (FEED, "/_stcore/stream", "/healthz", LEAD.partition("{")[0]):
        assert f"`{route}`" in ONLINE
    assert "/_stcore/stream" in OPEN


def test_options_that_are_named_are_there():
    known = {option for action in make_parser()._actions for option in action.option_strings}
    ours = "\n".join(re.findall(r"^nip-explorer(?:.*\\\n)*.*$", ONLINE, re.MULTILINE))
    assert set(re.findall(r"(?<=\s)--[\w-]+", ours)) <= known


def test_the_proxy_accepts_its_configuration():
    caddy = program("caddy", "caddy")
    environment = {"SITE": "http://localhost:9000", "APP": "app", "HOME": "/tmp"}
    command = [caddy, "validate", "--config", str(CADDYFILE), "--adapter", "caddyfile"]
    said = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr


def test_the_image_installs_what_the_project_needs_each_file_with_its_hash():
    """`make lock` writes the list; here it is only compared, since that needs the index."""
    text = (ROOT / "deploy" / "requirements.txt").read_text("utf-8")
    locked = {}
    for entry in re.split(r"^(?=\w)", text, flags=re.MULTILINE)[1:]:
        name, version = re.match(r"([\w.-]+)==(\S+)", entry).groups()
        assert "--hash=sha256:" in entry, name
        locked[canonicalize_name(name)] = version
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras = re.search(r"'\.\[([\w,]+)\]'", DOCKERFILE)[1].split(",")
    wanted = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(each for name in extras for each in project["project"]["optional-dependencies"][name]),
    ]
    for requirement in map(Requirement, wanted):
        if requirement.name == "torch":
            pinned = (ROOT / ".ci" / "constraints.txt").read_text("utf-8")
            (torch,) = re.findall(r"^torch==(\S+)$", pinned, re.MULTILINE)
            assert requirement.specifier.contains(torch)
        else:
            found = locked[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(found), (
                f"{requirement}: {found}. Run `make lock`."
            )
    assert "index" not in text
    assert "://" not in text

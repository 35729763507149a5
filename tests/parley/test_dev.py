"""The command for people: what it installs, what it passes on, and what it says when something is missing."""

import ast
import importlib.util
import shutil
import socket
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

from tests.parley.processes import HOME


@pytest.fixture
def dev(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.delenv("PARLEY_PYTHON", raising=False)
    loader = SourceFileLoader("dev", str(HOME / "dev"))
    spec = importlib.util.spec_from_loader("dev", loader)
    assert spec
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    loader.exec_module(module)
    sys.dont_write_bytecode = before
    return module


def test_it_needs_the_standard_library_only() -> None:
    tree = ast.parse((HOME / "dev").read_text())
    nodes = list(ast.walk(tree))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    assert {name.split(".")[0] for name in names} <= set(sys.stdlib_module_names)


def test_older_pythons_can_run_it_to_find_the_right_one() -> None:
    ast.parse((HOME / "dev").read_text(), feature_version=(3, 8))


@pytest.mark.parametrize("name", ["run", "test", "check", "bench", "setup", "lock", "manage", "pythons"])
def test_help_names_every_command(name: str) -> None:
    said = subprocess.run([sys.executable, "dev", "--help"], cwd=HOME, check=False, capture_output=True, text=True)
    assert said.returncode == 0
    assert f"\n    {name} " in said.stdout


def test_arguments_of_test_go_to_pytest_untouched(dev: ModuleType) -> None:
    rest = ["tests/races", "-k", "claim or lease", "-x", "--help", "--", "-n", "2"]
    assert dev.read_arguments(["test", *rest]).rest == rest


def test_a_typing_error_is_answered_with_the_usage(dev: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        dev.read_arguments(["run", "--prot", "80"])
    assert stopped.value.code == 2
    assert "--prot" in capsys.readouterr().err


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny project with the real `dev` in a path with spaces: nothing to install, one command."""
    place = tmp_path_factory.mktemp("dev") / "my parley copy"
    place.mkdir()
    shutil.copy(HOME / "dev", place)
    (place / "requirements.lock").write_text("")
    (place / "manage.py").write_text("import sys; print(sys.prefix, sys.argv[1:])\n")
    said = run_dev(place, "setup")
    assert said.returncode == 0, said.stderr
    assert "Installing the locked packages" in said.stderr
    return place


def run_dev(project: Path, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    more: dict = {"cwd": "/", "timeout": 120} | options
    line = [sys.executable, str(project / "dev"), *arguments]
    return subprocess.run(line, check=False, capture_output=True, text=True, **more)


def test_the_second_setup_does_nothing(project: Path) -> None:
    before = (project / ".venv" / "pyvenv.cfg").stat().st_mtime_ns
    assert run_dev(project, "setup").stderr == "Ready: ./dev run\n"
    assert (project / ".venv" / "pyvenv.cfg").stat().st_mtime_ns == before


def test_a_management_command_runs_in_the_new_environment(project: Path) -> None:
    said = run_dev(project, "manage", "hello", "--there")
    assert said.stdout == f"{project}/.venv ['hello', '--there']\n"


def test_a_changed_lock_is_installed_again(dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dev, "LOCK", tmp_path / "lock")
    (tmp_path / "lock").write_text("a==1\n")
    before = dev.stamp()
    (tmp_path / "lock").write_text("a==2\n")
    assert dev.stamp() != before


def trouble(dev: ModuleType, capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    sys.argv, before = ["dev", *arguments], sys.argv
    try:
        assert dev.main() == 1
    finally:
        sys.argv = before
    return capsys.readouterr().err


# --- which Python ----------------------------------------------------------------------------------
HERE = sys.version_info[:2]


def interpreter(path: Path, answer: str) -> Path:
    """A program that stands in for a Python: it only says its version, as the line of sh that is given."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{answer}\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def machine(dev: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with no Python of the versions 3.97 to 3.99 yet, and with no .venv."""
    monkeypatch.setattr(dev, "SUPPORTED", ((3, 99), (3, 98), (3, 97)))
    monkeypatch.setattr(dev, "home_directory", lambda: tmp_path / "home")
    monkeypatch.setattr(dev, "VENV", tmp_path / "project" / ".venv")
    monkeypatch.setattr(dev, "PYTHON", dev.VENV / "bin" / "python")
    monkeypatch.setattr(dev, "STAMP", dev.VENV / "parley-setup")
    monkeypatch.setenv("PATH", f"{dev.PYTHON.parent}:{tmp_path / 'bin'}")
    return tmp_path


def test_the_newest_python_with_venv_is_taken(dev: ModuleType, machine: Path) -> None:
    interpreter(machine / "bin" / "python3.97", "echo 3 97")
    assert dev.best_python() == machine / "bin" / "python3.97"
    pyenv = interpreter(machine / "home/.pyenv/versions/3.98.0/bin/python3.98", "echo 3 98")
    interpreter(machine / "bin" / "python3.98", "exit 127")  # its shim, which leads nowhere
    interpreter(machine / "bin" / "python3.99", 'case "$*" in *ensurepip*) exit 1; esac; echo 3 99')
    assert list(dev.pythons()) == [((3, 98), pyenv), ((3, 97), machine / "bin" / "python3.97")]
    interpreter(machine / "bin" / "python3.99", "echo 3 99")
    assert dev.best_python() == machine / "bin" / "python3.99"


def test_the_python_of_the_environment_does_not_replace_itself(dev: ModuleType, machine: Path) -> None:
    interpreter(dev.VENV / "bin" / "python3.99", "echo 3 99")
    assert list(dev.pythons()) == []


def test_no_python_is_one_sentence_with_the_way_out(
    dev: ModuleType, machine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = trouble(dev, capsys, "setup")
    assert said.startswith("\nParley needs Python 3.97 to 3.99 with its venv module, and this machine has none: ")
    assert "apt-get install python3-venv" in said
    assert said.count("\n") == 2


def test_an_environment_of_a_supported_python_is_kept_until_the_system_replaces_it(
    dev: ModuleType, machine: Path
) -> None:
    assert not dev.can_keep_environment()
    (dev.VENV / "lib" / "python3.97").mkdir(parents=True)
    interpreter(dev.PYTHON, "echo 3 97")
    interpreter(machine / "bin" / "python3.99", "echo 3 99")
    assert dev.can_keep_environment(), "a newer one is no reason to install all again"
    interpreter(dev.PYTHON, "echo 3 99")
    assert not dev.can_keep_environment(), "its packages are those of another Python"


def test_the_user_can_name_the_python(dev: ModuleType, machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    named = interpreter(machine / "bin" / "python3.97", "echo 3 97")
    interpreter(machine / "bin" / "python3.99", "echo 3 99")
    (dev.VENV / "lib" / "python3.99").mkdir(parents=True)
    interpreter(dev.PYTHON, "echo 3 99")
    for name in ("python3.97", str(named)):
        monkeypatch.setenv("PARLEY_PYTHON", name)
        assert dev.best_python() == named
        assert not dev.can_keep_environment()


def test_a_named_python_that_will_not_do_is_refused(
    dev: ModuleType, machine: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    interpreter(machine / "bin" / "python2", "echo 2 7")
    monkeypatch.setenv("PARLEY_PYTHON", "python2")
    assert "PARLEY_PYTHON=python2 is not a Python 3.97 to 3.99 with its venv" in trouble(dev, capsys, "setup")


def test_a_shim_that_leads_nowhere_is_no_python(dev: ModuleType, tmp_path: Path) -> None:
    assert dev.version_of(interpreter(tmp_path / "python3", "exit 127")) == ()
    assert dev.version_of(tmp_path / "none") == ()
    assert dev.version_of(Path(sys.executable), dev.TO_MAKE_VENV) == HERE


def test_the_project_names_the_same_pythons_as_the_launcher(dev: ModuleType) -> None:
    project = tomllib.loads((HOME / "pyproject.toml").read_text())
    oldest, (major, minor) = min(dev.SUPPORTED), max(dev.SUPPORTED)
    assert project["project"]["requires-python"] == f">={dev.dotted(oldest)},<{major}.{minor + 1}"
    assert project["tool"]["mypy"]["python_version"] == dev.dotted(oldest)
    assert project["tool"]["ruff"]["target-version"] == "py" + "".join(map(str, oldest))


def test_missing_system_packages_without_root_end_with_the_line_to_run(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "setup", lambda: None)
    monkeypatch.setattr(dev, "browser", lambda: "")
    monkeypatch.setattr(dev, "missing_for_pdf", lambda: ["libpango-1.0-0"])
    monkeypatch.setattr(dev, "missing_gettext", lambda: ["gettext"])
    monkeypatch.setattr(dev, "missing_other_browsers", lambda: ["firefox-esr"])
    monkeypatch.setattr(dev, "can_sudo", lambda: False)
    monkeypatch.setattr(dev.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(dev.shutil, "which", lambda name: "/usr/bin/apt-get")
    said = trouble(dev, capsys, "test")
    line = "sudo apt-get install -y --no-install-recommends libpango-1.0-0 gettext firefox-esr chromium-headless-shell"
    assert line in said


def test_firefox_and_webkit_are_looked_for_by_the_names_of_their_programs(
    dev: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev.sys, "platform", "linux")
    monkeypatch.setattr(dev.shutil, "which", lambda name: "/usr/bin/firefox" if name == "firefox" else None)
    assert dev.missing_other_browsers() == ["webkit2gtk-driver", "xvfb"]
    monkeypatch.setattr(dev.sys, "platform", "darwin")
    assert dev.missing_other_browsers() == []


def test_a_full_disk_is_named_before_anything_is_downloaded(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "is_set_up", lambda: False)
    monkeypatch.setattr(dev, "PYTHON", Path("/nowhere/python"))
    monkeypatch.setattr(dev, "DISK_NEEDED", 1 << 60)
    assert "2 GB are needed" in trouble(dev, capsys, "setup")


def test_no_network_is_named(project: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as link:
        port = link.getsockname()[1]  # closed again below: nobody listens there
    env = {"PATH": "/usr/bin:/bin", "PIP_CONFIG_FILE": "/dev/null", "PIP_RETRIES": "1"}
    env["PIP_INDEX_URL"] = f"http://127.0.0.1:{port}/simple"
    lock = project / "requirements.lock"
    lock.write_text(f"nothing==1 --hash=sha256:{'0' * 64}\n")
    said = run_dev(project, "setup", env=env)
    lock.write_text("")
    assert said.returncode == 1
    assert "No network: the package index cannot be reached." in said.stderr
    assert "Traceback" not in said.stderr


def test_a_check_that_fails_is_shown_and_makes_the_whole_fail(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "setup", lambda: None)
    good, bad = [sys.executable, "-c", ""], [sys.executable, "-c", "print('the reason'); raise SystemExit(3)"]
    monkeypatch.setattr(dev, "checks", lambda: [("good", good), ("bad", bad)])
    assert dev.do_check(None) == 1
    said = capsys.readouterr().out
    assert "the reason" in said
    assert said.endswith("FAILED: bad\n")

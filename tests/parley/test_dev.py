"""The command for people: what it installs, what it passes on, and what it says when something is missing."""

import ast
import importlib.util
import shutil
import socket
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

from tests.parley.processes import HOME


@pytest.fixture
def dev() -> ModuleType:
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


def test_older_pythons_can_read_it_far_enough_to_say_what_is_missing() -> None:
    ast.parse((HOME / "dev").read_text(), feature_version=(3, 8))


@pytest.mark.parametrize("name", ["run", "test", "check", "bench", "setup", "lock", "manage"])
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


def test_another_python_is_named_with_the_way_out(
    dev: ModuleType, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dev, "WANTED", (3, 99))
    said = trouble(dev, capsys, "setup")
    assert "needs Python 3.99; python3 here is 3.11" in said
    assert "apt-get install python3.11 python3.11-venv" in said


def test_a_shim_that_leads_nowhere_is_no_python(dev: ModuleType, tmp_path: Path) -> None:
    shim = tmp_path / "python3.11"
    shim.write_text("#!/bin/sh\nexit 127\n")
    shim.chmod(0o755)
    assert dev.version_of(shim) == ()
    assert dev.version_of(Path(sys.executable)) == (3, 11)


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

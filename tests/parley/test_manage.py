"""Commands of `manage.py` on a database that nobody has prepared."""

import sys
from pathlib import Path

from tests.parley.processes import HOME, plain_environment, run
from tests.throwing_away import throw_away

BUNDLE = HOME / "protocols" / "builtin" / "he-protocol-1.0.yaml"
CREATE = [sys.executable, "manage.py", "create_study", "mine", "--protocol", str(BUNDLE)]


def test_the_first_command_in_a_fresh_folder_makes_the_tables_itself(open_directory: Path) -> None:
    data = open_directory / "fresh"
    said = run(CREATE, data)
    assert said.stdout == "Study mine (he-protocol 1.0): created\n", said.stderr
    assert said.stderr == "The database is new: making its tables ...\n"
    again = run(CREATE, data)
    assert (again.stdout, again.stderr) == ("Study mine (he-protocol 1.0): unchanged\n", "")


def test_a_database_of_others_without_tables_is_one_sentence_that_says_what_to_run(open_directory: Path) -> None:
    with throw_away() as own:
        said = run(CREATE, open_directory, env=plain_environment(open_directory) | own.urls)
    assert said.returncode == 1
    assert said.stderr.startswith("Parley: The database lacks tables")
    assert "Run ./dev manage migrate" in said.stderr
    assert said.stderr.count("\n") == 1


def test_a_reader_that_has_read_enough_ends_a_command_without_a_traceback(open_directory: Path) -> None:
    many = "from django.core.management import base; self = base.OutputWrapper(__import__('sys').stdout)"
    lines = f"{many}; [self.write('line ' + 'x' * 900) for _ in range(2000)]"
    piped = f'"{sys.executable}" manage.py shell --no-imports -v 0 -c "{lines}" | head -1'
    said = run(["sh", "-c", piped], open_directory)
    assert said.stdout.startswith("line x")
    assert "Traceback" not in said.stderr
    assert "BrokenPipe" not in said.stderr


def test_a_malformed_setting_is_one_sentence_that_names_it(open_directory: Path) -> None:
    env = plain_environment(open_directory) | {"PARLEY_DB_CONN_MAX_AGE": "x"}
    said = run([sys.executable, "manage.py", "check"], open_directory, env=env)
    sentence = "Parley does not start: PARLEY_DB_CONN_MAX_AGE='x' is not a whole number, for example 60.\n"
    assert (said.returncode, said.stderr) == (1, sentence)

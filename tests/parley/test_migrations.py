"""A new database gets its tables in one step for each app, and they are those that an old one arrives at."""

import pytest
from django.conf import settings
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.state import ModelState, ProjectState
from django.db.migrations.writer import MigrationWriter

APPS = ("protocols", "annotation", "qualification")


@pytest.fixture(scope="module")
def loader() -> MigrationLoader:
    return MigrationLoader(None, replace_migrations=False)


def squashed(loader: MigrationLoader, app: str):
    return next(each for (label, _), each in loader.disk_migrations.items() if label == app and each.replaces)


def tables(state: ProjectState, app: str) -> dict[str, object]:
    return {name: table(model) for (label, name), model in state.models.items() if label == app}


def table(model: ModelState) -> dict[str, object]:
    """What a migration would write to make it; parts without an order are sorted."""
    listed = {
        name: sorted(written(each) for each in model.options.pop(name, [])) for name in ("indexes", "constraints")
    }
    rest = {name: value for name, value in model.options.items() if value}
    return {name: written(field) for name, field in model.fields.items()} | listed | rest


def written(part: object) -> str:
    return MigrationWriter.serialize(part)[0]


@pytest.mark.parametrize("app", APPS)
def test_the_one_step_names_all_the_steps_it_stands_for(loader: MigrationLoader, app: str):
    one = squashed(loader, app)
    files = sorted(path.stem for path in (settings.BASE_DIR / app / "migrations").glob("0*.py"))
    last = one.replaces[-1][1]
    assert [name for _, name in one.replaces] == [name for name in files if name <= last and name != one.name]


@pytest.mark.parametrize("app", APPS)
def test_the_one_step_makes_the_tables_of_all_of_them(loader: MigrationLoader, app: str):
    one = squashed(loader, app)
    assert tables(loader.project_state((app, one.name)), app) == tables(loader.project_state(one.replaces[-1]), app)

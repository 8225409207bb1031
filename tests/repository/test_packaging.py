"""Test the metadata of the package: licences, versions, ranges, lock file, README.

Nothing is built and nothing is fetched here.
"""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

import dptopk
from dptopk.core import application
from dptopk.data.datasets import data_folder, dataset_info, dataset_names

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
EXTRAS = PROJECT["optional-dependencies"]


def lines_of(name: str) -> list[str]:
    """Lines of a requirements file without comments, blanks and continuations."""
    text = (ROOT / name).read_text(encoding="utf-8").replace("\\\n", " ")
    return [
        line for line in (re.sub(r"(^|\s)#.*", "", x).strip() for x in text.split("\n")) if line
    ]


def by_name(lines) -> dict[str, list[Requirement]]:
    found: dict[str, list[Requirement]] = {}
    for line in lines:
        requirement = Requirement(line.split(" --hash")[0])
        found.setdefault(canonicalize_name(requirement.name), []).append(requirement)
    return found


def ranges(lines) -> dict[str, str]:
    return {name: str(one.specifier) for name, (one,) in by_name(lines).items()}


# Licences


def test_every_licence_of_the_data_is_named_and_travels_with_the_package():
    named = PROJECT["license"].split(" AND ")
    carried = {"Apache-2.0"}
    for name in dataset_names():
        carried.update(dataset_info(name).spdx.split(" AND "))
    assert set(named) == carried
    assert len(named) == len(carried)
    texts = {path.stem for path in (ROOT / "LICENSES").iterdir()}
    assert texts == carried
    assert PROJECT["license-files"] == ["LICENSE", "LICENSES/*.txt"]


def test_texts_kept_twice_are_the_same():
    texts = ROOT / "LICENSES"
    assert (texts / "Apache-2.0.txt").read_bytes() == (ROOT / "LICENSE").read_bytes()
    conditions = (data_folder() / "MOVIELENS-CONDITIONS.txt").read_bytes()
    assert (texts / "LicenseRef-MovieLens.txt").read_bytes() == conditions


# Versions and ranges


def test_the_version_is_written_once_and_named_in_the_citation_and_the_changelog():
    version = dptopk.__version__
    assert "version" in PROJECT["dynamic"]
    assert PYPROJECT["tool"]["hatch"]["version"]["path"] == "dptopk/__init__.py"
    assert str(Version(version)) == version
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[?{re.escape(version)}\b", changelog, re.MULTILINE)


def test_requirements_are_the_dependencies_and_the_app():
    ours = ranges([*PROJECT["dependencies"], *EXTRAS["app"]])
    assert ranges(lines_of("requirements.txt")) == ours


def test_the_recipe_for_conda_asks_for_the_same_releases():
    recipe = yaml.safe_load((ROOT / "docs/project/conda-recipe.yaml").read_text("utf-8"))
    asked = ranges(one.replace("python-duckdb", "duckdb") for one in recipe["requirements"]["run"])
    python = {"python": PROJECT["requires-python"]}
    assert asked == ranges([*PROJECT["dependencies"], *EXTRAS["app"]]) | python
    assert recipe["package"]["version"] == dptopk.__version__
    assert recipe["about"]["license"] == PROJECT["license"]


def test_the_oldest_releases_are_the_lower_ends_of_the_ranges():
    direct = by_name([*PROJECT["dependencies"], *EXTRAS["app"], *EXTRAS["papers"], *EXTRAS["test"]])
    lowest = {
        name: Version(clause.version)
        for name, (one,) in direct.items()
        for clause in one.specifier
        if clause.operator == ">="
    }
    oldest = {
        name: Version(str(one.specifier).removeprefix("=="))
        for name, (one,) in by_name(lines_of(".ci/oldest.txt")).items()
    }
    assert oldest == lowest


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13", "3.14"])
def test_every_python_has_one_release_of_every_requirement_within_its_range(python):
    own = {"python_version": python, "python_full_version": f"{python}.0"}
    environment = default_environment() | own
    locked = by_name(lines_of("requirements.lock"))
    for name, (wanted,) in by_name(lines_of("requirements.txt")).items():
        pins = [one for one in locked[name] if not one.marker or one.marker.evaluate(environment)]
        (pin,) = (clause for one in pins for clause in one.specifier)
        assert pin.operator == "=="
        assert pin.version in wanted.specifier, name


def test_the_lock_has_hashes_and_no_address():
    lines = lines_of("requirements.lock")
    assert all(re.search(r" --hash=sha256:[0-9a-f]{64}\b", line) for line in lines)
    assert "//" not in (ROOT / "requirements.lock").read_text(encoding="utf-8")


def test_the_app_is_started_with_what_is_locked():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    command = "pip install --require-hashes -r requirements.lock"
    assert readme.count(f".venv/bin/{command} && .venv/bin/streamlit run app.py\n") == 1
    assert command in (ROOT / "deploy" / "Containerfile").read_text(encoding="utf-8")
    assert command in (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")


def test_the_readme_says_what_ci_tests():
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    pythons = re.findall(r'"(3\.\d+)"', re.search(r"^ +python: \[(.*)\]$", workflow, re.M)[1])
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"CI runs this line on Python {pythons[0]} to {pythons[-1]}, with the newest" in readme
    classifiers = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert classifiers == pythons


# The README as an index shows it


def test_an_index_is_shown_no_relative_address():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert 'src=".readme/' in text
    hook = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    for one in hook["substitutions"]:
        text = re.sub(one["pattern"], one["replacement"], text)
    assert "documentation is in docs; CONTRIBUTING has" in text
    assert re.findall(r"\]\((?!https?://)[^)]*\)|\.readme/", text) == []


# The app inside the wheel


def test_the_wheel_carries_the_app_to_where_it_is_looked_for():
    carried = PYPROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert application.script() == ROOT / "app.py"  # here it is beside the package
    assert carried["app.py"] == "dptopk/application_files/app.py"
    assert carried["pages"] == "dptopk/application_files/pages"
    assert 'package / "application_files" / "app.py"' in Path(application.__file__).read_text()
    assert all((ROOT / source).exists() for source in carried)

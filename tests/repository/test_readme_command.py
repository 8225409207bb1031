"""Test the script that extracts the test command of the README for CI."""

from pathlib import Path

import pytest
import readme_command

ROOT = Path(__file__).resolve().parents[2]


GOOD = "# Name\n\n## Test it\n\nSay:\n\n```sh\npython -m pytest\n```\n\n## Next\n\n```sh\nls\n```\n"


def test_the_readme_gives_one_command_that_runs_pytest():
    command = readme_command.test_command((ROOT / "README.md").read_text(encoding="utf-8"))
    assert command.endswith("python -m pytest")


def test_ci_makes_the_api_pages_as_contributing_says():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    command = readme_command.command_under(text, "## API pages")
    assert "-W error -m pdoc" in command
    run = (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert 'pages=$(python3 .ci/readme_command.py CONTRIBUTING.md "## API pages")' in run
    assert 'bash -c "$pages"' in run
    folders = {path.parent for path in ROOT.glob("dptopk/**/__init__.py")} - {ROOT / "dptopk"}
    app = {folder for folder in folders if folder.relative_to(ROOT / "dptopk").parts[0] == "ui"}
    named = {ROOT / word for word in command.split() if word.startswith("dptopk/")}
    within = {  # pdoc shows these by itself, and warns where they are named again
        folder
        for folder in folders
        if folder.parent in named
        and not any("__all__" in path.read_text() for path in folder.parent.glob("__init__.py*"))
    }
    assert folders - app == named - {ROOT / "dptopk"} | within
    assert not named & within


def test_the_command_is_the_one_line_under_the_heading():
    assert readme_command.test_command(GOOD) == "python -m pytest"


def test_other_languages_and_headings_inside_blocks_do_not_count():
    text = GOOD.replace("Say:", "```text\n## Test it\n```")
    assert readme_command.test_command(text) == "python -m pytest"


def test_a_subheading_does_not_end_the_section():
    text = GOOD.replace("Say:", "### All of it")
    assert readme_command.test_command(text) == "python -m pytest"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'one heading "## Test it", found 0'),
        (GOOD.replace("## Test it", "## Tests"), "one heading .*found 0"),
        (GOOD.replace("## Test it", "### Test it"), "one heading .*found 0"),
        (GOOD.replace("## Next", "## Test it"), "one heading .*found 2"),
        (GOOD.replace("```sh\npython", "```\npython"), "one sh block .*found 0"),
        (GOOD.replace("## Next\n", ""), "one sh block .*found 2"),
        (GOOD.replace("-m pytest", "-m pytest\nls"), "one line .*found 2"),
        (GOOD.replace("python -m pytest", ""), "one line .*found 0"),
        (GOOD.removesuffix("```\n"), "the last code block is not closed"),
    ],
)
def test_what_is_missing_or_ambiguous_is_said(text, message):
    with pytest.raises(readme_command.ReadmeError, match=message):
        readme_command.test_command(text)


def test_the_script_says_which_file_is_at_fault(tmp_path, capsys):
    readme = tmp_path / "README.md"
    assert readme_command.main([str(readme)]) == 1
    assert "README.md" in capsys.readouterr().err
    readme.write_text("# Nothing\n", encoding="utf-8")
    assert readme_command.main([str(readme)]) == 1
    assert 'README.md: expected one heading "## Test it"' in capsys.readouterr().err
    readme.write_text(GOOD, encoding="utf-8")
    assert readme_command.main([str(readme)]) == 0
    assert capsys.readouterr().out == "python -m pytest\n"

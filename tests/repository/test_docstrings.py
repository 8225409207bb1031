"""Test the wording of docstrings: they open as those of NumPy and SciPy do."""

import ast
import itertools
import re
import textwrap
from collections.abc import Collection, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted([*ROOT.glob("dptopk/**/*.py"), *ROOT.glob("pages/*.py"), ROOT / "app.py"])
TOOLS = [*ROOT.glob("tests/**/*.py"), *ROOT.glob("benchmarks/*.py"), *ROOT.glob("docs/*.py")]

# A docstring opens with a verb in the imperative ("Return the ...") or, of a class, a property or a
# module, with a noun phrase; never with the clause of a question or with what another one says.
NEVER = {
    *("how", "that", "what", "whatever", "when", "where", "wherever", "whether", "which"),
    *("who", "whoever", "whom", "whose", "why"),
}
NEVER_TOGETHER = ("the same", "all that")

# A function returns, computes or draws something: it is not the thing.
NEVER_OF_FUNCTIONS = {"a", "all", "an", "each", "every", "no", "of", "one", "the", "some"}


def offenders(source: str) -> Iterator[str]:
    """Yield the line and the first line of each docstring that opens otherwise."""
    tree = ast.parse(source)
    yield from offenders_of_attributes(tree)
    for node in ast.walk(tree):
        if not isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) or not (text := ast.get_docstring(node)):
            continue
        first = text.splitlines()[0]
        if opens_otherwise(first, NEVER_OF_FUNCTIONS if is_function(node) else set()):
            yield f"{node.body[0].lineno}: {first}"


def offenders_of_attributes(tree: ast.AST) -> Iterator[str]:
    """Yield those of the strings that stand below a constant or a field."""
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef)]
    for field, below in (pair for body in bodies for pair in itertools.pairwise(body)):
        if isinstance(field, ast.Assign | ast.AnnAssign) and is_string(below):
            first = below.value.value.splitlines()[0]
            if opens_otherwise(first):
                yield f"{below.lineno}: {first}"


def opens_otherwise(first: str, never: Collection[str] = ()) -> bool:
    """Return whether a first line begins with a word that none may begin with."""
    word = first.split()[0].strip(".,:;").lower()
    return word in NEVER or word in never or first.lower().startswith(NEVER_TOGETHER)


def is_string(node: ast.AST) -> bool:
    """Return whether a statement is a string alone."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def is_function(node: ast.AST) -> bool:
    """Return whether a definition is a function and no property."""
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not any(
        "property" in ast.unparse(decorator) for decorator in node.decorator_list
    )


def test_docstrings_open_with_a_verb_or_a_noun():
    found = [
        f"{path.relative_to(ROOT)}:{offender}"
        for path in FILES
        for offender in offenders(path.read_text(encoding="utf-8"))
    ]
    assert not found, "\n".join(found)


def test_modules_of_tests_and_tools_open_with_a_verb_or_a_noun():
    opened = {path: re.match(r'"""(.+)', path.read_text(encoding="utf-8")) for path in TOOLS}
    assert sum(map(bool, opened.values())) > 250
    found = [
        f"{path.relative_to(ROOT)}: {text[1]}"
        for path, text in opened.items()
        if text and opens_otherwise(text[1])
    ]
    assert not found, "\n".join(found)


def test_functions_open_with_a_verb_and_all_else_may_with_a_noun_phrase():
    source = '''
        LIMIT = 3
        """What it may be at most."""

        class Law:
            """The exact law of an error."""

            mean: float
            """Mean of the law."""
            exact = True
            """Whether it is exact."""

            @property
            def mode(self):
                """The mode."""

        class Others:
            """The same on other data."""

        def law():
            """The law of an error."""

        def compute():
            """Compute the law of an error."""
    '''
    assert sorted(one.partition(": ")[2] for one in offenders(textwrap.dedent(source))) == [
        "The law of an error.",
        "The same on other data.",
        "What it may be at most.",
        "Whether it is exact.",
    ]

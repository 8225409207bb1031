"""Test that every public function has an example in its docstring, and that it is correct."""

import doctest
import inspect

import pytest

import dptopk

PUBLIC = {name: getattr(dptopk, name) for name in dptopk.__all__}
FUNCTIONS = [name for name, found in PUBLIC.items() if inspect.isfunction(found)]
CLASSES = [name for name, found in PUBLIC.items() if inspect.isclass(found)]


def examples_of(name):
    """Doctests of a function or class: as it was before it was decorated, and nothing imported."""
    finder = doctest.DocTestFinder(exclude_empty=True)
    return finder.find(inspect.unwrap(PUBLIC[name]), name, module=False, globs={})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_an_example_that_gives_what_it_says(name):
    (example,) = examples_of(name)
    assert example.examples[0].source.startswith("from dptopk import")
    assert name in example.docstring.partition(">>>")[2]
    runner = doctest.DocTestRunner()
    runner.run(example)
    assert runner.summarize(verbose=False).failed == 0


def test_examples_of_classes_give_what_they_say():
    runner, found = doctest.DocTestRunner(), set()
    for name in CLASSES:
        for example in examples_of(name):
            if example.examples:
                found.add(example.name)
                runner.run(example)
    assert {"ItemCounts", "ItemCounts.names", "ErrorLaw.quantile"} <= found
    assert runner.summarize(verbose=False).failed == 0

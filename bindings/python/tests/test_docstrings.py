"""What the package says about itself: everything public is documented, down to fields and parameters, and its examples hold."""

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import textwrap

import pytest

import grease
import grease.adapters
import grease.distributed
import grease.ray
import grease.spark

PUBLIC = (grease, grease.adapters, grease.distributed, grease.ray, grease.spark)


def modules():
    for found in pkgutil.iter_modules(grease.__path__):
        # Running `__main__` is what importing it does.
        if found.name not in ("adapters", "_native", "__main__"):
            yield importlib.import_module(f"grease.{found.name}")


def things():
    """Everything public that can have a docstring, by its full name; what classes return that nobody makes themselves too."""
    shown = [("grease", grease.Explainer.verify), ("grease", grease.Explainer.recommend)]
    returned = [(where, inspect.signature(call, eval_str=True).return_annotation) for where, call in shown]
    named = [(module.__name__, getattr(module, name)) for module in PUBLIC for name in module.__all__ if not name.startswith("__")]
    return {f"{where}.{thing.__name__}": thing for where, thing in [*named, *returned] if hasattr(thing, "__name__")}


THINGS = things()
CLASSES = {name: thing for name, thing in THINGS.items() if inspect.isclass(thing) and not issubclass(thing, Exception)}


def members(cls):
    """What a class has that is public: methods, class methods, properties."""
    for name, value in vars(cls).items():
        if not name.startswith("_"):
            yield name, value.__func__ if isinstance(value, (classmethod, staticmethod)) else value


def parameters(call):
    return [name for name in inspect.signature(call).parameters if name not in ("self", "cls")]


def unnamed(call, *docs):
    """Parameters that none of the docstrings speaks of, in a list of arguments or between backticks."""
    said = "\n".join(filter(None, docs))
    return [name for name in parameters(call) if not re.search(rf"(^\s*{name}: )|(``{name}``)", said, re.MULTILINE)]


def test_examples_in_docstrings():
    tried = {module.__name__: doctest.testmod(module) for module in [grease, *modules()]}
    assert [name for name, result in tried.items() if result.failed] == []
    for name in ("_interactions", "_model", "_method", "_explainer", "_explanation", "distributed"):
        assert tried[f"grease.{name}"].attempted, f"{name} has no example"


@pytest.mark.parametrize("name", THINGS)
def test_a_public_thing_says_what_it_is(name):
    thing = THINGS[name]
    assert inspect.getdoc(thing), name
    if inspect.isfunction(thing):
        assert unnamed(thing, thing.__doc__) == []


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_says_what_its_parts_are(name):
    cls = CLASSES[name]
    for member, value in members(cls):
        if inspect.isfunction(value):
            assert value.__doc__, f"{name}.{member}"
            assert unnamed(value, value.__doc__) == [], f"{name}.{member}"
        elif isinstance(value, property):
            assert value.__doc__, f"{name}.{member}"
    own = vars(cls).get("__init__")
    if inspect.isfunction(own) and not hasattr(cls, "__dataclass_fields__") and not getattr(cls, "_is_protocol", False):
        assert unnamed(own, cls.__doc__, own.__doc__) == [], f"{name}()"


@pytest.mark.parametrize("name", [name for name, cls in CLASSES.items() if hasattr(cls, "__dataclass_fields__")])
def test_every_field_has_a_line_below_it(name):
    (written,) = ast.parse(textwrap.dedent(inspect.getsource(CLASSES[name]))).body
    for line, below in zip(written.body, [*written.body[1:], None]):
        if isinstance(line, ast.AnnAssign) and not line.target.id.startswith("_"):
            said = isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
            assert said, f"{name}.{line.target.id}"


def test_docstrings_are_markdown():
    """The reference is made of them: roles and blocks of reStructuredText would be shown as they are."""
    for module in [*PUBLIC[1:], *modules()]:
        source = inspect.getsource(module)
        assert not re.search(r":(class|func|meth|mod|attr):`|^::$|\w::$", source, re.MULTILINE), module.__name__

"""Whether everything public of the Python package says what it is."""

import griffe

MODULES = ("grease", "grease.adapters", "grease.distributed", "grease.ray", "grease.spark")
"""What people import."""


def public(sources):
    """Every public object by its public path: what `__all__` names, and public methods and properties of its classes."""
    package = griffe.load(MODULES[0], search_paths=[str(sources)], allow_inspection=False, resolve_aliases=True)
    for name in MODULES:
        module = package if name == package.path else package[name.split(".", 1)[1]]
        # `grease` itself loads what it offers from there when it is asked for.
        for exported in module.members.get("_public", module).exports:
            member = module[str(exported)]
            thing = member.final_target if member.is_alias else member
            yield f"{name}.{exported}", thing
            if thing.is_class:
                yield from _members(f"{name}.{exported}", thing)


def _members(path, thing):
    for name, member in thing.members.items():
        is_method = member.is_function or (member.is_attribute and "property" in member.labels)
        if not name.startswith("_") and is_method:
            yield f"{path}.{name}", member


def undocumented(things):
    """Those without a docstring. A version is a string, and has no place for one."""
    return [path for path, thing in things if not thing.has_docstring and not path.endswith(".__version__")]


def not_shown(things, ids):
    """Those that no page of the reference has."""
    return [path for path, _ in things if path not in ids and not path.endswith(".__version__")]

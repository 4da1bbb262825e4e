"""A method of somebody's own: where to look for explanations, in Python."""

from __future__ import annotations

import ctypes
import threading
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Protocol, runtime_checkable

from ._errors import MethodError
from ._ids import Id, text_of

#: What a method may need beside what it asks.
NEEDS = ("singles",)

#: An interaction that may be cited: an item of the person's own, or a pair of user and item.
Edge = Any


@dataclass(frozen=True)
class Standing:
    """Where an item stands with some interactions cited."""

    score: float
    """What the recommender gives it."""
    rank: Optional[int]
    """Its place, from 1; None where ties decide."""
    margin: float
    """Its score minus the k-th best of the other candidates: positive on the list, infinite where fewer than k compete."""
    gain: float
    """How far it is beyond the edge of the list on the side where the goal wants it: what to sort by, whatever the goal. Negative where it
    is not there yet."""
    holds: bool
    """Whether it is where the goal wants it, beyond rounding."""


class Ask:
    """Asks the recommender what if, for one proposal of a method: ``ask([[tea], [tea, milk]])`` says where the item stands with tea cited,
    and with tea and milk.

    What is done to what is cited follows from the goal: ``change`` has it. The recommender is asked about each set once, however often it
    is asked for, and each new one counts: ``left`` has how many are left. An ``OutOfBudgetError`` says that there are not as many; nothing
    is asked then.
    """

    edges: "list[Edge]"
    """What may be cited: items of the person's own with scope "own", else pairs of user and item. Ids are as the interactions have them."""
    history: "list[Id]"
    """The person's own items, also those that may not be cited."""
    max_edges: int
    """The most interactions an explanation may have. Longer orders are of use: some of it may be spared."""
    scope: str
    """Which interactions may be cited: "own", "target" or "hops"."""
    change: str
    """What is done to them: "removed", "kept" (put back, all others taken away) or "added"."""
    seed: int
    """For whatever is random: the same whenever this person and item are asked about with the same ``seed``."""

    _own: "OwnMethod"
    _native: Any
    _person: Optional[str]
    _places: "dict[tuple[Optional[str], str], int]"

    @classmethod
    def _of(cls, own: "OwnMethod", native: Any, person: Optional[str], told: "tuple[Any, ...]") -> "Ask":
        made = cls.__new__(cls)
        (made.scope, made.change, of_own), (pairs, history, made.max_edges, made.seed) = told
        made._own, made._native, made._person = own, native, person
        made._places = {pair: at for at, pair in enumerate(pairs)}
        made.history = [own.item_id(item) for item in history]
        made.edges = [own.item_id(item) if of_own else (own.user_id(user), own.item_id(item)) for user, item in pairs]
        return made

    @property
    def left(self) -> int:
        """Questions that may still be asked."""
        return int(self._native.left())

    def __call__(self, sets: "Iterable[Iterable[Edge]]") -> "list[Standing]":
        """Where the item stands with each of these ``sets`` of interactions cited."""
        asked = [self._set(some) for some in sets]
        return [Standing(*standing) for standing in self._native.ask(asked)]

    def _set(self, some: Any) -> "list[int]":
        if isinstance(some, (str, bytes, int)):
            raise TypeError(f"ask takes sets of interactions, such as [[{some!r}]]; {some!r} is no set")
        return [self._place(edge, "asked about") for edge in some]

    def _place(self, edge: Edge, did: str) -> int:
        """Where an interaction is among those that may be cited."""
        pair = tuple(edge) if isinstance(edge, (tuple, list)) else (self._person, edge)
        try:
            user, item = pair
            at = self._places.get((None if user is None else text_of(user), text_of(item)))
        except (TypeError, ValueError):
            raise MethodError(f"method {self._own.name} {did} {edge!r}, which is neither an item nor a pair of user and item") from None
        if at is None:
            raise MethodError(f"method {self._own.name} {did} {edge!r}, which may not be cited here: ask.edges has what may be")
        return at

    def _order(self, proposed: Any) -> "list[int]":
        """The places of what was proposed, each once."""
        if isinstance(proposed, (str, bytes)) or not isinstance(proposed, Iterable):
            raise MethodError(f"method {self._own.name} proposed {proposed!r}, not interactions in order")
        places: "dict[int, None]" = {}
        for edge in proposed:
            at = self._place(edge, "proposed")
            if at in places:
                raise MethodError(f"method {self._own.name} proposed {edge!r} twice")
            places[at] = None
        return list(places)


@runtime_checkable
class Method(Protocol):
    """Any object that puts interactions in an order: give it as ``method`` to an ``Explainer``, or among the ``methods`` of its
    ``evaluate``. What of its order holds is found, spared and checked on the recommender as for every other method, within the same
    budget of questions.

    ``name`` is what explanations and results call it: letters, digits, ``-`` and ``_``, by default the name of its class. ``version``
    tells it from others of that name where a long run is resumed. ``needs = {"singles"}`` says that it wants to know what each of the
    person's interactions does by itself: that is then asked once for the whole list, and asking it again costs nothing.

    Several threads may call it at once, and for one person and item more than once: it has to say the same each time. What it raises ends
    the explaining, and is raised there as it is.

    Examples:
        >>> import grease
        >>> class MostRecent:
        ...     '''What was chosen last comes first.'''
        ...     name = "most-recent"
        ...     def propose(self, person, item, k, goal, ask):
        ...         return reversed(ask.edges)
        >>> data = grease.Interactions.sample(users=80, artists=60)
        >>> model = grease.train(data, epochs=30, dim=16, batch=256, learning_rate=0.01, loss="bpr")
        >>> why = grease.Explainer(model, method=MostRecent()).explain_list("mira", k=3)
        >>> {one.method for one in why}
        {'most-recent'}
    """

    def propose(self, person: Optional[Id], item: Id, k: int, goal: str, ask: Ask) -> "Iterable[Edge]":
        """Interactions to cite, the most promising first; of ``ask.edges`` each once at most, and none where it sees no way.

        ``person`` is whose list it is, None for somebody new; ``item`` is in their top ``k``, and has to get out of it (``goal``
        "counterfactual"), stay by what is cited alone ("factual"), both ("joint"), or is not there and has to get in ("why_not").
        ``ask`` asks the recommender.
        """


class OwnMethod:
    """Stands between native code and a method of somebody's own."""

    def __init__(self, method: Method, numbers: "tuple[bool, bool]") -> None:
        if not callable(getattr(method, "propose", None)):
            raise TypeError(f"{method!r} is no method: it is a name, or an object with propose(person, item, k, goal, ask)")
        if isinstance(method, type):
            raise TypeError(f"{method.__name__} is a class: give an object of it, {method.__name__}()")
        needs = set(getattr(method, "needs", ()) or ())
        if unknown := needs - set(NEEDS):
            raise TypeError(f"unknown needs {sorted(unknown)}; there is {', '.join(NEEDS)}")
        self.method = method
        self.name = str(getattr(method, "name", None) or type(method).__name__)
        self.version = str(getattr(method, "version", None) or "")
        self.asks_singles = "singles" in needs
        #: Whether ids of users and of items are numbers.
        self._numbers = numbers
        #: Threads on which it is at work.
        self._at_work: "set[int]" = set()

    def user_id(self, text: Optional[str]) -> Optional[Id]:
        """The id as the interactions have it; None for somebody new."""
        return int(text) if text is not None and self._numbers[0] else text

    def item_id(self, text: str) -> Id:
        """The same of an item."""
        return int(text) if self._numbers[1] else text

    def propose(self, native: Any, about: "tuple[Any, ...]", *told: Any) -> "list[int]":
        """Places of edges, in the order the method proposes."""
        person, item, k, goal = about
        ask = Ask._of(self, native, person, told)
        thread = threading.get_ident()
        self._at_work.add(thread)
        try:
            return ask._order(self.method.propose(self.user_id(person), self.item_id(item), k, goal, ask))
        finally:
            self._at_work.discard(thread)

    def interrupt(self) -> None:
        """Ends what it is at, as Ctrl-C does on the main thread."""
        for thread in list(self._at_work):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(KeyboardInterrupt))

"""The explainer."""

from __future__ import annotations

import json
import os
import tempfile
import uuid
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any, Iterable, Optional, Sequence, Union

from . import _native
from ._errors import ModelError, UsageError
from ._evaluation import Evaluation
from ._explanation import Explanation, Explanations
from ._ids import Id, settled, text_of, texts_of
from ._interactions import Interactions, Words
from ._kept import Kept
from ._lists import Lists, Recommendation, Recommendations
from ._method import Method, OwnMethod
from ._model import Model, load
from ._oracle import Oracle
from ._notebook import SHOWN, block, more, table
from ._progress import Progress, Wanted
from ._recommender import Bridge, Recommender, RowRecommender
from ._of_list import ListExplanation
from ._what_if import WhatIf

_GOALS = {
    "both": ["factual", "counterfactual"],
    "factual": ["factual"],
    "counterfactual": ["counterfactual"],
    "joint": ["joint"],
    "all": ["joint", "factual", "counterfactual"],
    "why_not": ["why_not"],
}


@dataclass(frozen=True)
class Verdict:
    """What asking the recommender again made of an explanation."""

    verdict: str
    """One of "still_holds", "no_longer_holds", "not_checked" or "without_claim"."""
    said: str
    """The same in words."""

    @property
    def holds(self) -> bool:
        """Whether it still holds."""
        return self.verdict == "still_holds"


class Verdicts(list[Verdict]):
    """What became of several explanations: an ordinary list, which a notebook shows as a table."""

    def _repr_html_(self) -> str:
        rows = [(at, one.verdict.replace("_", " "), one.said) for at, one in enumerate(self[:SHOWN], 1)]
        hold = sum(one.holds for one in self)
        shown = table(["", "verdict", "said"], rows)
        return block(f"<p>{hold:,} of {len(self):,} still hold</p>", shown, more(len(self) - SHOWN, "verdicts", "it is a list"))


@dataclass(frozen=True)
class Questions:
    """What was asked of a recommender in Python so far."""

    questions: int
    """Edited graphs it was asked about."""
    requests: int
    """Calls; one call may ask about many."""
    seconds: float
    """Time it took to answer."""


@dataclass(frozen=True)
class Work:
    """How a model of ours came by its answers so far."""

    local: int
    """Edits answered about some items, without the rest of the graph."""
    products: int
    """Edits for which all items were looked at, by one product."""
    whole: int
    """Edits propagated over the whole graph."""


class Explainer:
    """Explains lists of a recommender: which interactions are enough for an item, and which it would not be there without.

    Args:
        model: a ``Model`` (then the interactions are its own), or any ``Recommender``, ``RowRecommender`` or ``Oracle``.
        interactions: what such a recommender has learned from.
        method: how explanations are searched for: "grease", one of the methods docs/evaluation.md compares, or a ``Method`` of your own.
        words: how sentences speak about the data; by default as the interactions do.
        name: what to call the data in reports.
        device: where a ``Model`` is asked: "auto" (a card, if there is one and it is quicker), "cpu", "cuda" or "cuda:N". What a card finds
            is checked on the processor.

    Examples:
        >>> import grease
        >>> data = grease.Interactions.from_arrays(
        ...     ["ann", "ann", "bob", "bob", "cleo", "cleo"], ["tea", "milk", "tea", "rum", "milk", "ale"]
        ... )
        >>> class Together:
        ...     '''People who chose what you chose also chose.'''
        ...     def __init__(self, data):
        ...         self.carts, self.items = {}, data.item_ids
        ...         for user, item in zip(*data.rows()):
        ...             self.carts.setdefault(data.user_ids[user], set()).add(data.item_ids[item])
        ...     def scores(self, user, removed, added):
        ...         mine = (self.carts[user] - set(removed)) | set(added)
        ...         others = [cart for who, cart in self.carts.items() if who != user]
        ...         return [sum(len(mine & cart) for cart in others if item in cart) for item in self.items]
        >>> explainer = grease.Explainer(Together(data), data)
        >>> [place.item for place in explainer.recommend("ann", k=2)]
        ['rum', 'ale']
        >>> print(explainer.explain("ann", "rum", k=1, goal="counterfactual")[0])
        Had you not chosen item tea, item rum would not be at the top of your list: item ale would be there instead.
    """

    def __init__(
        self,
        model: "Union[Model, Oracle, Recommender, RowRecommender]",
        interactions: Optional[Interactions] = None,
        *,
        method: "Union[str, Method]" = "grease",
        words: Optional[Words] = None,
        name: Optional[str] = None,
        device: str = "auto",
    ) -> None:
        plain = None if words is None else astuple(words)
        self._bridge: Optional[Bridge] = None
        # Sent to another process, a method is another object there: the token stays the same.
        self._made = (method, words, name, device, None if isinstance(method, str) else uuid.uuid4().hex)
        # Ids of a model of ours are text, those of interactions as they were given.
        given = interactions if not isinstance(model, Model) else None
        self._numbers = (False, False) if given is None else (given._int_users, given._int_items)
        self._own = None if isinstance(method, str) else OwnMethod(method, self._numbers)
        chosen = self._own or method
        self._about = f"{type(model).__name__}, method={self._own.name if self._own else method!r}"
        if isinstance(model, Model):
            if interactions is not None:
                ours = model._native.interactions()
                if ours.item_ids() != interactions._native.item_ids() or ours.user_ids() != interactions._native.user_ids():
                    raise UsageError("these are not the interactions the model was trained on; leave them out")
            self._native = _native.Explainer.of_model(model._native, name or "data", chosen, plain, device)
        elif interactions is None:
            raise UsageError("a recommender that was not trained here needs the interactions it has learned from")
        elif device not in ("auto", "cpu"):
            raise UsageError(f"somebody else's recommender answers wherever it runs: not on {device}")
        elif isinstance(model, Oracle):
            token = None if model.token is None else (model.token_header, model.token)
            self._native = _native.Explainer.of_oracle(
                model.command,
                model.url,
                token,
                interactions._native,
                model.workers,
                model.timeout,
                model.longest,
                name,
                chosen,
                plain,
            )
        else:
            bridge = Bridge(model, interactions)
            self._native = _native.Explainer.of_python(
                bridge,
                interactions._native,
                bridge.identity,
                bridge.abilities,
                bridge.frozen,
                bridge.embeddings(),
                name or "data",
                chosen,
                plain,
            )
            self._bridge = bridge
        self._words = self._native.words()

    def __reduce__(self) -> "tuple[Any, ...]":
        """Sent to another process as the folder and the hash of its model, which is opened there once."""
        folder = self._native.place()
        if folder is not None:
            return opened, (os.path.abspath(folder), self._native.model_hash(), *self._made)
        if self._bridge is None and self._native.oracle_report() is None:
            raise TypeError("this explainer's model is in memory only: keep it in a folder (out=…), and give the folder or a function that loads it")
        raise TypeError("this explainer's recommender cannot be sent to another process: give a function that makes the explainer there")

    def __repr__(self) -> str:
        return f"Explainer({self._about})"

    def recommend(self, user: Optional[Id] = None, k: int = 10, *, history: Optional[Iterable[Id]] = None) -> Recommendations:
        """The ``k`` best items for a ``user``, or for somebody new by their ``history``."""
        listed = self._native.recommend(_question(user, history, k=k))
        return Recommendations(Recommendation(rank, item, title, score) for rank, (item, title, score) in enumerate(listed, 1))

    def recommend_many(
        self,
        users: Optional[Iterable[Id]] = None,
        k: int = 10,
        *,
        candidates: Optional[Iterable[Id]] = None,
        exclude: Optional[Iterable[Id]] = None,
        progress: Wanted = None,
    ) -> Lists:
        """The lists of many people, in their order, as a table: a row an item. Needs pyarrow.

        Args:
            users: whose lists; by default of everybody with a history.
            k: length of a list.
            candidates: the only items that may be listed.
            exclude: items that may not be listed.
            progress: True shows a bar (needs tqdm), False none, a function is called with (done, all); by default there is a bar on a
                terminal and in a notebook.
        """
        people = self._native.people() if users is None else texts_of(users, "users")
        with Progress(progress, "recommending", "person", len(people)) as tell:
            return Lists._of(self._native, people, asked_of_lists(k, candidates, exclude), tell)

    def explain(
        self,
        user: Optional[Id] = None,
        item: "Union[Id, Sequence[Id], None]" = None,
        k: int = 10,
        goal: str = "both",
        scope: str = "own",
        *,
        history: Optional[Iterable[Id]] = None,
        show_user_ids: bool = False,
        **search: Any,
    ) -> Explanations:
        """Why an item, or several, or a whole list, is in somebody's top ``k``.

        Args:
            user: whose list.
            item: an item of it, or several; None explains each.
            k: length of the list.
            goal: "both", "factual" (what is enough), "counterfactual" (what it would not be there without), "joint" (what is both at
                once), "all" (these three) or "why_not" (what would bring an item onto the list).
            scope: which interactions may be named: "own" (the person's), "target" (also the item's) or "hops" (the whole neighbourhood).
            history: what somebody new has chosen, in the place of ``user``.
            show_user_ids: whether other people are named by their ids, where the scope is wider than "own".
            search: how to look, see below.

        ``search`` may have:

        - ``profile``: "auto", "kept" or "neutral": how what was learned about the person is read;
        - ``max_edges``: the most interactions that may be named;
        - ``firm``: how many places beyond the edge of the list it has to reach;
        - ``instead``: False not to look for the nearest weaker answer where nothing is found;
        - ``queries``: the most edits the recommender is asked about;
        - ``prove``: the most edits that are tried to prove that nothing smaller does it, for the whole list: 40,000 unless it is said;
        - ``candidates``, ``exclude``, ``never_cite``: items that alone may be listed, may not be listed, or may not be named;
        - ``hops``, ``alternatives``, ``seed``;
        - ``paper``: how the method "paper" is run, such as ``{"fit": "list", "steps": 500}``; docs/evaluation.md has all of it.
        """
        items = None
        if item is not None:
            items = [text_of(item)] if isinstance(item, str) or not isinstance(item, Iterable) else texts_of(item, "items")
        question = _question(user, history, k=k, goals=_goals(goal), scope=scope, items=items, **search)
        lines = self._native.explain(question, show_user_ids)
        return Explanations(lines, self._words)

    def explain_list(self, user: Optional[Id] = None, k: int = 10, goal: str = "both", scope: str = "own", **more: Any) -> Explanations:
        """Why each item is on somebody's list; what several items need to be asked is asked once.

        ``user``, ``k``, ``goal``, ``scope`` and ``more`` are as for ``explain``.
        """
        return self.explain(user, None, k, goal, scope, **more)

    def why_not(self, user: Optional[Id] = None, item: Optional[Id] = None, k: int = 10, **more: Any) -> Explanation:
        """What would bring an ``item`` onto the list of a ``user``; ``k`` and ``more`` are as for ``explain``."""
        if item is None:
            raise UsageError("say which item is missing")
        return self.explain(user, item, k, "why_not", **more)[0]

    def explain_many(
        self,
        users: Optional[Iterable[Id]] = None,
        k: int = 10,
        goal: str = "both",
        scope: str = "own",
        *,
        show_user_ids: bool = False,
        progress: Wanted = None,
        **search: Any,
    ) -> Explanations:
        """Explains the lists of many people, several at a time; what comes back is in their order.

        Who cannot be explained anything is in ``failed``, and the others go on.

        Args:
            users: whose lists; by default of everybody with a history.
            k: length of a list.
            goal: as for ``explain``.
            scope: as for ``explain``.
            show_user_ids: as for ``explain``.
            progress: True shows a bar (needs tqdm), False none, a function is called with (done, all); by default there is a bar on a
                terminal and in a notebook.
            search: as for ``explain``, but ``prove`` is 0 unless it is said.
        """
        people = self._native.people() if users is None else texts_of(users, "users")
        with Progress(progress, "explaining", "person", len(people)) as tell:
            lines = self._native.explain_many(people, asked_of_many(k, goal, scope, **search), show_user_ids, tell)
        return Explanations(lines, self._words)

    def explain_whole_list(
        self,
        user: Optional[Id] = None,
        k: int = 10,
        share: float = 0.5,
        *,
        history: Optional[Iterable[Id]] = None,
        **search: Any,
    ) -> ListExplanation:
        """What the list as a whole rests on: the fewest interactions found without which a share of it would be another.

        Args:
            user: whose list.
            k: length of the list.
            share: how much of it has to be another, 0 to 1.
            history: what somebody new has chosen, in the place of ``user``.
            search: ``max_edges``, ``queries``, ``seed``, ``candidates``, ``exclude`` and ``never_cite``, as for ``explain``.
        """
        question = _question(user, history, k=k, **search)
        return ListExplanation(self._native.explain_whole_list(question, share), self._words)

    def what_if(
        self,
        user: Optional[Id] = None,
        remove: Iterable[Id] = (),
        add: Iterable[Id] = (),
        k: int = 10,
        *,
        history: Optional[Iterable[Id]] = None,
    ) -> WhatIf:
        """The list had somebody not chosen some items, or chosen others.

        Args:
            user: whose list.
            remove: items of the history to take away.
            add: items to put in.
            k: length of the list.
            history: what somebody new has chosen, in the place of ``user``.
        """
        question = _question(user, history, k=k)
        lists = self._native.what_if(question, texts_of(remove, "remove"), texts_of(add, "add"))
        return WhatIf._from_json(lists)

    def verify(self, explanations: "Union[Explanation, Iterable[Explanation]]") -> Verdicts:
        """Asks the recommender again whether ``explanations`` (one, or several) hold, from what they say alone."""
        several = [explanations] if isinstance(explanations, Explanation) else list(explanations)
        return Verdicts(Verdict(*verdict) for verdict in self._native.verify([one.to_json() for one in several]))

    def evaluate(
        self,
        out: "Optional[str | os.PathLike[str]]" = None,
        *,
        people: Optional[int] = None,
        k: "Union[int, Sequence[int], None]" = None,
        methods: "Optional[Sequence[Union[str, Method]]]" = None,
        tables: Optional[Sequence[str]] = None,
        repeats: Optional[int] = None,
        seed: Optional[int] = None,
        resume: bool = False,
        force: bool = False,
        audit_people: Optional[int] = None,
        audit_seeds: int = 1,
        audit_firm: Sequence[int] = (1,),
        progress: Wanted = None,
        **settings: Any,
    ) -> Evaluation:
        """Compares methods on this recommender's lists, as ``grease evaluate`` does; docs/evaluation.md says what is measured.

        By default 10 % of the people, five times, k of 10, 15 and 20, all methods: hours on large data. ``people=20, repeats=1`` is a first
        look, without the methods "paper" and "exact" where histories are long.

        Args:
            out: the folder of the report; a temporary one without it.
            people: how many people are drawn.
            k: length of the lists; several are compared side by side.
            methods: which methods, by the names docs/evaluation.md has, each ``Method`` of your own as the object it is.
            tables: "paper" (edges as in the paper), "own" (the person's own interactions), or both.
            repeats: how often people are drawn.
            seed: what they are drawn with.
            resume: goes on with a run that was interrupted.
            force: replaces what is in ``out``.
            audit_people: trains the model again without what explanations of so many people name, and puts beside the model what that says of
                explanations to come; explainers made afterwards fill ``holds_when_retrained``.
            audit_seeds: how often it is trained again for each.
            audit_firm: how firm the audited explanations are; several are mixed.
            progress: True shows a bar (needs tqdm), False none, a function is called with (done, all); by default there is a bar on a
                terminal and in a notebook.
            settings: every other setting of docs/evaluation.md by its name, such as ``max_remove=5``.
        """
        changed = dict(settings)
        if people is not None:
            changed["sample"] = {"people": people}
        if k is not None:
            changed["ks"] = sorted({k} if isinstance(k, int) else set(k))
        own = [OwnMethod(method, self._numbers) for method in methods or () if not isinstance(method, str)]
        if methods is not None:
            names = iter(one.name for one in own)
            changed["methods"] = [method if isinstance(method, str) else next(names) for method in methods]
        # The explainer's own method is there already.
        own = [one for one in own if self._own is None or one.method is not self._own.method]
        for name, value in (("tables", tables), ("repeats", repeats), ("seed", seed)):
            if value is not None:
                changed[name] = list(value) if not isinstance(value, int) else value
        folder = Path(tempfile.mkdtemp(prefix="grease-") if out is None else out)
        how = "resume" if resume else "replace" if force else "fresh"
        audit = None if audit_people is None else (audit_people, audit_seeds, list(audit_firm))
        with Progress(progress, "evaluating", "unit") as tell:
            results = self._native.evaluate(_json(changed), str(folder), how, audit, own, tell)
        return Evaluation._from_json(folder, results)

    @property
    def questions(self) -> Optional[Questions]:
        """What was asked of a recommender in Python so far; None for a model of ours, which is not asked through Python."""
        bridge = self._bridge
        return None if bridge is None else Questions(bridge.questions, bridge.requests, bridge.seconds)

    @property
    def work(self) -> Optional[Work]:
        """How a model of ours came by its answers since it was read or trained; None where that is not counted."""
        answered = self._native.answered()
        return None if answered is None else Work(*answered)

    @property
    def device(self) -> Optional[str]:
        """Where a model of ours is asked, and why not elsewhere, such as "cuda:0 (NVIDIA H200)"; None for any other recommender."""
        return self._native.device()

    @property
    def oracle_report(self) -> Optional[dict[str, Any]]:
        """What asking an oracle took so far: questions, how many were answered from memory, requests, latency, retries; else None."""
        report = self._native.oracle_report()
        return None if report is None else dict(json.loads(report))


_OPENED: Kept[Explainer] = Kept()


def opened(
    folder: str,
    hash: str,
    method: "Union[str, Method]",
    words: Optional[Words],
    name: Optional[str],
    device: str = "auto",
    token: Optional[str] = None,
) -> Explainer:
    """The explainer of a model folder, opened once a process; refused if the folder holds another model than the one of this hash."""

    def make() -> Explainer:
        found = _native.model_hash(folder)
        if found != hash:
            raise ModelError(f"{folder} holds the model {found} here, but {hash} where it was asked for: put the same model there")
        return Explainer(load(folder), method=method, words=words, name=name, device=device)

    return _OPENED.get((hash, token or method, words, name, device), make)


def asked_of_many(k: int = 10, goal: str = "both", scope: str = "own", **search: Any) -> str:
    """What is asked about everybody's list, as JSON."""
    return _question(k=k, goals=_goals(goal), scope=scope, **search)


def asked_of_lists(k: int = 10, candidates: Optional[Iterable[Id]] = None, exclude: Optional[Iterable[Id]] = None) -> str:
    """What everybody's list is to have, as JSON."""
    return _question(k=k, candidates=candidates, exclude=exclude)


def _goals(goal: str) -> list[str]:
    if goal not in _GOALS:
        raise UsageError(f"there is no goal {goal!r}; there are {', '.join(_GOALS)}")
    return _GOALS[goal]


def _question(user: Optional[Id] = None, history: Optional[Iterable[Id]] = None, **said: Any) -> str:
    """What is asked, as JSON: what is not said is as usual."""
    question = settled({name: value for name, value in said.items() if value is not None})
    if user is not None:
        question["user"] = text_of(user)
    if history is not None:
        question["history"] = texts_of(history, "history")
    return _json(question)


def _json(said: "dict[str, Any]") -> str:
    try:
        return json.dumps(said, allow_nan=False)
    except ValueError as error:
        raise UsageError("numbers must be finite: nan and inf cannot be asked for") from error

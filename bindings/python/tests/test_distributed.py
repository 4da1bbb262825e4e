"""Rows for engines: whatever comes in, in whatever pieces, the same rows come out."""

import itertools
import json
import pickle
import random
import re
import subprocess
import sys
import threading

import pyarrow as pa
import pyarrow.compute
import pyarrow.parquet
import pytest

import grease
import grease.distributed
import grease.ray
from carts import Carts
from grease._native import model_hash
from grease._source import source
from grease.distributed import explain_batches, recommend_batches
from service import TRAINING


@pytest.fixture(scope="module")
def folder(data, tmp_path_factory):
    place = tmp_path_factory.mktemp("kept") / "model"
    grease.train(data, out=place, **TRAINING)
    return place


def users(people, size=None):
    """People in batches of a size."""
    whole = pa.record_batch({"user": pa.array(people, pa.string())})
    size = size or max(1, len(people))
    return [whole.slice(at, size) for at in range(0, len(people), size)]


def table(batches):
    return pa.Table.from_batches(batches, grease.distributed.SCHEMA)


def test_rows_are_those_of_everybody_at_once(explainer, data):
    people = [*data.user_ids[:40], "nobody-of-this-name"]
    expected = explainer.explain_many(people, k=3, progress=False).to_arrow()
    for size in (1, 7, 41):
        assert table(explain_batches(users(people, size), explainer, k=3)).equals(expected), size
    assert table(explain_batches(users(people), explainer, k=3, threads=2)).equals(expected)
    assert expected["error"].drop_null().to_pylist()[0].startswith("unknown user")


def test_rows_come_every_few_people_whatever_comes_in(explainer, data):
    for size in (1, 5, 80):
        pieces = [piece.column("user").unique().to_pylist() for piece in explain_batches(users(data.user_ids, size), explainer, k=1)]
        assert max(map(len, pieces)) <= 32 and sum(pieces, []) == data.user_ids
        assert len(pieces) <= 6, "small ones are gathered"
    taken = []
    endless = (taken.append(batch) or batch for batch in itertools.cycle(users(data.user_ids, 1)))
    rows = explain_batches(endless, explainer, k=1)
    assert next(rows).num_rows and len(taken) == 32, "no more is read than is needed"
    rows.close()


def test_ids_are_text_or_whole_numbers():
    numbers = grease.Interactions.from_arrays([1, 1, 2, 2, 3, 3], [10, 11, 10, 12, 11, 13])
    explainer = grease.Explainer(Carts(numbers), numbers)
    columns = [pa.array([1, 2], pa.int64()), pa.array([1, 2], pa.uint8()), pa.array(["1", "2"], pa.large_string())]
    columns += [pa.array(["1", "2"]).dictionary_encode(), pa.array([0, 1, 2], pa.int32())[1:]]
    asked = [table(explain_batches([pa.record_batch({"who": column})], explainer, user_col="who", k=1)) for column in columns]
    assert asked[0]["user"].unique().to_pylist() == ["1", "2"] and all(rows.equals(asked[0]) for rows in asked)
    for column, said in [
        (pa.array(["1", None]), "column 'who' has 1 rows without an id"),
        (pa.array([1.0, 2.0]), "column 'who' is of double, but ids are text or whole numbers"),
        (pa.array([True, False]), "is of bool"),
    ]:
        with pytest.raises(grease.UsageError, match=said):
            list(explain_batches([pa.record_batch({"who": column})], explainer, user_col="who"))
    with pytest.raises(grease.UsageError, match="no column 'user' among who, when"):
        list(explain_batches([pa.record_batch({"who": ["1"], "when": [3]})], explainer))


def test_pairs_of_people_and_items_do_not_depend_on_where_batches_end(explainer, data):
    asked = [(user, one.item) for user in data.user_ids[:25] for one in explainer.recommend(user, k=4)[1:4]]
    whole = pa.record_batch({"user": [user for user, _ in asked], "item": [item for _, item in asked]})
    rows = [
        table(explain_batches([whole.slice(at, size) for at in range(0, 75, size)], explainer, item_col="item", k=4, goal="factual"))
        for size in (1, 2, 33, 75)
    ]
    assert list(zip(rows[0]["user"].to_pylist(), rows[0]["item"].to_pylist())) == asked
    assert all(other.equals(rows[0]) for other in rows)
    one = explainer.explain(asked[3][0], [item for user, item in asked if user == asked[3][0]], k=4, goal="factual", prove=0)
    assert rows[0].filter(pa.compute.field("user") == asked[3][0]).equals(one.to_arrow())


def test_lists_are_those_of_one_person_at_a_time(explainer, data):
    people = [*data.user_ids[:70], "nobody-of-this-name"]
    lists = explainer.recommend_many(people, k=5, progress=False)
    rows = lists.to_arrow()
    assert len(lists) == rows.num_rows == 351 and list(lists.to_pandas()["user"][:5]) == [people[0]] * 5
    assert pa.table(lists).schema == grease.distributed.LISTS_SCHEMA
    assert rows["error"][350].as_py().startswith("unknown user") and rows["rank"][350].as_py() is None
    alone = [(user, place) for user in people[:-1] for place in explainer.recommend(user, k=5)]
    assert rows["item"].to_pylist()[:-1] == [place.item for _, place in alone]
    assert rows["rank"].to_pylist()[:-1] == [place.rank for _, place in alone]
    assert rows["score"].to_pylist()[:-1] == [place.score for _, place in alone]
    assert pa.Table.from_batches(recommend_batches(users(people, 9), explainer, k=5)).equals(rows)
    few = explainer.recommend_many(["mira"], k=5, candidates=data.item_ids[:30], exclude=data.item_ids[:29], progress=False)
    assert set(few.to_arrow()["item"].to_pylist()) <= {data.item_ids[29]}
    assert len(explainer.recommend_many(k=1, progress=False)) == 80, "everybody with a history"


def test_an_explainer_is_sent_as_folder_and_hash(folder, data, tmp_path):
    sent = pickle.dumps(grease.Explainer(grease.load(folder), words=grease.Words("guest", "drank", "drink", "drinks")))
    assert len(sent) < 1000
    there = pickle.loads(sent)
    assert there is pickle.loads(sent), "opened once a process"
    assert "drink" in there.explain_list("mira", k=1)[0].sentence


def test_another_model_on_the_other_side_is_refused(data, tmp_path):
    grease.train(data, out=tmp_path / "model", **TRAINING)
    sent = pickle.dumps(grease.Explainer(grease.load(tmp_path / "model")))
    before = model_hash(str(tmp_path / "model"))
    grease.train(data, out=tmp_path / "model", force=True, **TRAINING, seed=5)
    program = """if True:
        import pickle, sys
        import grease
        try:
            pickle.loads(sys.stdin.buffer.read())
        except grease.ModelError as error:
            print(error)
    """
    said = subprocess.run([sys.executable, "-c", program], input=sent, capture_output=True, check=True).stdout.decode()
    after = model_hash(str(tmp_path / "model"))
    assert before in said and after in said and before != after


def test_what_cannot_be_sent_says_what_to_do_instead(explainer, data):
    with pytest.raises(TypeError, match="keep it in a folder"):
        pickle.dumps(explainer)
    with pytest.raises(TypeError, match="give a function"):
        pickle.dumps(grease.Explainer(Carts(data), data))


def test_a_model_is_opened_once_a_process(folder, data):
    made, waiting = [], threading.Barrier(4)

    def make():
        made.append(1)
        return grease.load(folder)

    of = source(make)
    found = []

    def task():
        waiting.wait()
        found.append(table(explain_batches(users(["mira"]), of, k=2)))

    tasks = [threading.Thread(target=task) for _ in range(4)]
    for one in tasks:
        one.start()
    for one in tasks:
        one.join()
    assert len(made) == 1 and len(found) == 4 and all(rows.equals(found[0]) for rows in found)
    first, second = (source(folder).explainer() for _ in range(2))
    assert first is second and first is source(lambda: folder).explainer()
    for given in (folder, str(folder), grease.load(folder), first, lambda: first):
        assert table(explain_batches(users(["mira"]), given, k=2)).equals(found[0])


def test_models_that_are_none_are_refused(folder, explainer, tmp_path):
    with pytest.raises(grease.ModelError):
        explain_batches([], tmp_path)
    with pytest.raises(TypeError, match="a model is a folder"):
        explain_batches([], 5)
    with pytest.raises(grease.UsageError, match="has its method"):
        explain_batches([], explainer, method="paper")
    with pytest.raises(grease.UsageError, match="no goal 'why'"):
        explain_batches([], folder, goal="why")


def test_a_failing_recommender_is_an_exception(data):
    class Failing(Carts):
        def scores(self, user, removed, added):
            if user == "theo":
                raise LookupError("the feature store is away")
            return super().scores(user, removed, added)

    with pytest.raises(grease.RecommenderError, match="the feature store is away"):
        list(explain_batches(users(["mira", "theo"]), lambda: grease.Explainer(Failing(data), data), k=1))


def test_columns_are_those_of_the_documentation(explainer):
    assert explainer.explain_list("mira", k=1).to_arrow().schema == grease.distributed.SCHEMA
    for ddl, schema in [
        (grease.distributed.SPARK_DDL, grease.distributed.SCHEMA),
        (grease.distributed.LISTS_SPARK_DDL, grease.distributed.LISTS_SCHEMA),
    ]:
        while (outer := re.sub(r"[<(][^<>()]*[>)]", "", ddl)) != ddl:
            ddl = outer
        assert [column.split()[0] for column in ddl.split(", ")] == schema.names
    assert "seed DECIMAL(20, 0)" in grease.distributed.SPARK_DDL
    with pytest.raises(AttributeError):
        grease.distributed.NO_SUCH_THING


@pytest.mark.parametrize("verb, what", [("batch", "explain"), ("recommend", "recommend")])
def test_parts_in_any_order_become_the_file_of_one_run(folder, command_line, data, tmp_path, verb, what):
    people = [*data.user_ids, "nobody-of-this-name"]
    (tmp_path / "people.txt").write_text("".join(f"{user}\n" for user in people))
    shuffled = random.Random(3).sample(people, len(people))
    made = explain_batches if what == "explain" else recommend_batches
    (tmp_path / "parts").mkdir()
    for at in range(0, len(shuffled), 20):
        rows = pa.Table.from_batches(made(users(shuffled[at : at + 20], 3), folder, k=3))
        pyarrow.parquet.write_table(rows, tmp_path / "parts" / f"{at}.parquet")
    run = grease.distributed.run(folder, tmp_path / "run.json", what=what, k=3)
    assert json.loads((tmp_path / "run.json").read_text()) == run and run["people"] is None
    assert sorted(left.name for left in tmp_path.iterdir()) == ["parts", "people.txt", "run.json"]
    command_line(
        "merge", "--run", tmp_path / "run.json", "--users", tmp_path / "people.txt", tmp_path / "parts", "--out", tmp_path / "merged.parquet"
    )
    command_line(verb, "--model", folder, "--users", tmp_path / "people.txt", "--out", tmp_path / "one.parquet", "-k", 3)
    assert (tmp_path / "merged.parquet").read_bytes() == (tmp_path / "one.parquet").read_bytes()
    with pytest.raises(grease.UsageError, match="what is"):
        grease.distributed.run(folder, what="guess")


def test_nothing_is_needed_before_it_is_used():
    program = """if True:
        import sys
        sys.modules["pyarrow"] = sys.modules["ray"] = sys.modules["pyspark"] = None
        import grease, grease.distributed, grease.ray, grease.spark
        assert grease.distributed.SPARK_DDL.startswith("schema STRING")
        data = grease.Interactions.sample(users=20, artists=20)
        for use in (lambda: grease.distributed.SCHEMA, lambda: grease.ray.explain(None, lambda: None)):
            try:
                use()
            except ImportError as error:
                print(error)
    """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "pip install 'grease-rec[tables]'" in done.stdout and "pip install 'grease-rec[ray]'" in done.stdout

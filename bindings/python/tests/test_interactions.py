"""Data from whatever Python has it in."""

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import scipy.sparse

import grease
from grease import DataError, Interactions, UnknownIdError, Words

USERS = ["zoe", "adam", "zoe", "mia", "adam"]
ITEMS = ["tea", "milk", "milk", "tea", "rum"]
STARS = [5, 4, 1, 3, 5]


def same(a: Interactions, b: Interactions) -> bool:
    (au, ai), (bu, bi) = a.rows(), b.rows()
    return a.user_ids == b.user_ids and a.item_ids == b.item_ids and (au == bu).all() and (ai == bi).all()


def test_every_source_gives_the_same_data():
    frame = pandas.DataFrame({"user": USERS, "item": ITEMS})
    expected = Interactions(frame)
    assert repr(expected) == "Interactions(3 users, 3 items, 5 interactions)"
    assert expected.user_ids == ["zoe", "adam", "mia"], "in order of first appearance"
    table = pyarrow.table({"user": USERS, "item": ITEMS})
    matrix = scipy.sparse.lil_matrix((3, 3))
    for user, item in zip(USERS, ITEMS):
        matrix[["zoe", "adam", "mia"].index(user), ["tea", "milk", "rum"].index(item)] = 2
    for other in (
        Interactions(table),
        Interactions(table.to_batches()[0]),
        Interactions(polars.DataFrame({"item": ITEMS, "user": USERS})),
        Interactions(frame.astype("category")),
        Interactions(frame.rename(columns={"user": "who", "item": "what"}), user="who", item="what"),
        Interactions.from_arrays(np.array(USERS), ITEMS),
        Interactions.from_scipy(matrix.tocsr(), user_ids=["zoe", "adam", "mia"], item_ids=["tea", "milk", "rum"]),
        Interactions.from_arrays([0, 1, 0, 2, 1], [0, 1, 1, 0, 2], user_ids=["zoe", "adam", "mia"], item_ids=["tea", "milk", "rum"]),
    ):
        assert same(other, expected)


def test_numbers_come_back_as_numbers_and_text_as_text():
    frame = pandas.DataFrame({"user": [7, 7, 9], "item": [100, 200, 100]})
    assert Interactions(frame).user_ids == [7, 9]
    assert Interactions(polars.from_pandas(frame)).item_ids == [100, 200]
    assert Interactions(pyarrow.Table.from_pandas(frame)).item_ids == [100, 200]
    assert Interactions(frame.astype(str)).user_ids == ["7", "9"]
    assert Interactions.from_arrays(np.array([7, 9], np.uint16), ["a", "b"]).user_ids == [7, 9]
    assert Interactions.from_scipy(scipy.sparse.eye(3)).item_ids == [0, 1, 2]


def test_low_ratings_are_left_out():
    frame = pandas.DataFrame({"user": USERS, "item": ITEMS, "stars": STARS})
    assert len(Interactions(frame, rating="stars", min_rating=4)) == 3


def test_values_of_zero_are_no_interactions_and_cold_rows_stay():
    matrix = scipy.sparse.csr_matrix(([1.0, 0.0], ([0, 1], [0, 1])), shape=(4, 5))
    data = Interactions.from_scipy(matrix)
    assert data.shape == (4, 5) and len(data) == 1


def test_titles_and_words():
    frame = pandas.DataFrame({"user": USERS, "item": ITEMS, "name": ["Tea", "Milk", "Milk", "Tea", "Rum"]})
    assert Interactions(frame, title="name").titles == ["Tea", "Milk", "Rum"]
    data = Interactions(frame[["user", "item"]], titles={"tea": "Green tea"}, words=Words("guest", "drank", "drink", "drinks"))
    assert data.titles == ["Green tea", None, None]
    with pytest.raises(UnknownIdError, match="unknown item 'ale' has a title"):
        Interactions(frame[["user", "item"]], titles={"ale": "Ale"})


def test_files_are_read_as_the_command_line_reads_them(tmp_path):
    file = tmp_path / "ratings.csv"
    file.write_text("user,item,rating\nzoe,tea,5\nadam,tea,4\nadam,milk,1\n")
    assert len(Interactions.read(file)) == 3
    assert len(Interactions.read(file, min_rating=3)) == 2
    with pytest.raises(DataError, match="line 3"):
        file.write_text("user,item\nzoe,tea\nadam\n")
        Interactions.read(file)


@pytest.mark.parametrize(
    "table, said",
    [
        (pandas.DataFrame({"a": [1], "b": [2]}), "user"),
        (pandas.DataFrame({"user": ["a", None], "item": ["x", "y"]}), "row 2"),
        (pandas.DataFrame({"user": [1.5], "item": [2]}), "integer or a string"),
        (pandas.DataFrame({"user": ["a\tb"], "item": ["x"]}), "control characters"),
        (pandas.DataFrame({"user": [], "item": []}, dtype=str), "no interactions|empty|nothing"),
    ],
)
def test_bad_tables_are_refused_with_the_reason(table, said):
    with pytest.raises(DataError, match=said):
        Interactions(table)


def test_bad_arrays_are_refused_with_the_reason():
    with pytest.raises(TypeError, match="from_arrays"):
        Interactions([["a", "b"]])
    with pytest.raises(DataError, match="an interaction has one of each"):
        Interactions.from_arrays(["a"], ["x", "y"])
    with pytest.raises(DataError, match="user row 5, but there are 2"):
        Interactions.from_arrays([5], [0], user_ids=["a", "b"], item_ids=["x"])
    with pytest.raises(DataError, match="user row -1"):
        Interactions.from_arrays([-1], [0], user_ids=["a", "b"], item_ids=["x"])
    with pytest.raises(DataError, match="'a' stands there twice"):
        Interactions.from_arrays([0], [0], user_ids=["a", "a"], item_ids=["x"])
    with pytest.raises(DataError, match="not float64"):
        Interactions.from_arrays([0.5], ["x"])
    with pytest.raises(grease.GreaseError):
        Interactions.from_arrays([0], [0], user_ids=["a\n"], item_ids=["\x00"])

"""An oracle: people who chose what you chose also chose. Reads a table of pairs with the columns user and item."""
import collections, csv, json, sys

with open(sys.argv[1], newline="") as file:
    pairs = {(row["user"], row["item"]) for row in csv.DictReader(file, delimiter="\t")}
users, items = {user for user, _ in pairs}, sorted({item for _, item in pairs})

def scores(user, edit):
    me = object() if user is None else user  # somebody new is nobody of the table
    now = pairs - set(map(tuple, edit["removed"])) | set(map(tuple, edit["added"]))
    baskets = collections.defaultdict(set, {me: set(edit.get("history", ()))})
    for who, item in now:
        baskets[who].add(item)
    count = collections.Counter()
    for basket in (basket for who, basket in baskets.items() if who != me):
        shared = len(basket & baskets[me])
        count.update(dict.fromkeys(basket, shared))
    return [count[item] for item in items]

def answer(request):
    if "hello" in request:
        abilities = ["newcomers", "others"]
        reply = {"grease": "oracle/1", "name": "also chosen", "version": "1", "items": items, "abilities": abilities}
    elif request["score"]["user"] not in users | {None}:
        reply = {"error": "unknown user " + request["score"]["user"]}
    else:
        reply = {"scores": [scores(request["score"]["user"], edit) for edit in request["score"]["edits"]]}
    return {"id": request["id"], **reply}

if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line))), flush=True)

"""The smallest oracle: people who chose what you chose also chose. Reads a table with the columns user and item."""
import csv, json, sys

carts = {}
for row in csv.DictReader(open(sys.argv[1], newline=""), delimiter="\t"):
    carts.setdefault(row["user"], set()).add(row["item"])
items = sorted(set().union(*carts.values()))

def scores(user, edit):
    mine = carts[user] - {item for _, item in edit["removed"]} | {item for _, item in edit["added"]}
    shared = {who: len(mine & cart) for who, cart in carts.items() if who != user}
    return [sum(n for who, n in shared.items() if item in carts[who]) for item in items]

for line in sys.stdin:
    ask = json.loads(line)
    if "hello" in ask:
        reply = {"grease": "oracle/1", "name": "also chosen", "version": "1", "items": items}
    elif ask["score"]["user"] not in carts:
        reply = {"error": "unknown user " + ask["score"]["user"]}
    else:
        reply = {"scores": [scores(ask["score"]["user"], edit) for edit in ask["score"]["edits"]]}
    print(json.dumps({"id": ask["id"], **reply}), flush=True)

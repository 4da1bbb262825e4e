"""Every picture of mira's list, from the service at $SERVICE."""
import json, os, urllib.request

def ask(path, data=None):
    request = urllib.request.Request(os.environ["SERVICE"] + path, data, {"Content-Type": "application/json"})
    return urllib.request.urlopen(request).read().decode()

for picture in json.loads(ask("/api/explanations", b'{"user": "mira", "k": 3}'))["ids"]:
    print(picture, ask(f"/api/explanations/{picture}.svg"))

"""The oracle of oracle.py behind HTTP. Takes a free port and writes its number to the file `port`."""
import http.server, json

from oracle import answer

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"  # keeps connections open
    disable_nagle_algorithm = True

    def do_POST(self):
        question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = json.dumps(answer(question)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open("port", "w") as file:
    file.write(str(server.server_port))
server.serve_forever()

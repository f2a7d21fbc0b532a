"""Serves a front end and its made-up API on loopback, and notes what was asked."""
import http.server
import json
import mimetypes
import pathlib
import threading
import urllib.parse

from apps import App

# What Python's table of types lacks on some machines.
TYPES = {".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm"}


class AppServer:
    """One app at one address. Static files come from its folder, the API's answers from its table."""

    def __init__(self, app: App, folder: pathlib.Path, address: str, port: int) -> None:
        self.origin = f"http://{address}:{port}"
        self.asked: list[tuple[str, str, int]] = []
        served = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self.answer()

            do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_GET

            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path = urllib.parse.unquote(urllib.parse.urlsplit(self.path).path)
                status, kind, body = served.response(app, folder, path)
                served.asked.append((self.command, self.path, status))
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                """A browser that ends leaves connections open, which is none of the bench's business."""

        self.http = Server((address, port), Handler)
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    @staticmethod
    def response(app: App, folder: pathlib.Path, path: str) -> tuple[int, str, bytes]:
        """Status, type and body for a path: of the API, of a file, or of the app's one page, as its own server answers."""
        if path == "/robots.txt":
            return 404, "text/plain", b""
        if path in app.api:
            answer = app.api[path]
            if isinstance(answer, str):
                return 200, "text/plain; charset=utf-8", answer.encode()
            return 200, "application/json", json.dumps(answer).encode()
        for prefix, place in app.files.items():
            if not path.startswith(prefix):
                continue
            file = (folder / place / path[len(prefix):]).resolve()
            if file.is_relative_to(folder) and file.is_file() and file.name != "index.html":
                kind = TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
                return 200, kind, app.filled(file.read_bytes()) if file.suffix in (".js", ".json") else file.read_bytes()
        # A file or an answer that is not there. Pages have no suffix.
        if pathlib.PurePosixPath(path).suffix or path.startswith(app.api_prefixes):
            return 404, "application/json", b'{"detail": "Not Found"}'
        return 200, "text/html; charset=utf-8", app.filled((folder / app.page_file).read_bytes())

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()

"""A connection to an OpenSearch cluster: requests with credentials, and pauses that grow."""
import base64
import json
import netrc
import os
import random
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request

# Answers are short: the loader asks for the outcome of each document alone, a search for a page of hits.
MOST_ANSWER_BYTES = 64_000_000
# Asked again: too busy, being started, not reachable behind a proxy.
LATER = {429, 502, 503, 504}
LONGEST_PAUSE = 30.0


class Failure(Exception):
    """The index takes nothing, and asking again does not help."""


class Busy(Exception):
    """The index may take it later."""

    def __init__(self, reason, pause=None):
        super().__init__(reason)
        self.pause = pause


class Connection:
    def __init__(self, url, ca_file=None, netrc_file=None, auth_env=None, timeout=60):
        self.url = url.rstrip("/")
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            raise Failure(f"{url} is not the address of a cluster")
        self.timeout = timeout
        context = ssl.create_default_context(cafile=ca_file) if parts.scheme == "https" else None
        handlers = [urllib.request.HTTPSHandler(context=context)] if context else []
        # Without redirects: they would take the credentials to another host.
        self.opener = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({}), *handlers)
        self.authorization = _authorization(parts.hostname, netrc_file, auth_env)
        if self.authorization and parts.scheme == "http":
            raise Failure("credentials are only sent over https")

    def ask(self, method, path, body=None, content_type="application/json"):
        """One request. Returns the answer's JSON; raises Busy or Failure."""
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
        request = urllib.request.Request(self.url + path, data=body, method=method)
        if body is not None:
            request.add_header("Content-Type", content_type)
        if self.authorization:
            request.add_header("Authorization", self.authorization)
        try:
            with self.opener.open(request, timeout=self.timeout) as answer:
                return _json(answer.read(MOST_ANSWER_BYTES + 1))
        except urllib.error.HTTPError as error:
            with error:
                reason = f"status {error.code}: {_reason(error.read(100_000))}"
                if error.code in LATER:
                    raise Busy(reason, _seconds(error.headers.get("Retry-After"))) from None
                failure = Failure(reason)
                failure.status = error.code
                raise failure from None
        except (urllib.error.URLError, OSError, ValueError, EOFError) as error:
            if isinstance(getattr(error, "reason", None), ssl.SSLCertVerificationError):
                raise Failure(f"certificate: {error.reason}") from None
            raise Busy(f"no answer: {error}") from None
        except Exception as error:
            # http.client's own errors: an answer that ends too early, or is none.
            if type(error).__module__ == "http.client":
                raise Busy(f"no answer: {error!r}") from None
            raise


class Patience:
    """How long an index is waited for: pauses double up to half a minute, or are as long as the index says."""

    def __init__(self, give_up_after):
        self.give_up_after = give_up_after
        self.waited = 0.0
        self.pause = 0.5

    def wait(self, busy):
        pause = busy.pause if busy.pause is not None else self.pause * random.uniform(0.75, 1.25)
        if self.waited + pause > self.give_up_after:
            raise Failure(f"the index takes nothing for too long: {busy}")
        time.sleep(pause)
        self.waited += pause
        self.pause = min(LONGEST_PAUSE, self.pause * 2)


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def _authorization(host, netrc_file, auth_env):
    if auth_env:
        value = os.environ.get(auth_env, "")
        if not value or "\n" in value or "\r" in value:
            raise Failure(f"the environment variable {auth_env} has no credentials")
        if " " in value:
            return value
        return "Basic " + base64.b64encode(value.encode()).decode()
    if netrc_file:
        if os.stat(netrc_file).st_mode & 0o077:
            raise Failure(f"{netrc_file} is readable for others: chmod 600 {netrc_file}")
        try:
            found = netrc.netrc(netrc_file).authenticators(host)
        except netrc.NetrcParseError as error:
            raise Failure(f"{netrc_file}: {error}") from None
        if not found:
            raise Failure(f"{netrc_file} has nothing for {host}")
        return "Basic " + base64.b64encode(f"{found[0]}:{found[2]}".encode()).decode()
    return None


def _seconds(text):
    """Retry-After in seconds; a date is left to the growing pauses."""
    return min(float(text), 600.0) if text and text.strip().isdigit() else None


def _json(data):
    if len(data) > MOST_ANSWER_BYTES:
        raise Failure(f"an answer has more than {MOST_ANSWER_BYTES} bytes")
    return json.loads(data) if data else None


def _reason(data):
    try:
        error = json.loads(data)["error"]
        return error["reason"] if isinstance(error, dict) else str(error)
    except (ValueError, KeyError, TypeError):
        return data[:200].decode(errors="replace")

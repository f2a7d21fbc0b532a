"""Certificates made on the spot, good and bad, by the `openssl` that is installed."""
import dataclasses
import pathlib
import ssl
import subprocess
import typing

KINDS: typing.Final = ("good", "expired", "early", "elsewhere", "selfsigned", "untrusted", "escapes", "wide")
_SETTINGS: typing.Final = """
[ca]
default_ca = all
[all]
database = index
serial = serial
new_certs_dir = .
default_md = sha256
policy = policy
copy_extensions = copy
unique_subject = no
[policy]
commonName = supplied
"""
_KEY: typing.Final = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")


@dataclasses.dataclass(frozen=True)
class Certificates:
    """An authority, and what it signed."""

    folder: pathlib.Path

    @property
    def authority(self) -> pathlib.Path:
        return self.folder / "ca.pem"

    @classmethod
    def made(cls, folder: pathlib.Path, addresses: typing.Iterable[str]) -> "Certificates":
        """For names below `localhost` and all the addresses."""
        folder.mkdir()
        made = cls(folder)
        names = ",".join(["DNS:localhost", "DNS:*.localhost", *(f"IP:{address}" for address in addresses)])
        wide = ",".join(f"DNS:host-{i}.a-rather-long-name-for-a-host-of-a-certificate.example" for i in range(800))
        for authority in ("ca", "other"):
            made._run(
                "req", "-x509", *_KEY, "-keyout", f"{authority}.key", "-out", f"{authority}.pem", "-days", "2", "-subj",
                f"/CN=Hostile web {authority}", "-addext", "keyUsage=critical,keyCertSign")
        made._sign("good", names)
        made._sign("expired", names, valid=("20200101000000Z", "20200102000000Z"))
        made._sign("early", names, valid=("20990101000000Z", "20990201000000Z"))
        made._sign("elsewhere", "DNS:elsewhere.example")
        made._sign("untrusted", names, authority="other")
        made._sign("escapes", "DNS:elsewhere.example", subject="/CN=\x1b[31mred\u202egpj")
        made._sign("wide", wide)
        made._run(
            "req", "-x509", *_KEY, "-keyout", "selfsigned.key", "-out", "selfsigned.pem", "-days", "2", "-subj",
            "/CN=self", "-addext", f"subjectAltName={names}")
        return made

    def context(self, kind: str = "good", alpn: typing.Iterable[str] = ("http/1.1",)) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / f"{kind}.pem", self.folder / f"{kind}.key")
        context.set_alpn_protocols(list(alpn))
        return context

    def _sign(
        self, name: str, names: str, authority: str = "ca", subject: str | None = None, valid: tuple[str, str] | None = None,
    ) -> None:
        self._run(
            "req", *_KEY, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", subject or f"/CN={name}", "-utf8",
            "-addext", f"subjectAltName={names}")
        if valid is None:
            self._run(
                "x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key", "-CAcreateserial",
                "-copy_extensions", "copyall", "-out", f"{name}.pem", "-days", "2")
            return
        # `x509` sets no first day.
        (self.folder / "index").write_text("")
        (self.folder / "serial").write_text("01")
        (self.folder / "ca.cnf").write_text(_SETTINGS)
        self._run(
            "ca", "-batch", "-config", "ca.cnf", "-cert", f"{authority}.pem", "-keyfile", f"{authority}.key", "-in",
            f"{name}.csr", "-out", f"{name}.pem", "-notext", "-startdate", valid[0], "-enddate", valid[1])

    def _run(self, *arguments: str) -> None:
        done = subprocess.run(["openssl", *arguments], cwd=self.folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"openssl {' '.join(arguments)}: {done.stderr}")

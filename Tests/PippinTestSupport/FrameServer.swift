import Foundation
import Glibc

/// An HTTP/2 server that writes its frames by hand and breaks the rules it is asked to break. The first label of the host name says
/// which (`empty-data.pippin.localhost`). Python's, because it has TLS with ALPN and shares no code with us.
public final class FrameServer: Sendable {
    /// Frames without end that bring no bytes. A server may send each of them.
    public static let floods = [
        "empty-data", "padding", "pong", "window-update", "goaway", "priority", "unknown-frame", "ping", "settings",
        "continuation", "information",
    ]
    /// Ends of a body that are none.
    public static let cuts = [
        "reset", "reset-cancel", "goaway-close", "close", "broken-frame", "bad-frame", "data-of-stream-0",
        "bad-trailer",
        "bad-padding", "too-long",
    ]

    public let certificates: TestCertificates
    private let folder: URL
    private let process: pid_t
    private let port: UInt16

    public init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pippin-frames-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        do {
            certificates = try TestCertificates(in: folder)
            port = try LoopbackServer.freePort()
            let server = try TestTool("python3").start(
                ["-c", Self.script, certificates.certificatePath(.valid), certificates.keyPath(.valid), "\(port)"],
                in: folder, log: folder.appending(path: "frames.log"))
            process = server.processIdentifier
            // It says nowhere that it listens: it is asked until it does, for twenty seconds.
            for _ in 1...2000 where server.isRunning && !LoopbackServer.isListening(port) { poll(nil, 0, 10) }
            guard server.isRunning else {
                throw TestTool.Failure(
                    description: try String(contentsOf: folder.appending(path: "frames.log"), encoding: .utf8))
            }
        } catch {
            try FileManager.default.removeItem(at: folder)
            throw error
        }
    }

    deinit {
        kill(process, SIGKILL)
        // Left behind, a temporary folder harms nobody.
        try? FileManager.default.removeItem(at: folder)
    }

    /// A page whose answer has the fault; `whole` has none.
    public func url(_ fault: String, _ path: String = "/") -> String {
        "https://\(fault).\(TestCertificates.domain):\(port)\(path)"
    }

    private static let script = #"""
        import select, socket, ssl, struct, sys, threading

        KINDS = {"data": 0, "headers": 1, "priority": 2, "reset": 3, "settings": 4, "ping": 6, "goaway": 7, "window": 8,
                 "continuation": 9, "unknown": 0xFA}

        def frame(kind, flags, stream, payload=b""):
            return struct.pack(">I", len(payload))[1:] + bytes([KINDS[kind], flags]) + struct.pack(">I", stream) + payload

        def field(name, value):
            return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value

        OK = b"\x88" + field(b"content-type", b"text/html")
        EARLY = field(b":status", b"103") + field(b"link", b"</a>")

        class Connection:
            def __init__(self, plain, context):
                self.tls = context.wrap_socket(plain, server_side=True)
                self.window = 65535

            def read(self, count):
                data = b""
                while len(data) < count:
                    block = self.tls.recv(count - len(data))
                    if not block:
                        raise EOFError
                    data += block
                return data

            def frame(self):
                head = self.read(9)
                length = int.from_bytes(head[:3], "big")
                return head[3], head[4], int.from_bytes(head[5:9], "big"), self.read(length)

            def serve(self):
                self.read(24)
                self.tls.sendall(frame("settings", 0, 0))
                while True:
                    kind, flags, stream, payload = self.frame()
                    if kind == 4 and not flags & 1:
                        self.tls.sendall(frame("settings", 1, 0))
                    elif kind == 8 and stream == 0:
                        self.window += int.from_bytes(payload, "big")
                    elif kind == 1:
                        self.answer(stream, self.tls.fault)

            # Writes until the client goes. Its frames are read meanwhile, or the two wait for each other; one thread does both, as
            # two threads must not share a TLS connection.
            def flood(self, block, counted=0):
                count = max(1, 16384 // len(block))
                unsent = received = b""
                self.tls.setblocking(False)
                while True:
                    if not unsent and self.window >= counted * count:
                        self.window -= counted * count
                        unsent = block * count
                    try:
                        data = self.tls.recv(16384)
                        if not data:
                            return
                        received += data
                    except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                        pass
                    while len(received) >= 9 and len(received) >= 9 + int.from_bytes(received[:3], "big"):
                        length = int.from_bytes(received[:3], "big")
                        if received[3] == 8 and received[5:9] == bytes(4):
                            self.window += int.from_bytes(received[9:13], "big")
                        received = received[9 + length:]
                    try:
                        unsent = unsent[self.tls.send(unsent):] if unsent else unsent
                    except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                        pass
                    select.select([self.tls], [self.tls] if unsent else [], [], 1)

            def answer(self, stream, fault):
                send = self.tls.sendall
                half = frame("data", 0, stream, b"half")
                floods = {
                    "empty-data": frame("data", 0, stream),
                    "ping": frame("ping", 0, 0, b"12345678"),
                    "pong": frame("ping", 1, 0, b"12345678"),
                    "settings": frame("settings", 0, 0),
                    "window-update": frame("window", 0, 0, b"\0\0\0\1"),
                    "goaway": frame("goaway", 0, 0, struct.pack(">II", 0x7FFFFFFF, 0)),
                    "priority": frame("priority", 0, stream, b"\0\0\0\0\1"),
                    "unknown-frame": frame("unknown", 0, stream, b"x" * 20),
                }
                cuts = {
                    "reset": frame("reset", 0, stream, b"\0\0\0\0"),
                    "reset-cancel": frame("reset", 0, stream, b"\0\0\0\x08"),
                    "goaway-close": frame("goaway", 0, 0, struct.pack(">II", stream, 0)),
                    "close": b"",
                    "broken-frame": half[:7],
                    "bad-frame": frame("window", 0, stream, b"\0\0\0\0"),
                    "data-of-stream-0": frame("data", 1, 0, b"half"),
                    "bad-trailer": frame("headers", 5, stream, b"\x80"),
                    "bad-padding": frame("data", 8, stream, b"\xffhalf"),
                    "too-long": b"\xff\xff\xff\0\0" + struct.pack(">I", stream),
                }
                if fault == "information":
                    return self.flood(frame("headers", 4, stream, EARLY))
                send(frame("headers", 0 if fault == "continuation" else 4, stream, OK))
                if fault == "continuation":
                    return self.flood(frame("continuation", 0, stream))
                if fault == "padding":
                    return self.flood(frame("data", 8, stream, b"\xff" + b"\0" * 255), counted=256)
                if fault in floods:
                    return self.flood(floods[fault])
                if fault in cuts:
                    send(half + cuts[fault])
                    if fault in ("goaway-close", "close", "broken-frame"):
                        raise EOFError
                    return
                send(frame("data", 1, stream, b"<p>whole</p>"))

        # A client that has to be certain of a body's end may ask again by HTTP/1.1.
        def serve_plain(tls):
            data = b""
            while b"\r\n\r\n" not in data:
                block = tls.recv(4096)
                if not block:
                    return
                data += block
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
            if tls.fault == "whole":
                tls.sendall(head + b"Content-Length: 12\r\n\r\n<p>whole</p>")
            else:
                tls.sendall(head + b"Content-Length: 12\r\n\r\nhalf")
            tls.close()

        def main(certificate, key, port):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            context.set_alpn_protocols(["h2", "http/1.1"])
            def named(tls, name, _):
                tls.fault = (name or "").split(".")[0]
            context.sni_callback = named
            listener = socket.create_server(("127.0.0.1", port), backlog=128)
            while True:
                plain, _ = listener.accept()
                def run(plain=plain):
                    try:
                        plain.settimeout(60)
                        connection = Connection(plain, context)
                        if connection.tls.selected_alpn_protocol() == "h2":
                            connection.serve()
                        else:
                            serve_plain(connection.tls)
                    except (OSError, EOFError, AttributeError):
                        pass
                    finally:
                        try:
                            connection.tls.close()
                        except Exception:
                            plain.close()
                threading.Thread(target=run, daemon=True).start()

        main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
        """#
}

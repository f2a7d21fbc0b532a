import Foundation
import PippinTestSupport
import Testing

/// The demo's HTTPS against clients that share no code with it: Python's ssl module, `openssl s_client` and `curl`.
@Suite(.slow) struct DemoTLSTests {
    /// Serves one host with a short page, a long one (`bigBytes`) and a slow one, while `body` runs with the port.
    private func serving(_ body: (_ demo: DemoProcess, _ port: String, _ folder: URL) async throws -> Void) async throws
    {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        let host = folder.appending(path: "site/shop.example")
        try FileManager.default.createDirectory(at: host, withIntermediateDirectories: true)
        try Data("<title>Mug</title>".utf8).write(to: host.appending(path: "mug.html"))
        try Data((0..<Self.bigBytes).map { UInt8(truncatingIfNeeded: $0 / 251) })
            .write(to: host.appending(path: "big.bin"))
        let responses = """
            { "/slow.html": { "file": "/mug.html", "delay": 1500 }, "/big.bin": { "headers": { "ETag": null } } }
            """
        try Data(responses.utf8)
            .write(to: host.appending(path: "responses.json"))
        try await DemoProcess.serving(site: folder.appending(path: "site"), folder: folder) { demo in
            let origin = try demo.origin(of: "shop.example")
            try await body(demo, String(try #require(origin.split(separator: ":").last)), folder)
        }
    }

    private static let bigBytes = 6 << 20

    /// Runs a script of Python with the beginning that all share.
    private func judge(_ script: String, port: String, folder: URL, _ more: [String] = []) async throws -> String {
        let verdict = try await PippinProcess.onItsOwnThread {
            try PythonJudge().run(
                Self.beginning + script, [port, folder.appending(path: "ca.pem").path] + more)
        }
        #expect(verdict.status == 0, "\(verdict.output)")
        return verdict.output
    }

    private static let beginning = """
        import hashlib, os, socket, ssl, struct, sys, threading, time
        port, authority = int(sys.argv[1]), sys.argv[2]
        name = "shop.localhost"
        def context(version=None, security=None):
            made = ssl.create_default_context(cafile=authority)
            if security is not None: made.set_ciphers(f"DEFAULT@SECLEVEL={security}")
            if version: made.minimum_version = version; made.maximum_version = version
            made.set_alpn_protocols(["h2", "http/1.1"])
            return made
        def connect(made, session=None):
            plain = socket.create_connection(("127.0.0.1", port), timeout=60)
            # An end without close_notify is an error.
            return made.wrap_socket(plain, server_hostname=name, session=session, suppress_ragged_eofs=False)
        def request(path, more="Connection: close\\r\\n"):
            return f"GET {path} HTTP/1.1\\r\\nHost: {name}:{port}\\r\\n{more}\\r\\n".encode()
        def rest(connection):
            taken = b""
            while piece := connection.recv(1 << 16): taken += piece
            return taken

        """

    @Test func `TLS 1.2 and 1.3 are spoken, older ones are not, and sessions are taken up again`() async throws {
        try await serving { _, port, folder in
            let printed = try await judge(
                """
                for version in ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3:
                    made, session = context(version), None
                    for turn in range(3):
                        connection = connect(made, session)
                        connection.sendall(request("/mug.html"))
                        answer = rest(connection)
                        assert answer.startswith(b"HTTP/1.1 200") and answer.endswith(b"<title>Mug</title>"), answer
                        session = connection.session
                        print(connection.version(), connection.selected_alpn_protocol(), connection.session_reused)
                        connection.close()
                import warnings
                warnings.simplefilter("ignore")
                try:
                    connect(context(ssl.TLSVersion.TLSv1_1, 0))
                    print("TLS 1.1")
                except ssl.SSLError as error: print(error.reason)
                """, port: port, folder: folder)
            #expect(
                printed == """
                    TLSv1.2 http/1.1 False
                    TLSv1.2 http/1.1 True
                    TLSv1.2 http/1.1 True
                    TLSv1.3 http/1.1 False
                    TLSv1.3 http/1.1 True
                    TLSv1.3 http/1.1 True
                    TLSV1_ALERT_PROTOCOL_VERSION

                    """)
            let openssl = try TestTool("openssl")
            try openssl.run(
                [
                    "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "shop.localhost", "-CAfile", "ca.pem",
                    "-verify_return_error", "-verify_hostname", "shop.localhost", "-tls1_2",
                ], in: folder)
            for list in ["", "--no-alpn", "--http1.1"] {
                let curl = try await PippinProcess.run(
                    "curl -sS --cacert ca.pem \(list) --resolve shop.localhost:\(port):127.0.0.1"
                        + " https://shop.localhost:\(port)/mug.html", in: folder)
                #expect(curl.output == "<title>Mug</title>", "\(curl.errors)")
            }
        }
    }

    @Test func `many clients get long pages whole, also slowly, and one after the other on a connection`() async throws
    {
        try await serving { _, port, folder in
            let printed = try await judge(
                """
                made, digests, lock = context(), set(), threading.Lock()
                want = hashlib.sha256(bytes((i // 251) & 255 for i in range(\(Self.bigBytes)))).hexdigest()
                def run(turn):
                    connection = connect(made)
                    if turn % 2: connection.sendall(request("/mug.html", "") + request("/slow.html", "") + request("/big.bin"))
                    else: connection.sendall(request("/big.bin"))
                    # Longer than the server waits for anything else at the end of a connection.
                    if turn == 0: time.sleep(12)
                    answer = rest(connection)
                    assert answer.count(b"HTTP/1.1 200") == (3 if turn % 2 else 1), answer[:300]
                    digest = hashlib.sha256(answer[-\(Self.bigBytes):]).hexdigest()
                    with lock: digests.add(digest == want); done.append(turn)
                done = []
                threads = [threading.Thread(target=run, args=(turn,)) for turn in range(12)]
                for thread in threads: thread.start()
                for thread in threads: thread.join()
                print(len(done), digests)
                """, port: port, folder: folder)
            #expect(printed == "12 {True}\n")
        }
    }

    @Test func `a client that sends no more gets its answer, by TLS and by TCP`() async throws {
        try await serving { _, port, folder in
            let printed = try await judge(
                """
                for ending in "close_notify", "FIN":
                    plain = socket.create_connection(("127.0.0.1", port), timeout=60)
                    arrived, leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
                    made = context().wrap_bio(arrived, leaving, server_hostname=name)
                    def until(step):
                        while True:
                            try: return step()
                            except ssl.SSLWantReadError:
                                if leaving.pending: plain.sendall(leaving.read())
                                piece = plain.recv(1 << 16)
                                arrived.write(piece) if piece else arrived.write_eof()
                    until(made.do_handshake)
                    made.write(request("/slow.html", ""))
                    if ending == "close_notify":
                        try: made.unwrap()
                        except ssl.SSLWantReadError: pass
                    plain.sendall(leaving.read())
                    if ending == "FIN": plain.shutdown(socket.SHUT_WR)
                    answer = b""
                    try:
                        while piece := until(lambda: made.read(1 << 16)): answer += piece
                        print(ending, answer.endswith(b"<title>Mug</title>"))
                    except ssl.SSLZeroReturnError: print(ending, answer.endswith(b"<title>Mug</title>"))
                    # The server closes the connection too.
                    print(plain.recv(1) == b"")
                """, port: port, folder: folder)
            #expect(printed == "close_notify True\nTrue\nFIN True\nTrue\n")
        }
    }

    @Test func `clients that leave midway or send no TLS cost nothing that stays`() async throws {
        try await serving { demo, port, folder in
            let printed = try await judge(
                """
                process = sys.argv[3]
                def sockets():
                    count = 0
                    for file in os.listdir(f"/proc/{process}/fd"):
                        try: count += os.readlink(f"/proc/{process}/fd/{file}").startswith("socket:")
                        except FileNotFoundError: pass
                    return count
                before = sockets()
                for turn in range(30):
                    connection = connect(context())
                    connection.sendall(request("/big.bin") if turn % 3 else b"GET / HT")
                    if turn % 3: connection.recv(1000)
                    # Without a farewell of TLS; each second without one of TCP.
                    if turn % 2: connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    connection.close()
                for bytes in b"GET / HTTP/1.1\\r\\n\\r\\n", b"\\x16\\x03\\x01\\xff\\xff" + b"x" * 70000, b"\\x16\\x03\\x01\\x00\\x05", b"":
                    plain = socket.create_connection(("127.0.0.1", port), timeout=60)
                    try:
                        plain.sendall(bytes)
                        plain.shutdown(socket.SHUT_WR)
                        # An alert of TLS at most.
                        answer = plain.recv(1000)
                        assert answer == b"" or answer[0] == 0x15, answer
                    except OSError as error: assert error.errno in (32, 104), error
                    plain.close()
                until = time.monotonic() + 60
                while sockets() > before and time.monotonic() < until: time.sleep(0.05)
                print("left", sockets() - before)
                connection = connect(context())
                connection.sendall(request("/mug.html"))
                print(rest(connection)[-18:])
                """, port: port, folder: folder, ["\(demo.identifier)"])
            #expect(printed == "left 0\nb'<title>Mug</title>'\n")
        }
    }
}

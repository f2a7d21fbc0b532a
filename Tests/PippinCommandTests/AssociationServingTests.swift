import Foundation
import PippinTestSupport
import Testing

@testable import PippinPage

/// Association files as a real server serves them, over TLS of an authority of our own: right, wrong and odd. Each is judged
/// by `pippin association` and by a crawl.
@Suite struct AssociationServingTests {
    /// A host with one way of serving Apple's file.
    private struct Serving {
        let name: String
        /// nginx's blocks for the association file.
        var locations: String
        /// What `pippin association` says of the file: whether it is in force, and the codes of its notes.
        var isInForce = false
        var codes: [String] = []
        /// Words of the judgement or the first note.
        var words = ""
        /// What a crawl says of the page's deep link.
        var status = "not-covered"
    }

    private static let place = "/.well-known/apple-app-site-association"
    private static let file =
        #"{"applinks": {"details": [{"appIDs": ["ABCDE12345.org.example.app"], "components": [{"/": "/open/*"}]}]}}"#

    private static func serve(
        _ file: String, as type: String = "application/json", at place: String = place, _ more: String = ""
    ) -> String {
        "location = \(place) { default_type \(type); alias \(file); \(more) }"
    }

    private static let servings = [
        Serving(name: "right", locations: serve("right"), isInForce: true, status: "verified"),
        Serving(
            name: "packed", locations: serve("full", "gzip on; gzip_types application/json; gzip_min_length 1;"),
            isInForce: true, status: "verified"),
        Serving(
            name: "typed", locations: serve("right", as: "text/plain"), isInForce: true,
            codes: ["association-content-type"], words: "text/plain", status: "verified"),
        Serving(
            name: "signed", locations: serve("signed", as: "application/pkcs7-mime"), isInForce: true,
            codes: ["association-signed"], status: "verified"),
        Serving(
            name: "signedtype", locations: serve("signed"), isInForce: true,
            codes: ["association-content-type", "association-signed"], words: "pkcs7-mime", status: "verified"),
        Serving(
            name: "pem", locations: serve("pem", as: "application/pkcs7-mime"),
            codes: ["association-wrong-envelope-form", "association-signed"], words: "DER"),
        Serving(
            name: "cut", locations: serve("cut", as: "application/pkcs7-mime"), codes: ["association-bad-envelope"]),
        Serving(
            name: "moved",
            locations: "location = \(place) { return 301 /moved.json; } " + serve("right", at: "/moved.json"),
            codes: ["association-redirected"], words: "/moved.json"),
        Serving(
            name: "large", locations: serve("large"), codes: ["association-too-large"], words: "131073 bytes"),
        Serving(name: "huge", locations: serve("huge"), codes: ["association-too-large"], words: "1048576"),
        Serving(name: "broken", locations: serve("broken"), codes: ["association-not-json"], words: "not valid JSON"),
        Serving(
            name: "page", locations: serve("page", as: "text/html"),
            codes: ["association-content-type", "association-not-json"], words: "HTML page"),
        Serving(name: "empty", locations: serve("empty"), codes: ["association-not-json"]),
        Serving(name: "array", locations: serve("array"), codes: ["association-wrong-shape"]),
        Serving(
            name: "latin", locations: serve("latin"), codes: ["association-not-utf8"], words: "not UTF-8"),
        Serving(
            name: "refused", locations: "location = \(place) { return 403; }", codes: ["association-refused"],
            words: "403"),
        Serving(name: "none", locations: "", codes: ["association-missing"], words: "404"),
        Serving(
            name: "down", locations: "location = \(place) { return 503; }", codes: ["association-server-error"],
            words: "503", status: "unchecked"),
        Serving(
            name: "shut",
            locations: serve("right")
                + #" location = /robots.txt { default_type text/plain; return 200 "User-agent: *\nDisallow: /.well-known/\n"; }"#,
            codes: ["association-disallowed"], words: "Line 2", status: "unchecked"),
    ]

    /// Files as nginx serves them.
    private static func prepare(_ certificates: TestCertificates) throws {
        func write(_ bytes: [UInt8], _ name: String) throws {
            try Data(bytes).write(to: certificates.folder.appending(path: name))
        }
        func padded(to count: Int) -> [UInt8] {
            Array(file.utf8) + Array(repeating: UInt8(ascii: " "), count: count - file.utf8.count)
        }
        try write(Array(file.utf8), "right")
        try write(padded(to: 131_072), "full")
        try write(padded(to: 131_073), "large")
        try write(padded(to: 1_048_577), "huge")
        try write(Array("{\n  \"applinks\": {\"details\": [},\n}\n".utf8), "broken")
        try write(Array("<!doctype html><title>Welcome</title><p>Not here.".utf8), "page")
        try write([], "empty")
        try write(Array("[]".utf8), "array")
        try write(
            Array("{\"applinks\": {\"details\": []}, \"\u{0}".utf8.dropLast()) + [0xE9] + Array("\": 1}".utf8), "latin")
        let openssl = try TestTool("openssl")
        for (form, name) in [("DER", "signed"), ("PEM", "pem")] {
            try openssl.run(
                [
                    "cms", "-sign", "-nodetach", "-binary", "-in", "right", "-outform", form, "-out", name,
                    "-signer", certificates.certificatePath(.valid), "-inkey", certificates.keyPath(.valid),
                ], in: certificates.folder)
        }
        let signed = try [UInt8](Data(contentsOf: certificates.folder.appending(path: "signed")))
        try write(Array(signed.prefix(60)), "cut")
    }

    /// A page that is marked up and one that is not; the file opens both.
    private static let pages = """
        location = / {
            return 200 "<!doctype html><title>Home</title><meta name=apple-itunes-app content='app-id=123456789, app-argument=https://$host:$server_port/open/1'><a href=/open/2>x</a>";
        }
        location = /open/2 { return 200 "<!doctype html><title>Plain</title><p>No markup."; }
        """

    private static func server() throws -> NginxServer {
        try NginxServer(
            locations: serve("right"),
            sites: Dictionary(uniqueKeysWithValues: servings.map { ($0.name, $0.locations + "\n" + pages) }),
            prepare: prepare)
    }

    private static func parsed(_ text: String) throws -> JSONValue {
        var parser = JSONParser()
        return try parser.parse(Array(text.utf8)[...])
    }

    @Test func `pippin association judges each way of serving`() async throws {
        let nginx = try Self.server()
        let scratch = try ScratchFolder()
        let flags = "--allow-private-networks --ca-file \(nginx.certificates.authorityPath)"
        for serving in Self.servings {
            let origin = nginx.origin(ofSite: serving.name)
            let run = try await PippinProcess.run("pippin association \(origin) --json \(flags)", in: scratch.url)
            let file = try #require(Self.parsed(run.output)["files"]?.array?.first, "\(serving.name): \(run.errors)")
            #expect(file["inForce"] == .bool(serving.isInForce), "\(serving.name): \(run.output)")
            let notes = file["notes"]?.array ?? []
            #expect(notes.compactMap { $0["code"]?.string } == serving.codes, "\(serving.name): \(run.output)")
            #expect(run.status == (serving.isInForce ? 0 : 1), "\(serving.name): \(run.output)")
            #expect(serving.words.isEmpty || run.output.contains(serving.words), "\(serving.name): \(run.output)")
            let match = try await PippinProcess.run(
                "pippin association \(origin) --match /open/1 \(flags)", in: scratch.url)
            #expect(
                serving.isInForce
                    ? match.output.hasPrefix("match  ABCDE12345.org.example.app  /open/*") : match.status == 1,
                "\(serving.name): \(match.output)")
        }
        let broken = try await PippinProcess.run(
            "pippin association \(nginx.origin(ofSite: "broken")) \(flags)", in: scratch.url)
        #expect(broken.output.contains("line 2, column 28"), "\(broken.output)")
    }

    @Test(arguments: [TestCertificates.Kind.wrongName, .selfSigned, .expired])
    func `a file behind a bad certificate is none`(kind: TestCertificates.Kind) async throws {
        let nginx = try Self.server()
        let scratch = try ScratchFolder()
        let run = try await PippinProcess.run(
            "pippin association \(nginx.url(kind, "/")) --allow-private-networks --ca-file \(nginx.certificates.authorityPath)",
            in: scratch.url)
        #expect(run.status == 1 && run.output.contains("[association-no-tls]"), "\(run.output)\(run.errors)")
    }

    @Test func `a crawl says of each way of serving what devices would make of it`() async throws {
        let nginx = try Self.server()
        let scratch = try ScratchFolder()
        let seeds = Self.servings.map { "\(nginx.origin(ofSite: $0.name))/ app=123456789 bundle=org.example.app\n" }
        try scratch.write(seeds.joined(), to: "seeds.txt")
        try scratch.write(
            """
            politeness: { delay: 0ms }
            scope: { sitemaps: no }
            fetch: { allow_private_networks: true, ca_file: "\(nginx.certificates.authorityPath)", retry_delay: 0ms }
            output: { ndjson: records.ndjson }

            """, to: "crawl-config.yaml")
        let run = try await PippinProcess.run("pippin crawl", in: scratch.url)
        #expect(run.status == 0, "\(run.errors)")
        let text = try String(contentsOf: scratch.url.appending(path: "records.ndjson"), encoding: .utf8)
        let records = try text.split(separator: "\n").map { try Self.parsed(String($0)) }
        for serving in Self.servings {
            let origin = nginx.origin(ofSite: serving.name)
            let home = try #require(
                records.first { $0["uniqueIdentifier"]?.string == origin + "/" }?["deepLinks"]?.array?.first,
                "\(serving.name)")
            let verification = try #require(home["verification"])
            #expect(verification["status"]?.string == serving.status, "\(serving.name): \(verification)")
            #expect(verification["reason"]?.string?.isEmpty == false)
            if serving.isInForce {
                #expect(verification["applicationIdentifier"]?.string == "ABCDE12345.org.example.app")
                #expect(verification["pattern"]?.string == "/open/*")
            }
            // Nobody but the file knows that the app opens this one.
            let plain = records.first { $0["uniqueIdentifier"]?.string == origin + "/open/2" }
            #expect((plain != nil) == serving.isInForce, "\(serving.name)")
            if let link = plain?["deepLinks"]?.array?.first {
                #expect(link["sources"]?.array?.compactMap(\.string) == ["association"])
                #expect(link["verification"]?["status"]?.string == "verified")
            }
        }
    }
}

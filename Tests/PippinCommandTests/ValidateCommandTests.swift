import Foundation
import PippinTestSupport
import Testing

/// `pippin validate` as people run it: of files without network, and of the demo site.
@Suite struct ValidateCommandTests {
    private static let broken = """
        <!DOCTYPE html><html lang="en"><head><title>Mug</title>
        <link rel="canonical" href="https://shop.example/mug">
        <meta name="apple-itunes-app" content="app-id=123456789">
        </head><body><p>A mug.</p></body></html>
        """
    private static let failing = broken.replacing(
        "</head>", with: "<script type=\"application/ld+json\">{\"@type\": \"Product\",}</script></head>")

    @Test func `a file is judged without network, and its errors are the exit status`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write(Self.failing, to: "mug.html")
        let text = try await PippinProcess.run("pippin validate mug.html", in: scratch.url)
        #expect(text.status == 1, "\(text.errors)")
        #expect(text.output.hasPrefix("Report card: https://shop.example/mug\n"))
        #expect(text.output.contains("app-id=123456789, app-argument=https://shop.example/mug"))
        #expect(!text.output.contains("\u{1B}"))
        let piped = try await PippinProcess.run("cat mug.html | pippin validate - --format json", in: scratch.url)
        #expect(piped.status == 1)
        #expect(piped.output.hasPrefix("{"))
    }

    @Test func `every form can be written to a file`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write(Self.failing, to: "mug.html")
        let beginnings = [
            "text": "Report card", "json": "{", "junit": "<?xml", "sarif": "{", "html": "<!DOCTYPE html>",
        ]
        for (form, beginning) in beginnings.sorted(by: { $0.key < $1.key }) {
            let run = try await PippinProcess.run(
                "pippin validate mug.html --format \(form) --out report.\(form)", in: scratch.url)
            #expect(run.status == 1 && run.output.isEmpty, "\(form) \(run.errors)")
            let report = try String(contentsOf: scratch.url.appending(path: "report.\(form)"), encoding: .utf8)
            #expect(report.hasPrefix(beginning), "\(form)")
        }
    }

    @Test func `the rules of report cards are listed without a page`() async throws {
        let scratch = try ScratchFolder()
        let text = try await PippinProcess.run("pippin validate --checks --types --previews", in: scratch.url)
        #expect(text.status == 0 && text.errors.isEmpty, "\(text.errors)")
        #expect(text.output.hasPrefix("Discoverability\n  D01  error    "))
        #expect(text.output.contains("\n\nRecipe\n  required     name; image"))
        #expect(text.output.contains("\n\nX\n  title        twitter:title, og:title; 70 characters\n"))
        let json = try await PippinProcess.run(
            "pippin validate --checks --format json --out checks.json && cat checks.json", in: scratch.url)
        #expect(json.output.contains("\"check\": \"D01\""), "\(json.errors)")
        let wrong = try await PippinProcess.run("pippin validate --checks mug.html", in: scratch.url)
        #expect(
            wrong.status == 2 && wrong.errors.contains("--checks, --types and --previews judge no page"),
            "\(wrong.errors)")
    }

    @Test func `what fails is for the operator to say`() async throws {
        let scratch = try ScratchFolder()
        let page = Self.broken.replacing(
            "app-id=123456789", with: "app-id=123456789; app-argument=https://shop.example/mug"
        )
        .replacing(
            "<title>",
            with: "<meta name=\"description\" content=\"A mug for tea, thrown by hand and fired twice.\"><title>")
        try scratch.write(page, to: "mug.html")
        let errors = try await PippinProcess.run("pippin validate mug.html", in: scratch.url)
        #expect(errors.status == 0, "\(errors.output)")
        let warnings = try await PippinProcess.run("pippin validate mug.html --fail-on warning", in: scratch.url)
        #expect(warnings.status == 1)
        for flags in ["--app shop", "--app-store-id id5", "--url mug", "--format xml"] {
            let wrong = try await PippinProcess.run("pippin validate mug.html \(flags)", in: scratch.url)
            #expect(wrong.status == 2, "\(flags): \(wrong.errors)")
        }
        let missing = try await PippinProcess.run("pippin validate none.html", in: scratch.url)
        #expect(missing.status == 2)
    }

    @Test func `association files and App Store replies beside a page's file are held against it`() async throws {
        let scratch = try ScratchFolder()
        let page = Self.broken.replacing(
            "app-id=123456789", with: "app-id=123456789, app-argument=https://shop.example/mug")
        try scratch.write(page, to: "mug.html")
        let file =
            #"{"applinks":{"details":[{"appIDs":["ABCDE12345.example.shop"],"components":[{"/":"/mug"}]}]}}"#
        try scratch.write(file, to: "apple-app-site-association")
        try scratch.write("[]", to: "assetlinks.json")
        try scratch.write(#"{"results":[{"trackId":123456789,"bundleId":"example.shop"}]}"#, to: "replies.json")
        let files = "--association apple-app-site-association --asset-links assetlinks.json --app-lookup replies.json"
        let good = try await PippinProcess.run("pippin validate mug.html \(files)", in: scratch.url)
        #expect(good.output.contains("opens “https://shop.example/mug” in"), "\(good.output)\(good.errors)")
        #expect(good.output.contains("L13 Not seen: the association files were handed over"), "\(good.output)")
        #expect(good.output.contains("Markup and association file both name ABCDE12345.example.shop."))
        let other = try await PippinProcess.run(
            "pippin validate mug.html \(files) --app ABCDE12345.example.other", in: scratch.url)
        #expect(other.status == 1 && other.output.contains("does not name the app ABCDE12345.example.other"))
        let online = try await PippinProcess.run("pippin validate https://shop.example/ \(files)", in: scratch.url)
        #expect(online.status == 2 && online.errors.contains("read from files"), "\(online.errors)")
        try scratch.write("{\"results\":[]}\n{", to: "replies.json")
        let broken = try await PippinProcess.run("pippin validate mug.html \(files)", in: scratch.url)
        #expect(broken.status == 2 && broken.errors.contains("replies.json:2:2: "), "\(broken.errors)")
    }

    @Test func `a URL is judged with what was seen on the way, and robots txt comes first`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        try await DemoProcess.serving(
            site: Repository.root.appending(path: "Examples/demo-site"), folder: folder
        ) { demo in
            let origin = try demo.origin(of: "shop.example")
            let flags = "--allow-private-networks --ca-file ca.pem"
            let mug = try await PippinProcess.run(
                "pippin validate \(origin)/products/mug.html \(flags) --format json", in: folder)
            #expect([0, 1].contains(mug.status), "\(mug.errors)")
            #expect(mug.output.contains("https with a valid certificate"), "\(mug.output)")
            #expect(mug.output.contains("Googlebot's rules decide"))
            #expect(mug.output.contains("The page answers with status 200"))
            #expect(!mug.output.contains("association files were not looked at"))

            let cart = try await PippinProcess.run(
                "pippin validate \(origin)/cart.html \(flags) --format json", in: folder)
            #expect(cart.status == 1)
            #expect(cart.output.contains("\"pageRead\": false"))
            #expect(cart.output.contains("Applebot may not fetch"))

            let lost = try await PippinProcess.run(
                "pippin validate \(origin)/nothing-here.html \(flags) --format json", in: folder)
            #expect(lost.status == 1)
            #expect(lost.output.contains("The page answers with status 404"), "\(lost.output)")
            #expect(lost.output.contains("\"pageRead\": false"))

            let stranger = try await PippinProcess.run(
                "pippin validate \(origin)/ --allow-private-networks", in: folder)
            #expect(stranger.status == 3, "\(stranger.output)")
            #expect(stranger.output.contains("T03 TLS fails: the certificate of"), "\(stranger.output)")
            #expect(stranger.output.contains("--ca-file") && stranger.errors.contains("--ca-file"))
            // robots.txt is not at fault, nor is there anything to say of it.
            #expect(!stranger.output.contains("Serve the file with status 200"), "\(stranger.output)")

            let down = try demo.origin(of: "down.example")
            let closed = try await PippinProcess.run("pippin validate \(down)/ \(flags)", in: folder)
            #expect(closed.status == 3 && closed.errors.contains("it answers with status 503"), "\(closed.errors)")

            let refused = try await PippinProcess.run("pippin validate \(origin)/", in: folder)
            #expect(refused.status == 3)
            #expect(
                refused.errors.contains("is a private address. Allow private addresses with --allow-private-networks"))
            #expect(!refused.output.contains("error"), "we did not ask, and blame nobody: \(refused.output)")
        }
    }

    @Test func `the association files of the page's host are fetched and matched`() async throws {
        let files = [
            "shop.example/mug.html": "<title>Mug</title><p>A mug.",
            "shop.example/secret.html": "<title>Mug</title><p>A mug.",
            "shop.example/robots.txt": "User-agent: *\nDisallow: /secret",
            "shop.example/.well-known/apple-app-site-association":
                #"{"applinks":{"details":[{"appIDs":["ABCDE12345.example.shop"],"components":[{"/":"/mug*"}]}]}}"#,
        ]
        let scratch = try ScratchFolder()
        let folder = scratch.url
        for (path, text) in files {
            let file = folder.appending(path: "site/\(path)")
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try await DemoProcess.serving(site: folder.appending(path: "site"), folder: folder) { demo in
            let origin = try demo.origin(of: "shop.example")
            let flags = "--allow-private-networks --ca-file ca.pem"
            let mug = try await PippinProcess.run("pippin validate \(origin)/mug.html \(flags)", in: folder)
            #expect(mug.output.contains("association files open the page in"), "\(mug.output)\(mug.errors)")
            #expect(mug.output.contains("serves the file with status 200"), "\(mug.output)")
            #expect(mug.output.contains("matches   /mug* (line 1)"), "\(mug.output)")
            let asked = try await PippinProcess.run(
                "pippin validate \(origin)/mug.html \(flags) --app ABCDE12345.example.other", in: folder)
            #expect(asked.output.contains("does not name the app ABCDE12345.example.other"), "\(asked.output)")
            // The page is closed, its host's file is not.
            let secret = try await PippinProcess.run(
                "pippin validate \(origin)/secret.html \(flags) --app ABCDE12345.example.shop", in: folder)
            #expect(secret.output.contains("serves the file with status 200"), "\(secret.output)")
        }
    }

    @Test func `what is no page is an error of its type, and no page passes for it`() async throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        let site = folder.appending(path: "site/shop.example")
        try FileManager.default.createDirectory(at: site, withIntermediateDirectories: true)
        let files: [(name: String, bytes: [UInt8])] = [
            ("mug.pdf", Array("%PDF-1.7\n".utf8) + [0, 1, 2]), ("data.json", Array("{\"mug\": true}".utf8)),
            ("mug.png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0]),
            // Served as HTML, whatever they hold.
            ("said.html", Array("[1, 2]".utf8)), ("picture.html", Array("GIF89a".utf8)),
        ]
        for file in files { try Data(file.bytes).write(to: site.appending(path: file.name)) }
        try await DemoProcess.serving(site: folder.appending(path: "site"), folder: folder) { demo in
            let origin = try demo.origin(of: "shop.example")
            for file in files {
                let fetched = try await PippinProcess.run(
                    "pippin validate \(origin)/\(file.name) --allow-private-networks --ca-file ca.pem", in: folder)
                #expect(fetched.status == 1, "\(file.name): \(fetched.output)\(fetched.errors)")
                #expect(fetched.output.contains("error    T06"), "\(file.name): \(fetched.output)")
                #expect(!fetched.output.contains("error    S0"), "\(fetched.output)")
            }
        }
        for file in files {
            let read = try await PippinProcess.run("pippin validate site/shop.example/\(file.name)", in: folder)
            #expect(read.status == 1 && read.output.contains("error    T06"), "\(file.name): \(read.output)")
        }
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/", "nothing listens at 127.0.0.1:1"),
        ("https://nowhere.invalid/ --contact a@example.net", "no address was found for the name nowhere.invalid"),
    ])
    func `a page that cannot be fetched ends with 3, in every form`(address: String, cause: String) async throws {
        let scratch = try ScratchFolder()
        for form in ["text", "json", "junit", "sarif", "html"] {
            let run = try await PippinProcess.run(
                "pippin validate \(address) --allow-private-networks --format \(form)", in: scratch.url)
            #expect(run.status == 3, "\(form): \(run.output)")
            #expect(run.output.contains(cause) && run.errors.contains(cause), "\(form): \(run.output) \(run.errors)")
        }
    }
}

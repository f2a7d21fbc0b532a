import Foundation
import Testing

/// `pippin validate` as people run it: of files without network, and of the demo site.
@Suite struct ValidateCommandTests {
    private static let broken = """
        <!DOCTYPE html><html lang="en"><head><title>Mug</title>
        <link rel="canonical" href="https://shop.example/mug">
        <meta name="apple-itunes-app" content="app-id=123456789">
        </head><body><p>A mug.</p></body></html>
        """

    @Test func `a file is judged without network, and its errors are the exit status`() async throws {
        let scratch = try ScratchFolder()
        try scratch.write(Self.broken, to: "mug.html")
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
        try scratch.write(Self.broken, to: "mug.html")
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

            let cart = try await PippinProcess.run(
                "pippin validate \(origin)/cart.html \(flags) --format json", in: folder)
            #expect(cart.status == 1)
            #expect(cart.output.contains("\"pageRead\": false"))
            #expect(cart.output.contains("Applebot may not fetch"))

            let lost = try await PippinProcess.run(
                "pippin validate \(origin)/nothing-here.html \(flags) --format json", in: folder)
            #expect(lost.status == 1)
            #expect(lost.output.contains("The page answers with status 404"), "\(lost.output)")

            let stranger = try await PippinProcess.run(
                "pippin validate \(origin)/ --allow-private-networks", in: folder)
            #expect(stranger.status == 1)
            #expect(stranger.output.contains("robots.txt cannot be had"), "\(stranger.output)")
        }
    }
}

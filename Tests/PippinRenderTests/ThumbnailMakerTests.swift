import Foundation
import PippinPage
import PippinTestSupport
import Testing

@testable import PippinRender

/// Pictures that are scaled by libvips in a process of its own: whole, damaged, and made to take more than there is.
@Suite(.slow, .serialized) struct ThumbnailMakerTests {
    /// Each test knows its processes by their limit of memory.
    private static func maker(
        _ memoryBytes: Int, _ change: (inout ThumbnailMaker.Settings) -> Void = { _ in }
    ) throws -> ThumbnailMaker {
        var settings = ThumbnailMaker.Settings()
        settings.memoryBytes = memoryBytes
        // A busy machine needs longer for the good ones.
        settings.time = .seconds(60)
        change(&settings)
        return try ThumbnailMaker(settings)
    }

    private static func leavesNothing(_ memoryBytes: Int) async throws {
        try await waitUntil("its processes have ended") { BrowserProcesses.withLimit(memoryBytes).isEmpty }
    }

    /// Width and height of a WebP, as the container says them for each of its kinds.
    private static func size(_ webp: [UInt8]) throws -> [Int] {
        let folder = try ScratchFolder()
        try Data(webp).write(to: folder.url.appending(path: "a.webp"))
        try TestTool("vips").run(["copy", "a.webp", "a.ppm"], in: folder.url)
        let head = try Data(contentsOf: folder.url.appending(path: "a.ppm")).prefix(200)
        let words = String(decoding: head, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
        return words.dropFirst().first?.split(separator: " ").compactMap { Int($0) } ?? []
    }

    /// The same picture in a format, made by the program that reads it.
    private static func picture(_ suffix: String) throws -> [UInt8] {
        let folder = try ScratchFolder()
        try Data(MadeUpPictures.colorful(width: 300, height: 200)).write(to: folder.url.appending(path: "a.png"))
        try TestTool("vips").run(["copy", "a.png", "b.\(suffix)"], in: folder.url)
        let name = suffix.prefix { $0 != "[" }
        return Array(try Data(contentsOf: folder.url.appending(path: "b.\(name)")))
    }

    @Test func `the program that is installed works`() async throws {
        #expect(try await Self.maker(251 << 20).problem()?.problem == nil)
    }

    @Test func `a picture fills the square and is never enlarged`() async throws {
        let maker = try Self.maker(252 << 20)
        let picture = MadeUpPictures.colorful(width: 300, height: 200)
        for (side, expected) in [(100, [100, 100]), (240, [240, 200]), (500, [300, 200])] {
            let small = try #require(await maker.thumbnail(of: picture, side: side))
            #expect(try Self.size(small) == expected)
        }
    }

    @Test(arguments: [
        "jpg", "jpg[interlace]", "png", "png[interlace]", "webp", "webp[lossless]", "gif", "avif",
        "heic[compression=av1]",
    ])
    func `a damaged picture gives a picture or none, and the program ends`(format: String) async throws {
        let limit = (260 + format.utf8.count * 8 + Int(format.utf8.first ?? 0)) << 20
        let maker = try Self.maker(limit)
        let picture = try Self.picture(format)
        #expect(await maker.thumbnail(of: picture, side: 48) != nil)
        var damaged: [(name: String, bytes: [UInt8], isShown: Bool?)] = [
            ("nothing", [], false), ("one byte", Array(picture.prefix(1)), false),
            ("its first bytes", Array(picture.prefix(20)), false),
            ("half", Array(picture.prefix(picture.count / 2)), nil),
            ("all but its end", Array(picture.dropLast(9)), nil),
            (
                "zeros from a quarter on",
                Array(picture.prefix(picture.count / 4)) + [UInt8](repeating: 0, count: 9_000), nil
            ),
            ("bytes behind it", picture + [UInt8](repeating: 0x3C, count: 200_000), true),
        ]
        var generator = FixedRandom(seed: 37)
        for round in 0..<6 {
            var bytes = picture
            for _ in 0..<(1 << round) {
                bytes[Int.random(in: 12..<bytes.count, using: &generator)] = UInt8.random(
                    in: 0...255, using: &generator)
            }
            damaged.append(("\(1 << round) other bytes", bytes, nil))
        }
        for (name, bytes, isShown) in damaged {
            let small = await maker.thumbnail(of: bytes, side: 48)
            if let isShown { #expect((small != nil) == isShown, "\(name)") }
            if let small { #expect(try Self.size(small).allSatisfy { (1...48).contains($0) }, "\(name)") }
        }
        try await Self.leavesNothing(limit)
    }

    /// A picture with all that one may have beside its pixels: Exif with a place, XMP, a comment, a color profile.
    private static func talkative(_ suffix: String) throws -> [UInt8] {
        let folder = try ScratchFolder()
        try Data(MadeUpPictures.colorful(width: 300, height: 200)).write(to: folder.url.appending(path: "a.png"))
        let vips = try TestTool("vips")
        try vips.run(["icc_export", "a.png", "profiled.jpg", "--output-profile", "srgb"], in: folder.url)
        let jpeg = Array(try Data(contentsOf: folder.url.appending(path: "profiled.jpg")))
        func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
            [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
        }
        // TIFF with one entry: the camera's maker, 14 letters at byte 26.
        let entry: [UInt8] = [1, 15, 0, 2, 0, 0, 0, 14, 0, 0, 0, 26]
        let tiff: [UInt8] = Array("MM".utf8) + [0, 42, 0, 0, 0, 8, 0, 1] + entry + [0, 0, 0, 0]
        let exif = Array("Exif\0\0".utf8) + tiff + Array("secret-camera\0".utf8)
        let xmp = Array(
            """
            http://ns.adobe.com/xap/1.0/\0<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF \
            xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description>secret-place</rdf:Description>\
            </rdf:RDF></x:xmpmeta>
            """.utf8)
        let comment = segment(0xFE, Array("secret-comment".utf8))
        let parts = jpeg[..<2] + segment(0xE1, exif) + segment(0xE1, xmp) + comment + jpeg[2...]
        try Data(parts).write(to: folder.url.appending(path: "b.jpg"))
        try vips.run(["copy", "b.jpg", "c.\(suffix)"], in: folder.url)
        return Array(try Data(contentsOf: folder.url.appending(path: "c.\(suffix)")))
    }

    /// What libvips reads from a picture beside its pixels.
    private static func fields(_ picture: [UInt8]) throws -> String {
        let folder = try ScratchFolder()
        try Data(picture).write(to: folder.url.appending(path: "a"))
        let log = folder.url.appending(path: "log")
        let process = try TestTool("vipsheader").start(["-a", "a"], in: folder.url, log: log)
        process.waitUntilExit()
        return try String(contentsOf: log, encoding: .utf8)
    }

    @Test(arguments: ["jpg", "png", "webp", "avif"])
    func `nothing of who took a picture, where, and with what is in its thumbnail`(format: String) async throws {
        let picture = try Self.talkative(format)
        let said = try Self.fields(picture)
        #expect(said.contains("exif-data") && said.contains("icc-profile-data"), "\(said)")
        let small = try #require(await Self.maker(257 << 20).thumbnail(of: picture, side: 100))
        let left = try Self.fields(small)
        #expect(left.contains("width: 100"))
        for name in ["exif", "icc", "xmp", "iptc"] { #expect(!left.contains(name), "\(name): \(left)") }
        #expect(!String(decoding: small, as: UTF8.self).contains("secret"))
    }

    @Test func `what is no picture, or one with scripts or addresses in it, is not read`() async throws {
        let maker = try Self.maker(253 << 20)
        let others = [
            "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><rect width='9' height='9'/></svg>",
            "%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>", "P3\n1 1\n255\n0 0 0\n",
            "push graphic-context\nimage over 0,0 0,0 '/etc/passwd'\npop graphic-context", "BM", "<p>page",
            "a,b\n1,2\n",
        ]
        for other in others { #expect(await maker.thumbnail(of: Array(other.utf8), side: 48) == nil, "\(other)") }
    }

    @Test func `bombs end at a limit: of pixels, of memory, of time`() async throws {
        let limit = 254 << 20
        let maker = try Self.maker(limit)
        // 400 MB that are needed at once.
        let interlaced = MadeUpPictures.png(width: 20_000, height: 20_000, channels: 1, isInterlaced: true)
        #expect(interlaced.count < 2 << 20)
        #expect(await maker.thumbnail(of: interlaced, side: 240) == nil)
        // The first frame counts, however many there are.
        let frames = MadeUpPictures.gif(frames: 10_000, width: 500, height: 500)
        let small = try #require(await maker.thumbnail(of: frames, side: 240))
        #expect(try Self.size(small) == [240, 240])
        let wide = MadeUpPictures.gif(frames: 2_000, width: 65_535, height: 65_535)
        if let small = await maker.thumbnail(of: wide, side: 240) {
            #expect(try Self.size(small).allSatisfy { (1...240).contains($0) })
        }
        try await Self.leavesNothing(limit)
        // 900 megapixels in 110 kB, row by row.
        let large = MadeUpPictures.png(width: 30_000, height: 30_000, bits: 1, channels: 1)
        #expect(large.count < 1 << 20)
        let hasty = try Self.maker(limit) { $0.time = .milliseconds(100) }
        #expect(await hasty.thumbnail(of: large, side: 240) == nil)
        try await Self.leavesNothing(limit)
    }

    // MARK: The process

    /// A program in place of libvips.
    private static func script(_ text: String, in folder: borrowing ScratchFolder) throws -> String {
        try folder.write("#!/bin/sh\n\(text)\n", to: "program")
        let path = folder.url.appending(path: "program").path
        for file in [path, folder.url.path] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file)
        }
        return path
    }

    @Test func `the program sees no file of ours, no network and no secret, and can write nothing`() async throws {
        let folder = try ScratchFolder()
        let secret = FileManager.default.temporaryDirectory.appending(path: "pippin-secret-\(UUID().uuidString)")
        try Data("secret".utf8).write(to: secret)
        defer { unlink(secret.path) }
        let path = try Self.script(
            """
            exec 1>&2
            cat \(secret.path) /etc/passwd 2>/dev/null && echo READ
            for folder in /home /root /var /proc/1/root/home; do ls $folder/* 2>/dev/null && echo LISTED; done
            tail -n +3 /proc/net/dev | grep -v ' lo:' && echo NETWORK
            env | grep -i -E 'pippin|token|home=/[a-z]' && echo ENVIRONMENT
            trap '' XFSZ
            (echo x > /written) 2>/dev/null && [ -s /written ] && echo WRITTEN
            ls /proc/self/fd | grep -v -E '^(0|1|2|3|10|255)$' && echo DESCRIPTORS
            echo end
            exit 1
            """, in: folder)
        setenv("PIPPIN_TOKEN_OF_TEST", "secret", 1)
        defer { unsetenv("PIPPIN_TOKEN_OF_TEST") }
        #expect(try await Self.maker(255 << 20) { $0.path = path }.problem()?.problem == "\(path): end")
    }

    @Test(arguments: [
        ("says nothing", "exec sleep 1000"), ("says too much", "exec yes"),
        ("closes its output", "exec >&-; exec sleep 1000"),
        ("is no picture", "cat >/dev/null; echo GIF89a"), ("fails", "exit 1"), ("leaves others", "sleep 1000 & exit 1"),
        ("says more than it is", "printf 'RIFF\\004\\000\\000\\000WEBPmore'"),
        ("says less than it is", "printf 'RIFF\\377\\000\\000\\000WEBP'"),
        ("has no pixels", "printf 'RIFF\\014\\000\\000\\000WEBPEXIF\\000\\000\\000\\000'"),
        ("has a chunk that is cut", "printf 'RIFF\\014\\000\\000\\000WEBPVP8 \\377\\377\\377\\377'"),
    ])
    func `a program that misbehaves gives no picture, and nothing of it is left`(name: String, text: String)
        async throws
    {
        let limit = (300 + name.utf8.reduce(0) { ($0 * 31 + Int($1)) % 500 }) << 20
        let folder = try ScratchFolder()
        let path = try Self.script(text, in: folder)
        let maker = try Self.maker(limit) { ($0.path, $0.time) = (path, .seconds(1)) }
        // More than a pipe takes.
        #expect(await maker.thumbnail(of: [UInt8](repeating: 1, count: 4 << 20), side: 9) == nil)
        try await Self.leavesNothing(limit)
    }

    @Test func `when nobody waits any more, the program ends`() async throws {
        let limit = 256 << 20
        let folder = try ScratchFolder()
        let path = try Self.script("exec sleep 1000", in: folder)
        let maker = try Self.maker(limit) { ($0.path, $0.time, $0.atOnce) = (path, .seconds(1_000), 1) }
        let works = (0..<3).map { _ in Task { await maker.thumbnail(of: [1], side: 9) } }
        try await waitUntil("it runs") { !BrowserProcesses.withLimit(limit).isEmpty }
        for work in works { work.cancel() }
        for work in works { #expect(await work.value == nil) }
        try await Self.leavesNothing(limit)
    }

    @Test func `what is missing is told with its package`() async throws {
        #expect {
            try Self.maker(1 << 28) { $0.path = "/nowhere/vipsthumbnail" }
        } throws: { error in
            "\(error)" == "there is no program at /nowhere/vipsthumbnail: install Debian's package libvips-tools"
        }
    }
}

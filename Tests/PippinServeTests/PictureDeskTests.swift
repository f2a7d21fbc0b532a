import Foundation
import PippinTestSupport
import Synchronization
import Testing

@testable import PippinPage
@testable import PippinServe

/// How pictures are fetched, scaled and kept, without a network and without libvips.
@Suite struct PictureDeskTests {
    private static let png = MadeUpPictures.colorful(width: 40, height: 30)

    /// The head of a lossless WebP, and a word to tell it by.
    private static func webp(_ word: String) -> [UInt8] {
        let content: [UInt8] = [0x2F, 0, 0, 0, 0] + Array(word.utf8)
        let chunk = Array("VP8L".utf8) + [UInt8(content.count), 0, 0, 0] + content
        return Array("RIFF".utf8) + [UInt8(chunk.count + 4), 0, 0, 0] + Array("WEBP".utf8) + chunk
    }

    private final class Counter: Sendable {
        private let count = Mutex(0)
        var value: Int { count.withLock { $0 } }
        func add() { count.withLock { $0 += 1 } }
    }

    private let url: WebURL

    init() throws { url = try #require(WebURL("https://kitchen.test/pie.png")) }

    // MARK: What is shown

    @Test func `a scaled picture is shown as WebP, for each side by itself`() async throws {
        let desk = PictureDesk(scale: { _, side in Self.webp("side \(side)") }, fetch: { _, _ in Self.png })
        for side in [240, 36] {
            let picture = try await desk.picture(at: url, side: side)
            #expect(picture == PictureDesk.Picture(mediaType: "image/webp", bytes: Self.webp("side \(side)")))
        }
    }

    @Test func `only pictures of a known format and size reach the scaler, however they are served`() async throws {
        let refused: [(String, [UInt8])] = [
            ("SVG", Array("<svg xmlns='http://www.w3.org/2000/svg' width='1' height='1'/>".utf8)),
            ("page", Array("<p>Page".utf8)), ("PDF", Array("%PDF-1.4".utf8)), ("TIFF", [0x49, 0x49, 0x2A, 0]),
            ("BMP", Array("BM".utf8)), ("JPEG XL", [0xFF, 0x0A]), ("nothing", []),
            (
                "900 megapixels",
                Array(MadeUpPictures.png(width: 30_000, height: 8, bits: 1, channels: 1)[..<20]) + [0, 0, 0x75, 0x30]
            ),
            ("a PNG without its size", Array(Self.png[..<18])),
            ("sides whose product overflows", Array(Self.png[..<16]) + [UInt8](repeating: 0xFF, count: 8)),
            ("too many bytes", Self.png + [UInt8](repeating: 0, count: PictureDesk.Limits().scaledBytes)),
        ]
        for (name, bytes) in refused {
            let scaled = Counter()
            let desk = PictureDesk(
                scale: { _, _ in
                    scaled.add()
                    return Self.webp("x")
                }, fetch: { _, _ in bytes })
            #expect(try await desk.picture(at: url, side: 240) == nil, "\(name)")
            #expect(scaled.value == 0, "\(name)")
        }
    }

    @Test func `what cannot be scaled is not shown as it is, and the scaler is not believed`() async throws {
        for answer in [nil, [], Self.png, Array("<svg>".utf8)] as [[UInt8]?] {
            let desk = PictureDesk(scale: { _, _ in answer }, fetch: { _, _ in Self.png })
            #expect(try await desk.picture(at: url, side: 240) == nil)
        }
    }

    @Test func `a picture is fetched once for all who want it at the same time, and then kept`() async throws {
        let fetched = Counter()
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let desk = PictureDesk { _, _ in
            fetched.add()
            for await _ in gate {}
            return Self.png
        }
        let url = url
        let readers = (0..<5).map { _ in Task { try await desk.picture(at: url, side: 240)?.mediaType } }
        try await waitUntil("it is being fetched") { fetched.value == 1 }
        open.finish()
        for reader in readers { #expect(try await reader.value == "image/png") }
        #expect(try await desk.picture(at: url, side: 36) != nil)
        #expect(fetched.value == 1)
        #expect(try await desk.picture(at: url, side: 36, now: .now + .seconds(4_000)) != nil)
        #expect(fetched.value == 2)
    }

    // MARK: Readers that go

    @Test func `work ends with its last reader, and the next one begins anew`() async throws {
        let (begun, ended) = (Counter(), Counter())
        let desk = PictureDesk(
            scale: { _, _ in
                begun.add()
                // Ends when it is cancelled, as the program does.
                do { try await Task.sleep(for: .seconds(1_000)) } catch { ended.add() }
                return nil
            }, fetch: { _, _ in Self.png })
        let url = url
        let readers = (0..<2).map { _ in Task { try await desk.picture(at: url, side: 240) } }
        try await waitUntil("it is scaled") { begun.value == 1 }
        readers[0].cancel()
        try await Task.sleep(for: .milliseconds(50))
        #expect(ended.value == 0)
        readers[1].cancel()
        try await waitUntil("the work ends") { ended.value == 1 }
        for reader in readers { await #expect(throws: CancellationError.self) { try await reader.value } }
        let next = Task { try await desk.picture(at: url, side: 240) }
        try await waitUntil("it begins anew") { begun.value == 2 }
        next.cancel()
    }

    @Test func `readers who go leave no place taken`() async throws {
        let (begun, ended) = (Counter(), Counter())
        let desk = PictureDesk { url, _ in
            guard url.path.hasPrefix("/slow") else { return Self.png }
            begun.add()
            do { try await Task.sleep(for: .seconds(1_000)) } catch { ended.add() }
            return nil
        }
        let slow = try (0..<64).map { try #require(WebURL("https://kitchen.test/slow\($0)")) }
        let readers = slow.map { url in Task { try await desk.picture(at: url, side: 240) } }
        try await waitUntil("four are fetched") { begun.value == 4 }
        try await Task.sleep(for: .milliseconds(100))
        await #expect(throws: WebRefusal.self) { try await desk.picture(at: url, side: 240) }
        for reader in readers { reader.cancel() }
        for reader in readers { await #expect(throws: CancellationError.self) { try await reader.value } }
        try await waitUntil("those that had begun end") { ended.value == begun.value }
        #expect(try await desk.picture(at: url, side: 240) != nil)
    }

    // MARK: On disk

    private func store(
        _ folder: borrowing ScratchFolder, _ limits: ThumbnailStore.Limits = ThumbnailStore.Limits(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) -> ThumbnailStore { ThumbnailStore(storage: folder.url, limits: limits, report: report) }

    private func files(_ folder: borrowing ScratchFolder) -> [URL] {
        // There is none before the first picture.
        (try? FileManager.default.contentsOfDirectory(
            at: folder.url.appending(path: ThumbnailStore.folderName), includingPropertiesForKeys: nil)) ?? []
    }

    @Test func `a later server fetches nothing that is kept on disk`() async throws {
        let folder = try ScratchFolder()
        let (fetched, scaled) = (Counter(), Counter())
        for _ in 0..<3 {
            let desk = PictureDesk(
                scale: { _, _ in
                    scaled.add()
                    return Self.webp("pie")
                }, store: store(folder),
                fetch: { _, _ in
                    fetched.add()
                    return Self.png
                })
            #expect(try await desk.picture(at: url, side: 240)?.bytes == Self.webp("pie"))
        }
        #expect(fetched.value == 1 && scaled.value == 1)
        #expect(files(folder).count == 1)
        let rights = try FileManager.default.attributesOfItem(atPath: try #require(files(folder).first).path)
        #expect(rights[.posixPermissions] as? Int == 0o640)
    }

    @Test func `no address leads out of the folder, or to the picture of another`() async throws {
        let folder = try ScratchFolder()
        let store = store(folder)
        let keys = [
            "240 https://a.test/../../../etc/passwd", "240 https://a.test/", "24 0https://a.test/",
            "240 https://a.test/%2e%2e",
            "../../x", "/etc/passwd", "", "a\0b", "a", String(repeating: "long/", count: 10_000),
            "240 https://a.test/#",
        ]
        for key in keys { await store.write(Self.webp("\(key.utf8.count) \(key.prefix(40))"), key, now: Date()) }
        #expect(files(folder).count == keys.count)
        let pattern = /[0-9a-f]{64}\.webp/
        #expect(files(folder).allSatisfy { $0.lastPathComponent.wholeMatch(of: pattern) != nil })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [ThumbnailStore.folderName])
        for key in keys {
            #expect(await store.read(key, now: Date()) == Self.webp("\(key.utf8.count) \(key.prefix(40))"))
        }
    }

    @Test func `damaged, foreign and old files are removed and never shown`() async throws {
        let folder = try ScratchFolder()
        let (key, now) = ("240 https://a.test/", Date())
        let first = store(folder)
        await first.write(Self.webp("pie"), key, now: now)
        let file = try #require(files(folder).first)
        let whole = Array(try Data(contentsOf: file))
        var changed = whole
        changed[whole.count - 1] ^= 1
        var younger = whole
        younger[36] ^= 1
        let damages: [[UInt8]] = [
            [], Array(whole.prefix(20)), Array(whole.dropLast()), changed, younger, whole + [0], Self.png,
        ]
        for bytes in damages {
            try Data(bytes).write(to: file)
            let later = store(folder)
            #expect(await later.read(key, now: now) == nil)
            #expect(files(folder).isEmpty)
        }
        for (age, isShown) in [(0, true), (6 * 86_400, true), (7 * 86_400 + 1, false), (-3_600, false)]
            as [(Double, Bool)]
        {
            try Data(whole).write(to: file)
            #expect((await store(folder).read(key, now: now + age) != nil) == isShown, "\(age) s")
        }
    }

    @Test func `the folder has a limit, and what was not shown for the longest time goes first`() async throws {
        let folder = try ScratchFolder()
        var limits = ThumbnailStore.Limits()
        limits.bytes = 10 * 4_096
        let store = store(folder, limits)
        let start = Date(timeIntervalSince1970: 1_790_000_000)
        for number in 0..<10 { await store.write(Self.webp("\(number)"), "\(number)", now: start + Double(number)) }
        #expect(await store.read("0", now: start + 20) != nil)
        await store.write(Self.webp("10"), "10", now: start + 21)
        #expect(files(folder).count <= 8)
        #expect(await store.read("0", now: start + 22) != nil)
        #expect(await store.read("1", now: start + 22) == nil)
    }

    @Test func `a storage that cannot be written keeps nothing, and a failure is told once`() async throws {
        let folder = try ScratchFolder()
        // In place of the folder.
        try folder.write("", to: ThumbnailStore.folderName)
        let told = Mutex<[String]>([])
        let failing = store(folder) { sentence in told.withLock { $0.append(sentence) } }
        for key in ["a", "b"] {
            await failing.write(Self.webp("pie"), key, now: Date())
            #expect(await failing.read(key, now: Date()) == nil)
        }
        #expect(told.withLock { $0.count } == 1)
        #expect(told.withLock { $0.first?.hasSuffix("Thumbnails are kept in memory only.") } == true)
        let missing = ThumbnailStore(
            storage: folder.url.appending(path: "missing"), report: { _ in Issue.record("told") })
        await missing.write(Self.webp("pie"), "a", now: Date())
        #expect(!FileManager.default.fileExists(atPath: folder.url.appending(path: "missing").path))
    }
}

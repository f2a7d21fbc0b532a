import Foundation
import PippinPage
import PippinReport

/// Fetches the pictures of records, so that the reader's browser asks no address that a record names, and keeps them for a while.
///
/// A picture must begin as one of a known format. SVG is none: it can hold scripts and further addresses. It is scaled to a
/// thumbnail where the operator has the program for that, and otherwise passed on as it is, if it is small.
actor PictureDesk {
    struct Picture: Sendable, Equatable {
        let mediaType: String
        let bytes: [UInt8]
    }

    struct Limits: Sendable {
        /// The largest picture that is passed on as it is: most of those that pages name for sharing are smaller.
        var pictureBytes = WebLimits.pictureBytes
        /// The largest picture that is scaled, in bytes and pixels: what cameras of 2026 make.
        var scaledBytes = 8 << 20
        var scaledPixels = 100_000_000
        /// All pictures that are kept in memory.
        var bytes = 64 << 20
        /// How many answers are kept, with and without a picture.
        var answers = 2_000
        /// How long an answer is kept.
        var keeping = Duration.seconds(3_600)
        /// How many pictures are fetched at once, and how many wait.
        var atOnce = 4
        var waiting = 60
    }

    /// Fetches what is at an address, at most so many bytes, under the rules of a crawl; nil if it may not or cannot.
    typealias Fetch = @Sendable (WebURL, _ maximumBytes: Int) async -> [UInt8]?
    /// Makes a WebP of a picture that fills a square of so many pixels; nil if it cannot be read.
    typealias Scale = @Sendable ([UInt8], _ side: Int) async -> [UInt8]?

    private struct Kept {
        /// Nil if there is no picture to show.
        let picture: Picture?
        let madeAt: ContinuousClock.Instant
        var used: UInt64
    }

    private struct InFlight {
        let task: Task<Picture?, Never>
        let number: UInt64
        /// Those who wait for it.
        var readers = 0
    }

    private let fetch: Fetch
    private let scale: Scale?
    private let store: ThumbnailStore?
    private let limits: Limits
    private var kept: [String: Kept] = [:]
    private var keptBytes = 0
    private var uses: UInt64 = 0
    private var inFlight: [String: InFlight] = [:]
    /// Tasks that have not ended: those in flight, and those that nobody waits for any more.
    private var unfinished = 0
    private var busy = 0
    private var queue: [CheckedContinuation<Void, Never>] = []

    /// - Parameters:
    ///   - scale: nil if pictures are passed on as they are.
    ///   - store: keeps scaled pictures longer than this server runs.
    init(limits: Limits = Limits(), scale: Scale? = nil, store: ThumbnailStore? = nil, fetch: @escaping Fetch) {
        (self.limits, self.scale, self.store, self.fetch) = (limits, scale, store, fetch)
    }

    /// The picture at an address; nil if there is none to show.
    ///
    /// - Parameter side: pixels of the square that it is for.
    /// - Throws: `WebRefusal` if too many are being fetched; `CancellationError` if the reader has gone. Work that nobody else waits
    ///   for ends then.
    func picture(at url: WebURL, side: Int, now: ContinuousClock.Instant = .now) async throws -> Picture? {
        let key = scale == nil ? url.href : "\(side) \(url.href)"
        uses += 1
        if let known = kept[key] {
            if now - known.madeAt < limits.keeping {
                kept[key]?.used = uses
                return known.picture
            }
            remove(key)
        }
        try Task.checkCancellation()
        if inFlight[key] == nil {
            guard unfinished < limits.atOnce + limits.waiting else {
                throw WebRefusal(
                    .serviceUnavailable, "Too many pictures are being fetched.", fields: [(.retryAfter, "10")])
            }
            unfinished += 1
            let number = uses
            let task = Task { await self.made(key, url, side, number, now) }
            inFlight[key] = InFlight(task: task, number: number)
        }
        guard let work = inFlight[key] else { return nil }
        inFlight[key]?.readers += 1
        let picture = await withTaskCancellationHandler {
            await work.task.value
        } onCancel: {
            Task { await self.leave(key, work.number) }
        }
        try Task.checkCancellation()
        return picture
    }

    /// One reader of a picture has gone. Whoever asks for it after the last one begins anew.
    private func leave(_ key: String, _ number: UInt64) {
        guard var work = inFlight[key], work.number == number else { return }
        work.readers -= 1
        inFlight[key] = work.readers > 0 ? work : nil
        if work.readers == 0 { work.task.cancel() }
    }

    private func made(
        _ key: String, _ url: WebURL, _ side: Int, _ number: UInt64, _ now: ContinuousClock.Instant
    ) async -> Picture? {
        let picture = await fetched(key, url, side)
        unfinished -= 1
        if inFlight[key]?.number == number { inFlight[key] = nil }
        // What was given up says nothing of the picture.
        if !Task.isCancelled { keep(picture, at: key, now: now) }
        return picture
    }

    private func fetched(_ key: String, _ url: WebURL, _ side: Int) async -> Picture? {
        if let bytes = await store?.read(key, now: Date()) { return Self.thumbnail(bytes) }
        if busy >= limits.atOnce { await withCheckedContinuation { queue.append($0) } } else { busy += 1 }
        defer { if queue.isEmpty { busy -= 1 } else { queue.removeFirst().resume() } }
        let maximumBytes = scale == nil ? limits.pictureBytes : limits.scaledBytes
        guard !Task.isCancelled, let bytes = await fetch(url, maximumBytes), !Task.isCancelled,
            bytes.count <= maximumBytes, let header = ImageHeader(bytes), header.format != .svg
        else { return nil }
        guard let scale else { return Picture(mediaType: header.format.mediaType, bytes: bytes) }
        // The program has limits too, but need not come to them.
        guard let width = header.width, let height = header.height, width <= limits.scaledPixels / height,
            let small = await scale(bytes, side), let picture = Self.thumbnail(small)
        else { return nil }
        await store?.write(small, key, now: Date())
        return picture
    }

    /// What was made of a picture; nil if it is none.
    private static func thumbnail(_ bytes: [UInt8]) -> Picture? {
        guard let format = ImageHeader(bytes)?.format, format == .webp else { return nil }
        return Picture(mediaType: format.mediaType, bytes: bytes)
    }

    private func keep(_ picture: Picture?, at key: String, now: ContinuousClock.Instant) {
        remove(key)
        kept[key] = Kept(picture: picture, madeAt: now, used: uses)
        keptBytes += picture?.bytes.count ?? 0
        // The least recently used go first.
        while kept.count > limits.answers || (keptBytes > limits.bytes && kept.count > 1) {
            guard let oldest = kept.min(by: { $0.value.used < $1.value.used })?.key else { return }
            remove(oldest)
        }
    }

    private func remove(_ key: String) {
        keptBytes -= kept.removeValue(forKey: key)?.picture?.bytes.count ?? 0
    }
}

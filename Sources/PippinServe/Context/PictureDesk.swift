import PippinPage
import PippinReport

/// Fetches the pictures of records, so that the reader's browser asks no address that a record names, and keeps them for a while.
///
/// A picture is passed on as it is, if it begins as one of a known format and is small. SVG is none: it can hold scripts and
/// further addresses.
actor PictureDesk {
    struct Picture: Sendable, Equatable {
        let mediaType: String
        let bytes: [UInt8]
    }

    struct Limits: Sendable {
        /// The largest picture: most of those that pages name for sharing are smaller.
        var pictureBytes = WebLimits.pictureBytes
        /// All pictures that are kept.
        var bytes = 64 << 20
        /// How many answers are kept, with and without a picture.
        var answers = 2_000
        /// How long an answer is kept.
        var keeping = Duration.seconds(3_600)
        /// How many pictures are fetched at once, and how many wait.
        var atOnce = 4
        var waiting = 60
    }

    private struct Kept {
        /// Nil if there is no picture to show.
        let picture: Picture?
        let madeAt: ContinuousClock.Instant
        var used: UInt64
    }

    private let fetch: @Sendable (WebURL) async -> [UInt8]?
    private let limits: Limits
    private var kept: [String: Kept] = [:]
    private var keptBytes = 0
    private var uses: UInt64 = 0
    private var inFlight: [String: Task<Picture?, Never>] = [:]
    private var busy = 0
    private var queue: [CheckedContinuation<Void, Never>] = []

    /// - Parameter fetch: fetches what is at an address, under the rules of a crawl; nil if it may not or cannot.
    init(limits: Limits = Limits(), fetch: @escaping @Sendable (WebURL) async -> [UInt8]?) {
        self.limits = limits
        self.fetch = fetch
    }

    /// The picture at an address; nil if there is none to show.
    ///
    /// - Throws: `WebRefusal` if too many are being fetched.
    func picture(at url: WebURL, now: ContinuousClock.Instant = .now) async throws(WebRefusal) -> Picture? {
        let key = url.href
        uses += 1
        if let known = kept[key] {
            if now - known.madeAt < limits.keeping {
                kept[key]?.used = uses
                return known.picture
            }
            remove(key)
        }
        if let task = inFlight[key] { return await task.value }
        guard inFlight.count < limits.atOnce + limits.waiting else {
            throw WebRefusal(
                .serviceUnavailable, "Too many pictures are being fetched.", fields: [(.retryAfter, "10")])
        }
        let task = Task { await self.fetched(url) }
        inFlight[key] = task
        let picture = await task.value
        inFlight[key] = nil
        keep(picture, at: key, now: now)
        return picture
    }

    private func fetched(_ url: WebURL) async -> Picture? {
        if busy >= limits.atOnce { await withCheckedContinuation { queue.append($0) } } else { busy += 1 }
        defer { if queue.isEmpty { busy -= 1 } else { queue.removeFirst().resume() } }
        guard let bytes = await fetch(url), bytes.count <= limits.pictureBytes, let header = ImageHeader(bytes),
            header.format != .svg
        else { return nil }
        return Picture(mediaType: header.format.mediaType, bytes: bytes)
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

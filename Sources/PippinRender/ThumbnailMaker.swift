import Foundation
import Glibc
import PippinCrawl
import Synchronization

/// Makes small copies of pictures, each with libvips in a process of its own: no decoder of foreign bytes runs in ours.
///
///     picture ──► standard input ──► vipsthumbnail ──► standard output ──► WebP
///
/// The process has no network and no files (`Confinement`), and limits of memory, time and answer. Of a picture with several frames
/// the first one counts. A picture that ends too early is shown as far as it goes, if its format allows that.
public final class ThumbnailMaker: Sendable {
    public struct Settings: Sendable {
        /// The program that scales: libvips reads pictures in lines where their formats allow it, so that a large one needs little
        /// memory.
        public var path = "/usr/bin/vipsthumbnail"
        /// The user that it runs as, if we run as root.
        public var user = "nobody"
        /// Its memory in bytes. It takes 40 MB, and 80 MB for an AVIF of 4 megapixels. Only pictures that cannot be read in lines
        /// (interlaced PNG, progressive JPEG) need all their pixels: up to some 60 megapixels of them.
        public var memoryBytes = 256 << 20
        /// The longest that it may take for a picture; a JPEG of 4 megapixels takes 0.1 s.
        public var time = Duration.seconds(5)
        /// How many pictures are scaled at the same time.
        public var atOnce = 2

        public init() {}
    }

    /// The largest answer: a picture of 240 × 240 pixels has 10 KB, and never as many as its pixels.
    private static let maximumAnswerBytes = 256 << 10
    /// The addresses that it may reserve: libraries take 300 MB of them, without any memory.
    private static let addressBytes = 1 << 30
    /// The time to end after its answer.
    private static let patience = Duration.seconds(1)
    /// How often is looked whether anybody still waits.
    private static let pollMilliseconds: Int32 = 50

    private static let environment = [
        "PATH=/usr/bin:/bin", "HOME=/", "LANG=C.UTF-8",
        // Formats that few have tested against hostile bytes are not read: SVG, PDF, JPEG XL, whatever ImageMagick reads.
        "VIPS_BLOCK_UNTRUSTED=1",
        "VIPS_CONCURRENCY=1",
        // Without a compiler, it needs no memory that is written and run.
        "VIPS_NOVECTOR=1",
        // No file takes what does not fit into memory.
        "VIPS_DISC_THRESHOLD=1g",
    ]

    private let command: [String]
    private let settings: Settings
    private let lanes: [BlockingExecutor]
    /// Pictures of each lane.
    private let loads: Mutex<[Int]>

    /// - Throws: a sentence that says what is missing, and where to get it.
    public init(_ settings: Settings = Settings()) throws(ProgramMissing) {
        guard access(settings.path, X_OK) == 0 else {
            throw ProgramMissing(
                problem: "there is no program at \(settings.path): install Debian's package libvips-tools")
        }
        let seconds = max(1, settings.time.components.seconds)
        let confinement = Confinement(
            of: "vipsthumbnail", user: settings.user,
            limits: [
                "--data=\(settings.memoryBytes)", "--as=\(max(Self.addressBytes, settings.memoryBytes))",
                "--cpu=\(seconds)", "--fsize=0", "--nofile=64",
            ], environment: Self.environment)
        command = try confinement.command(for: settings.path)
        self.settings = settings
        lanes = (0..<settings.atOnce).map { BlockingExecutor("pippin.thumbnails-\($0)") }
        loads = Mutex(Array(repeating: 0, count: settings.atOnce))
    }

    /// Scales a picture of one pixel.
    ///
    /// - Returns: why pictures cannot be scaled on this machine; nil if they can.
    public func problem() async -> ProgramMissing? {
        switch await result(of: Self.pixel, side: 1) {
        case .success: return nil
        case .failure(let failure):
            return ProgramMissing(problem: "\(settings.path): \(Confinement.problem(failure.words))")
        }
    }

    /// A copy of a picture that fills a square, as WebP without metadata. What a square does not show is cut off, at the edges; a
    /// smaller picture is not enlarged.
    ///
    /// - Parameter side: pixels of the square's side.
    /// - Returns: nil if it is none that can be read within the limits, or the task was cancelled.
    public func thumbnail(of picture: [UInt8], side: Int) async -> [UInt8]? {
        switch await result(of: picture, side: side) {
        case .success(let bytes): bytes
        case .failure: nil
        }
    }

    private struct Failure: Error {
        /// What the program said, in lines.
        var words = ""
    }

    private func result(of picture: [UInt8], side: Int) async -> Result<[UInt8], Failure> {
        let lane = loads.withLock { loads in
            let lane = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            loads[lane] += 1
            return lane
        }
        defer { loads.withLock { $0[lane] -= 1 } }
        return await withTaskExecutorPreference(lanes[lane]) {
            do throws(Failure) {
                return .success(try self.made(of: picture, side: side))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Runs the program, on the thread that calls.
    private func made(of picture: [UInt8], side: Int) throws(Failure) -> [UInt8] {
        if Task.isCancelled { throw Failure() }
        let process: ConfinedProcess
        do throws(ProgramMissing) {
            process = try ConfinedProcess(
                command + [
                    "stdin", "--size", "\(side)x\(side)>", "--smartcrop", "centre", "--export-profile", "srgb",
                    "--output", ".webp[Q=75]",
                ], environment: Self.environment, wire: .standard)
        } catch {
            throw Failure(words: error.problem)
        }
        let answer = exchange(picture, with: process)
        let hasSucceeded = process.waitForEnd(within: answer == nil ? .zero : Self.patience)
        guard let answer, hasSucceeded, let picture = WebPContainer.withoutMetadata(answer) else {
            throw Failure(words: process.lastWords())
        }
        return picture
    }

    /// Sends what the program takes, and reads until it ends.
    ///
    /// - Returns: nil if it takes or says too much, or nobody waits any more.
    private func exchange(_ input: [UInt8], with process: ConfinedProcess) -> [UInt8]? {
        let deadline = ContinuousClock.now + settings.time
        var rest = input[...]
        var isSending = true
        var answer: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 64 << 10)
        while !Task.isCancelled, ContinuousClock.now < deadline {
            if isSending, rest.isEmpty {
                shutdown(process.wire, Int32(SHUT_WR))
                isSending = false
            }
            var place = pollfd(fd: process.wire, events: Int16(isSending ? POLLIN | POLLOUT : POLLIN), revents: 0)
            guard poll(&place, 1, Self.pollMilliseconds) > 0 else { continue }
            if isSending, Int32(place.revents) & POLLOUT != 0 {
                let count = rest.withUnsafeBytes {
                    send(process.wire, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
                }
                if count > 0 {
                    rest = rest.dropFirst(count)
                } else if errno != EAGAIN, errno != EINTR {
                    // It reads no more: a picture may be over before its bytes are.
                    rest = []
                }
            }
            if Int32(place.revents) & (POLLIN | POLLHUP | POLLERR) != 0 {
                let count = recv(process.wire, &block, block.count, Int32(MSG_DONTWAIT))
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                // An end with bytes that it has not read is an error of the wire, and no other.
                guard count > 0 else { return answer }
                answer += block[..<count]
                guard answer.count <= Self.maximumAnswerBytes else { return nil }
            }
        }
        return nil
    }

    /// A PNG of one white pixel.
    private static let pixel: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52,
        0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x00, 0x00, 0x00, 0x00, 0x3A, 0x7E, 0x9B,
        0x55, 0x00, 0x00, 0x00, 0x0A, 0x49, 0x44, 0x41, 0x54, 0x78, 0xDA, 0x63, 0xF8, 0x0F, 0x00, 0x01,
        0x01, 0x01, 0x00, 0x1C, 0xB0, 0x8C, 0x99, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE,
        0x42, 0x60, 0x82,
    ]
}

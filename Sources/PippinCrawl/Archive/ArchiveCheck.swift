import Foundation
import Glibc
import PippinPage

/// Checks the indexes of an archive against its files: every file has an index, and every capture in one lies in its file. It only
/// reads, line by line.
public struct ArchiveCheck: Sendable {
    public struct Problem: Sendable, Equatable {
        public let what: String
        public let advice: String
    }

    /// At most ten.
    public private(set) var problems: [Problem] = []
    /// Finished files, and captures in their indexes.
    public private(set) var files = 0
    public private(set) var captures = 0

    private static let maximumProblems = 10
    private static let suffix = ".warc.gz"

    private let folder: URL
    private let isFull: Bool

    /// - Parameter isFull: whether the beginning of each capture is read.
    public init(folder: String, isFull: Bool) {
        self.folder = URL(filePath: folder)
        self.isFull = isFull
        // The first run makes it.
        guard access(folder, F_OK) == 0 else { return }
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        } catch {
            problems.append(Problem(what: "\(folder): \(SystemReason.of(error))", advice: "check its permissions"))
            return
        }
        let all = Set(names)
        for name in names where name.hasSuffix(Self.suffix) {
            guard problems.count < Self.maximumProblems else { return }
            files += 1
            let index = String(name.dropLast(Self.suffix.count)) + ".cdxj"
            if all.contains(index) {
                check(index, of: name)
            } else {
                problems.append(
                    Problem(
                        what: "\(name) has no index \(index)",
                        advice: "rename it to \(name)\(WARCFile.openSuffix); the next run makes the index"))
            }
        }
        for name in names where name.hasSuffix(".cdxj") && problems.count < Self.maximumProblems {
            let file = String(name.dropLast(".cdxj".count)) + Self.suffix
            // A run that was just ended from outside has written the index, and renames the file next.
            guard !all.contains(file), !all.contains(file + WARCFile.openSuffix) else { continue }
            problems.append(
                Problem(what: "\(name) is of \(file), which is missing", advice: "remove it, or put the file back"))
        }
    }

    private mutating func check(_ index: String, of name: String) {
        let path = folder.appending(path: name).path
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        let lines = open(folder.appending(path: index).path, O_RDONLY | O_CLOEXEC)
        defer { for descriptor in [descriptor, lines] where descriptor >= 0 { close(descriptor) } }
        var status = stat()
        if descriptor < 0 || lines < 0, errno == ENOENT {
            // A run that keeps its archive for a while has removed it since the folder was read.
            files -= 1
            return
        }
        guard descriptor >= 0, lines >= 0, fstat(descriptor, &status) == 0 else {
            problems.append(Problem(what: "\(path): \(SystemReason.words(errno))", advice: "check its permissions"))
            return
        }
        let damage = Problem(
            what: "", advice: "rename \(name) to \(name)\(WARCFile.openSuffix); the next run makes the index anew")
        var window = IndexLines(FileWindow(descriptor: lines))
        do throws(IndexLines.Failure) {
            while let line = try window.next() {
                guard case .text(let text) = line, let fields = try? CDXJFields(text), fields.text("filename") == name,
                    let offset = fields.number("offset"), let length = fields.number("length"), length > 0,
                    offset + length <= UInt64(status.st_size), !isFull || Self.isMember(descriptor, at: Int64(offset))
                else {
                    problems.append(
                        Problem(
                            what: "line \(window.number) of \(index) is of no record in \(name)",
                            advice: damage.advice))
                    return
                }
                captures += 1
            }
        } catch {
            problems.append(Problem(what: "\(index) \(error.reason)", advice: damage.advice))
        }
    }

    /// Whether a gzip member begins there.
    private static func isMember(_ descriptor: Int32, at offset: Int64) -> Bool {
        var bytes: [UInt8] = [0, 0, 0]
        return pread(descriptor, &bytes, 3, off_t(offset)) == 3 && bytes == [0x1F, 0x8B, 8]
    }
}

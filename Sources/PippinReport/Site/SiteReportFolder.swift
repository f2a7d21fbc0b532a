import Foundation
import PippinCrawl
import PippinPage

/// The folder of a site's report: `index.html`, `report.json`, and a report card per page in `pages/`.
///
/// Each file appears complete or not at all. The overview is written after the cards that it links to; cards of an earlier
/// report are removed last.
public struct SiteReportFolder: Sendable {
    /// The path of the folder.
    public let path: String
    private let readers: OutputFile.Readers

    /// Creates the folder. A failure is thus reported before a long crawl, not after it.
    ///
    /// - Parameter readers: who may read the report.
    public init(path: String, readers: OutputFile.Readers = .group) throws {
        self.path = path
        self.readers = readers
        try Self.refuseForeign(path + "/index.html")
        try Self.attempt(path) {
            for folder in [path, path + "/pages"] {
                guard let number = OutputFolder.make(folder, readers: readers) else { continue }
                throw POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO)
            }
            guard FileManager.default.isWritableFile(atPath: path) else { throw CocoaError(.fileWriteNoPermission) }
        }
    }

    /// An overview is replaced only if a report wrote it: the folder that was named may be the site's own.
    private static func refuseForeign(_ overview: String) throws {
        guard FileManager.default.fileExists(atPath: overview), try !isReport(overview) else { return }
        throw failure(overview, "it is a page that Pippin did not write; name another folder")
    }

    /// Whether a file was written by a report.
    private static func isReport(_ path: String) throws -> Bool {
        try attempt(path) {
            let file = try FileHandle(forReadingFrom: URL(filePath: path))
            defer { try? file.close() }  // It was only read.
            return try file.read(upToCount: 4_096)?.range(of: Data(ReportStyle.mark.description.utf8)) != nil
        }
    }

    /// Whether an earlier run has written a report into the folder.
    public var hasReport: Bool { FileManager.default.fileExists(atPath: path + "/index.html") }

    /// Writes a report and removes the cards of an earlier one.
    public func write(_ report: SiteReport) throws {
        for (name, card) in report.cards {
            try write(Array(card.html(partOf: ReportCard.overviewOfSite).utf8), to: "pages/\(name)")
        }
        try write(report.json.bytes(pretty: true) + [0x0A], to: "report.json")
        try write(Array(report.html.utf8), to: "index.html")
        try removeCards(notIn: Set(report.cards.map(\.name)))
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        let file = path + "/" + name
        do throws(OutputError) {
            try WholeFile.write(UserInformation.hidden(in: bytes), to: file, what: "the report", readers: readers)
        } catch {
            throw Self.failure(file, SystemReason.words(error.errorNumber))
        }
    }

    func removeCards(notIn current: Set<String>) throws {
        let folder = path + "/pages"
        try Self.attempt(folder) {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder)
            where !current.contains(name) && Self.isCard(name) {
                guard try Self.isReport(folder + "/" + name) else { continue }
                try FileManager.default.removeItem(atPath: folder + "/" + name)
            }
        }
    }

    /// Whether a file is named as report cards are (`001-….html`). Only such files are removed, and only if they are cards.
    private static func isCard(_ name: String) -> Bool {
        let digits = name.utf8.prefix { $0 &- 0x30 < 10 }.count
        return digits >= 3 && name.utf8.dropFirst(digits).first == 0x2D && name.hasSuffix(".html")
    }

    private static func failure(_ path: String, _ reason: String) -> ReportedFailure {
        ReportedFailure("\(path): the report cannot be written: \(reason)", .outputFailed)
    }

    private static func attempt<Value>(_ path: String, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as ReportedFailure {
            throw error
        } catch {
            throw failure(path, SystemReason.of(error))
        }
    }
}

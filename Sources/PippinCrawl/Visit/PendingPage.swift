import PippinPage

/// A page that was read and waits for files of its site. Its host serves other requests meanwhile.
///
///     claims ──(web manifest, files about use)──► record without verified links ──(association files)──► record
struct PendingPage: Sendable {
    indirect enum Stage: Sendable {
        /// There is no record yet, because the web manifest, if there is one, can name further apps of the page, and files about use
        /// may forbid the record.
        case claims(RecordDraft, files: PageFiles)
        /// The record is made; its deep links are not verified yet.
        case unverified(DeepLinkRecord, notes: [ParseNote], hosts: [AssociationFiles])
        /// The page was not modified. The association files show whether its record still holds.
        case unchanged(AssociationFiles)
    }

    /// The files that decide about the record, beside association files.
    struct PageFiles: Sendable {
        var manifest: SiteFileRequest?
        var reservations: SiteFileRequest?
        var licenses: [SiteFileRequest] = []

        var all: [SiteFileRequest] { [manifest, reservations].compactMap(\.self) + licenses }
        /// Whether there are files about use. No validator of the page knows them.
        var areAboutUse: Bool { reservations != nil || !licenses.isEmpty }
    }

    let visit: Visit
    /// The visit's result so far.
    var result: VisitResult
    var stage: Stage
    /// The outcomes of the files so far, including those that are not available.
    var files: [SiteFileID: SiteFileOutcome]
    /// The page's share of the crawl's memory while it waits.
    private(set) var memory: Holding?

    init(of visit: Visit, _ result: VisitResult, _ stage: Stage) {
        self.visit = visit
        self.result = result
        self.stage = stage
        files = visit.files
    }

    /// The files that the page needs next; empty if it can continue.
    var missing: [SiteFileRequest] {
        switch stage {
        case .claims(_, let wanted): wanted.all.filter { files[$0.id] == nil }
        case .unverified(_, _, let hosts): hosts.flatMap { $0.wanted(files) }
        case .unchanged(let host): host.wanted(files)
        }
    }

    /// Keeps the visit's share of memory, reduced to what the waiting page needs.
    mutating func keep(_ memory: Holding) {
        memory.settle(at: keptBytes)
        self.memory = memory
    }

    private static let recordBytes = 16 * 1024

    private var keptBytes: Int {
        var kept = files.values.reduce(Self.recordBytes) { $0 + $1.keptBytes } + (result.seen?.keptBytes ?? 0)
        for link in [result.discovered, result.nofollowLinks].joined() {
            kept += MemoryLayout<CrawlRequest>.stride + link.url.href.utf8.count + link.key.string.utf8.count
        }
        return kept
    }
}

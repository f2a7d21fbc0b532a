import DequeModule
import PippinPage

/// A page that was read, and waits for what its site says elsewhere. Its host goes on with other requests meanwhile.
///
///     claims ──(web manifest)──► draft ──(association files)──► record
struct PendingPage: Sendable {
    enum Stage: Sendable {
        /// The manifest, where there is one, has a say in which apps the page names: there is no record yet.
        case claims(RecordDraft, manifest: SiteFileRequest?)
        /// The record, whose deep links are to be verified.
        case draft(DeepLinkRecord, notes: [ParseNote], hosts: [AssociationFiles])
        /// The page was not modified; whether the files of its site were, is to be seen.
        case unchanged(AssociationFiles)
    }

    let visit: Visit
    /// What the visit has come to so far.
    let result: VisitResult
    var stage: Stage
    /// The page itself, where a report wants it judged; otherwise its document is gone by now.
    let page: PageReading?
    /// The files that came, and those that are not to be had.
    var files: [SiteFileID: SiteFileOutcome]
    /// What the page takes of the crawl's memory while it waits.
    private(set) var memory: Holding?

    init(of visit: Visit, _ result: VisitResult, _ stage: Stage, page: PageReading? = nil) {
        self.visit = visit
        self.result = result
        self.stage = stage
        self.page = page
        files = visit.files
    }

    /// The files that the page needs next; empty when it can go on.
    var missing: [SiteFileRequest] {
        switch stage {
        case .claims(_, let manifest?): files[manifest.id] == nil ? [manifest] : []
        case .claims: []
        case .draft(_, _, let hosts): hosts.flatMap { $0.wanted(files) }
        case .unchanged(let host): host.wanted(files)
        }
    }

    /// From now on the page alone is held.
    mutating func keep(_ memory: Holding) {
        memory.settle(at: keptBytes)
        self.memory = memory
    }

    private static let recordBytes = 16 * 1024

    private var keptBytes: Int {
        var kept = files.values.reduce(Self.recordBytes) { $0 + $1.keptBytes } + (page?.keptBytes ?? 0)
        for link in result.discovered {
            kept += MemoryLayout<CrawlRequest>.stride + link.url.href.utf8.count + link.key.string.utf8.count
        }
        return kept
    }
}

/// The pages that wait for files of their sites, and what is known of these files: of all but robots.txt, which `SiteRules` has.
/// A pure value, owned by the crawl's loop.
///
///     add(page) ──► waiting ──settle(file)──► ready ──takeReady()──► recorded, or added again for further files
///         └──► nextFile() to be asked for, once for all pages that need it
///
/// A page waits exactly for files that are asked for, so each page becomes ready when each file is settled once.
struct PendingPages {
    private enum File {
        /// With the numbers of the pages that wait.
        case asking(waiting: [Int])
        case settled(SiteFileOutcome, until: Duration)
    }

    /// Pages that wait at a time. What they keep in memory is counted by `MemoryBudget`.
    private static let maximumPages = 2_000
    /// Files kept; beyond it those whose time is up, then any, are let go.
    private static let maximumFiles = 20_000
    /// Bytes of association files kept, likewise. What was read of them takes some ten times as much; real ones have some
    /// 3,000 bytes, so these are those of 5,000 hosts.
    private static let maximumKeptBytes = 16_000_000

    private let scope: CrawlScope
    private var files: [SiteFileID: File] = [:]
    /// Of the files that are settled.
    private var keptBytes = 0
    private var toAsk = Deque<SiteFileRequest>()
    private var waiting: [Int: (page: PendingPage, missing: Set<SiteFileID>)] = [:]
    private var ready: [PendingPage] = []
    private var number = 0

    init(scope: CrawlScope) {
        self.scope = scope
    }

    // MARK: Pages

    var isEmpty: Bool { waiting.isEmpty && ready.isEmpty }
    /// No more pages should be read until some were recorded.
    var isFull: Bool { waiting.count >= Self.maximumPages }
    var isHalfEmpty: Bool { waiting.count < Self.maximumPages / 2 }

    /// Takes a page with the files that are known already. One file may lead to another, an association file to its copy at the
    /// root or to those it includes; every round brings at least one of a bounded number.
    mutating func add(_ page: PendingPage, now: Duration) {
        var page = page
        var missing: Set<SiteFileID> = []
        while missing.isEmpty {
            let needs = page.missing
            guard !needs.isEmpty else { return ready.append(page) }
            for request in needs {
                // An association file may include one from anywhere.
                guard scope.allows(file: request.url) else {
                    page.files[request.id] = .absent(.outOfScope)
                    continue
                }
                if let outcome = settled(request.id, now: now) {
                    page.files[request.id] = outcome
                } else {
                    missing.insert(request.id)
                    ask(for: request, now: now)
                }
            }
        }
        number += 1
        waiting[number] = (page, missing)
        for file in missing {
            if case .asking(var numbers)? = files.removeValue(forKey: file) {
                numbers.append(number)
                files[file] = .asking(waiting: numbers)
            }
        }
    }

    /// Pages that have all they need.
    mutating func takeReady() -> [PendingPage] {
        defer { ready = [] }
        return ready
    }

    /// The run ends: the requests of all pages go back.
    mutating func removeAll() -> [CrawlRequest] {
        defer { (waiting, ready) = ([:], []) }
        return waiting.sorted { $0.key < $1.key }.map(\.value.page.visit.request) + ready.map(\.visit.request)
    }

    // MARK: Files

    /// A file that pages wait for, and that is to be asked for. It is to be settled, whatever comes of that.
    mutating func nextFile() -> SiteFileRequest? { toAsk.popFirst() }

    private mutating func ask(for request: SiteFileRequest, now: Duration) {
        if case .asking? = files[request.id] { return }
        if files.count >= Self.maximumFiles { makeRoom(now: now) }
        forget(request.id)
        files[request.id] = .asking(waiting: [])
        toAsk.append(request)
    }

    /// A file has come, or is not to be had: pages that waited for nothing else go on.
    mutating func settle(_ file: SiteFileID, _ outcome: SiteFileOutcome, keep: Duration, now: Duration) {
        if keptBytes + outcome.keptBytes > Self.maximumKeptBytes { makeRoom(now: now) }
        let old = files[file]
        forget(file)
        files[file] = .settled(outcome, until: now + keep)
        keptBytes += outcome.keptBytes
        guard case .asking(let numbers)? = old else { return }
        for number in numbers {
            guard var entry = waiting.removeValue(forKey: number) else { continue }
            entry.missing.remove(file)
            entry.page.files[file] = outcome
            if entry.missing.isEmpty { add(entry.page, now: now) } else { waiting[number] = entry }
        }
    }

    /// What is known of a file, as long as it is kept.
    private func settled(_ file: SiteFileID, now: Duration) -> SiteFileOutcome? {
        guard case .settled(let outcome, let until)? = files[file], until > now else { return nil }
        return outcome
    }

    /// What is known already of the association files of a page's own host, so that most pages need not wait.
    func knownAssociations(for request: CrawlRequest, now: Duration) -> [SiteFileID: SiteFileOutcome] {
        var known: [SiteFileID: SiteFileOutcome] = [:]
        guard request.isPage, request.url.scheme == "https" else { return known }
        let files = AssociationFiles(of: request.url, seed: request.seed)
        while true {
            let wanted = files.wanted(known)
            guard !wanted.isEmpty else { return known }
            for request in wanted {
                guard let outcome = settled(request.id, now: now) else { return known }
                known[request.id] = outcome
            }
        }
    }

    private mutating func forget(_ file: SiteFileID) {
        if case .settled(let outcome, _)? = files.removeValue(forKey: file) { keptBytes -= outcome.keptBytes }
    }

    /// What is out of its time goes; then a quarter of what is left, by number and by bytes.
    private mutating func makeRoom(now: Duration) {
        func isSettled(_ state: File, after time: Duration) -> Bool {
            if case .settled(_, let until) = state { until <= time } else { false }
        }
        for (file, state) in files where isSettled(state, after: now) { forget(file) }
        var surplus = files.count >= Self.maximumFiles ? files.count / 4 : 0
        let enough = Self.maximumKeptBytes / 4 * 3
        for (file, state) in files where surplus > 0 || keptBytes > enough {
            guard case .settled(let outcome, _) = state, surplus > 0 || outcome.keptBytes > 0 else { continue }
            surplus -= 1
            forget(file)
        }
    }
}

import DequeModule
import PippinPage

/// The pages that wait for files of their sites, and the outcomes of these files. (`SiteRules` has robots.txt.) A pure value,
/// owned by the crawl's loop.
///
///     add(page) ──► waiting ──settle(file)──► ready ──takeReady()──► recorded, or added again for further files
///         └──► nextFile() to be asked for, once for all pages that need it ──putOff(file)──► its pages leave
///
/// A page waits only for files that are requested, so every page becomes ready once each of its files is settled.
struct PendingPages {
    private enum File {
        /// The file is requested; `waiting` has the numbers of the pages that need it.
        case asking(waiting: [Int])
        case settled(SiteFileOutcome, until: Duration)
    }

    /// The limit of waiting pages. `MemoryBudget` counts their memory.
    private static let maximumPages = 2_000
    /// The limit of kept files. Beyond it, outdated files are dropped first, then any.
    private static let maximumFiles = 20_000
    /// The limit of association files in bytes, with the same rule. Their parsed form takes about ten times as much. Real ones
    /// have about 3,000 bytes, so this is enough for 5,000 hosts.
    private static let maximumKeptBytes = 16_000_000

    private let scope: CrawlScope
    private var files: [SiteFileID: File] = [:]
    /// The bytes of all settled files.
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
    /// Whether so many pages wait that no more should be read.
    var isFull: Bool { waiting.count >= Self.maximumPages }
    var isHalfEmpty: Bool { waiting.count < Self.maximumPages / 2 }

    /// Takes a page together with the files that are known already. One file may lead to another: an association file to its
    /// copy at the root, or to files that it includes. Every round adds at least one outcome, and the number of files per page
    /// is limited.
    mutating func add(_ page: PendingPage, now: Duration) {
        var page = page
        var missing: Set<SiteFileID> = []
        while missing.isEmpty {
            let needs = page.missing
            guard !needs.isEmpty else { return ready.append(page) }
            for request in needs {
                // An association file may include one on any host.
                guard scope.allows(file: request.url) else {
                    page.files[request.id] = .absent(.outOfScope)
                    continue
                }
                guard scope.owns(request.url.politenessHost) else {
                    page.files[request.id] = .absent(.otherShard)
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

    /// Returns and removes the pages that have all their files. They need no request to a host.
    mutating func takeReady() -> [PendingPage] {
        defer { ready = [] }
        return ready
    }

    /// Removes all pages at the end of the run and returns their requests.
    mutating func removeAll() -> [CrawlRequest] {
        defer { (waiting, ready) = ([:], []) }
        return waiting.sorted { $0.key < $1.key }.map(\.value.page.visit.request) + ready.map(\.visit.request)
    }

    // MARK: Files

    /// A file to request for waiting pages; nil if there is none. The caller must settle it in every case.
    mutating func nextFile() -> SiteFileRequest? { toAsk.popFirst() }

    private mutating func ask(for request: SiteFileRequest, now: Duration) {
        if case .asking? = files[request.id] { return }
        if files.count >= Self.maximumFiles { makeRoom(now: now) }
        forget(request.id)
        files[request.id] = .asking(waiting: [])
        toAsk.append(request)
    }

    /// Stores the outcome of a file. Pages that wait for no other file continue.
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

    /// Forgets a file that was to be requested, and removes the pages that wait for it.
    mutating func putOff(_ file: SiteFileID) -> [PendingPage] {
        guard case .asking(let numbers)? = files[file] else { return [] }
        files[file] = nil
        return numbers.compactMap { waiting.removeValue(forKey: $0)?.page }
    }

    /// The outcome of a file, if it is known and still valid.
    private func settled(_ file: SiteFileID, now: Duration) -> SiteFileOutcome? {
        guard case .settled(let outcome, let until)? = files[file], until > now else { return nil }
        return outcome
    }

    /// The known outcomes of the association files of a page's own host, so that most pages need not wait.
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

    /// Drops outdated files, then others until a quarter is free, by number and bytes.
    private mutating func makeRoom(now: Duration) {
        for (file, state) in files { if case .settled(_, let until) = state, until <= now { forget(file) } }
        while true {
            let settled = files.filter { if case .settled = $0.value { true } else { false } }.keys
            var choice = EvenChoice(
                among: settled.count, count: files.count, most: Self.maximumFiles / 4 * 3, bytes: keptBytes,
                bytesToKeep: Self.maximumKeptBytes / 4 * 3)
            guard choice.count > 0 else { return }
            for file in settled where choice.takesNext() { forget(file) }
        }
    }
}

import PippinPage

/// What leads where in a crawl: addresses by their `URLKey`, the links between them, and what sitemaps list. It answers, when
/// the crawl has ended, how far each address is from a seed and how many pages lead there.
///
/// Addresses are numbers and a page's links one stretch of a flat array, so that ten million links take 40 MB.
struct LinkGraph: Sendable {
    struct Limits: Sendable {
        /// Addresses that are known: visited, linked or listed. Some 150 bytes each.
        var addresses = 500_000
        /// Bytes of their keys: 200 for each, where real ones have 80 and hostile ones 2,000.
        var addressBytes = 100_000_000
        /// Links in all, four bytes each.
        var links = 10_000_000
    }

    struct Address: Sendable {
        let key: String
        var isSeed = false
        var isInSitemap = false
        /// What the sitemap says of the last change, where that is no date.
        var wrongDate: String?
        /// Where a redirect or a canonical link leads: links to here count there too.
        var leadsTo: Int32?
        /// Of `targets`: links that may be followed come first.
        var links: Range<Int> = 0..<0
        var followed = 0
    }

    /// How an address stands among the others.
    struct Standing: Sendable {
        var depth: Int?
        var inlinks = 0
        var nofollowInlinks = 0
    }

    private let limits: Limits
    private(set) var addresses: [Address] = []
    private var numbers: [String: Int32] = [:]
    private var targets: [Int32] = []
    /// Of all addresses.
    private var keyBytes = 0
    /// Links and sitemap entries that a limit left out.
    private(set) var leftOut = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
    }

    subscript(number: Int32) -> Address {
        get { addresses[Int(number)] }
        set { addresses[Int(number)] = newValue }
    }

    /// The number of an address, a new one where it was not met before; nil when there is no room for more.
    ///
    /// - Parameter key: the string of its `URLKey`.
    mutating func number(of key: String) -> Int32? {
        if let number = numbers[key] { return number }
        guard addresses.count < limits.addresses, key.utf8.count <= limits.addressBytes - keyBytes else { return nil }
        keyBytes += key.utf8.count
        let number = Int32(addresses.count)
        numbers[key] = number
        addresses.append(Address(key: key))
        return number
    }

    mutating func leaveOut(_ count: Int) { leftOut += count }

    func known(_ key: String) -> Int32? { numbers[key] }

    /// A page's links, once; a page that is read again keeps those of the first time.
    mutating func link(_ page: Int32, followed: [String], nofollow: [String]) {
        guard self[page].links.isEmpty else { return }
        let start = targets.count
        func add(_ keys: [String]) {
            for key in keys {
                guard targets.count < limits.links, let target = number(of: key) else {
                    leftOut += 1
                    continue
                }
                if target != page { targets.append(target) }
            }
        }
        add(followed)
        self[page].followed = targets.count - start
        add(nofollow)
        self[page].links = start..<targets.count
    }

    mutating func list(inSitemap key: String, wrongDate: String?) {
        guard let number = number(of: key) else {
            leftOut += 1
            return
        }
        self[number].isInSitemap = true
        if let wrongDate { self[number].wrongDate = String(wrongDate.prefix(100)) }
    }

    /// - Returns: by address number.
    func standings() -> [Standing] {
        var standings = [Standing](repeating: Standing(), count: addresses.count)
        countInlinks(&standings)
        // Breadth first: an address gets its number of links when it is met first.
        var queue: [Int32] = []
        func reach(_ start: Int32, at depth: Int) {
            var next: Int32? = start
            // Where it leads costs no further link. An address that has its depth ends the way, loops too.
            while let number = next, standings[Int(number)].depth == nil {
                standings[Int(number)].depth = depth
                queue.append(number)
                next = self[number].leadsTo
            }
        }
        for number in addresses.indices where addresses[number].isSeed { reach(Int32(number), at: 0) }
        var position = 0
        while position < queue.count {
            let number = Int(queue[position])
            position += 1
            let address = addresses[number]
            let depth = (standings[number].depth ?? 0) + 1
            for target in targets[address.links].prefix(address.followed) { reach(target, at: depth) }
        }
        return standings
    }

    /// Each page counts once for an address, whichever of its spellings, redirects and copies it links to.
    private func countInlinks(_ standings: inout [Standing]) {
        var lastPage = [Int32](repeating: -1, count: addresses.count)
        for page in addresses.indices {
            let address = addresses[page]
            for (position, target) in targets[address.links].enumerated() {
                var next: Int32? = target
                var hops = 0
                while let number = next, hops < 10 {
                    hops += 1
                    next = self[number].leadsTo
                    let index = Int(number)
                    guard index != page, lastPage[index] != Int32(page) else { continue }
                    lastPage[index] = Int32(page)
                    standings[index].inlinks += 1
                    if position >= address.followed { standings[index].nofollowInlinks += 1 }
                }
            }
        }
    }

    /// The first few pages, by address, that link to each of some addresses.
    func sources(of wanted: Set<Int32>, limit: Int) -> [Int32: [String]] {
        var sources: [Int32: [String]] = [:]
        for address in addresses {
            for target in targets[address.links] where wanted.contains(target) {
                var list = sources.removeValue(forKey: target) ?? []
                let place = list.firstIndex { address.key <= $0 } ?? list.endIndex
                if place < limit, !list.contains(address.key) {
                    list.insert(address.key, at: place)
                    if list.count > limit { list.removeLast() }
                }
                sources[target] = list
            }
        }
        return sources
    }
}

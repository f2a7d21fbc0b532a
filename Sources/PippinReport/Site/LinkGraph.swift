import PippinPage

/// Addresses as numbers, by the strings of their `URLKey`s, up to a limit.
struct AddressNumbers: Sendable {
    /// The most addresses.
    let maximum: Int
    /// The most bytes of all keys. Real keys have 80, hostile ones 2,000.
    let maximumBytes: Int
    private var numbers: [String: Int32] = [:]
    private var bytes = 0

    init(maximum: Int, maximumBytes: Int) {
        self.maximum = maximum
        self.maximumBytes = maximumBytes
    }

    var count: Int { numbers.count }

    /// The number of an address, which is `count` if it was not known; nil if there is no room.
    mutating func number(of key: String) -> Int32? {
        if let number = numbers[key] { return number }
        guard numbers.count < maximum, key.utf8.count <= maximumBytes - bytes else { return nil }
        bytes += key.utf8.count
        let number = Int32(numbers.count)
        numbers[key] = number
        return number
    }

    func known(_ key: String) -> Int32? { numbers[key] }

    /// What each number is among other numbers; nil for an address that is not there.
    func translated(to other: (String) -> Int32?) -> [Int32?] {
        var translations = [Int32?](repeating: nil, count: numbers.count)
        for (key, number) in numbers { translations[Int(number)] = other(key) }
        return translations
    }
}

/// The links of a crawl, the addresses by their `URLKey`, and which of them sitemaps list. When the crawl has ended, it
/// computes how far each address is from a seed and how many pages link there.
///
/// Addresses are numbers, and a page's links are a range of a flat array. So ten million links take 40 MB.
struct LinkGraph: Sendable {
    struct Limits: Sendable {
        /// The most addresses that are visited, linked or listed. Each takes about 150 bytes.
        var addresses = 500_000
        /// The most bytes of all keys: 200 for each address.
        var addressBytes = 100_000_000
        /// The most links in all. Each takes four bytes.
        var links = 10_000_000
    }

    struct Address: Sendable {
        let key: String
        var isSeed = false
        var isInSitemap = false
        /// The `lastmod` in the sitemap, if it is not a date.
        var wrongDate: String?
        /// Whether a sitemap lists versions of the page in other languages.
        var hasVersionsInSitemap = false
        /// The target of a redirect or a canonical link. Links to this address also count for the target.
        var leadsTo: Int32?
        /// The page's links, as a range of `targets`, and how many of them may be followed; those come first.
        var links: Range<Int> = 0..<0
        var followed = 0
    }

    /// The result for one address: its distance from the nearest seed, nil if no link leads to it, and how many pages link
    /// there.
    struct Standing: Sendable {
        var depth: Int?
        var inlinks = 0
        var nofollowInlinks = 0
    }

    private let limits: Limits
    private(set) var addresses: [Address] = []
    private var numbers: AddressNumbers
    private var targets: [Int32] = []
    /// How many links and sitemap entries were left out because of a limit.
    private(set) var leftOut = 0

    init(limits: Limits = Limits()) {
        self.limits = limits
        numbers = AddressNumbers(maximum: limits.addresses, maximumBytes: limits.addressBytes)
    }

    subscript(number: Int32) -> Address {
        get { addresses[Int(number)] }
        set { addresses[Int(number)] = newValue }
    }

    /// The number of an address, new if it was not known; nil if there is no room.
    ///
    /// - Parameter key: the string of its `URLKey`.
    mutating func number(of key: String) -> Int32? {
        guard let number = numbers.number(of: key) else { return nil }
        if Int(number) == addresses.count { addresses.append(Address(key: key)) }
        return number
    }

    mutating func leaveOut(_ count: Int) { leftOut += count }

    func known(_ key: String) -> Int32? { numbers.known(key) }

    /// The address that a redirect or canonical link leads to in the end; the address itself if it leads nowhere else.
    func destination(of number: Int32) -> Int32 {
        var last = number
        // Longer chains end in an error.
        for _ in 0..<10 {
            guard let next = self[last].leadsTo else { break }
            last = next
        }
        return last
    }

    /// Adds a page's links. If the page is read again, the first links stay.
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

    mutating func list(inSitemap key: String, wrongDate: String?, hasVersions: Bool = false) {
        guard let number = number(of: key) else {
            leftOut += 1
            return
        }
        self[number].isInSitemap = true
        if let wrongDate { self[number].wrongDate = String(wrongDate.prefix(100)) }
        if hasVersions { self[number].hasVersionsInSitemap = true }
    }

    /// - Returns: the standings, indexed by address number.
    func standings() -> [Standing] {
        var standings = [Standing](repeating: Standing(), count: addresses.count)
        countInlinks(&standings)
        // Breadth first, so that an address gets its smallest number of links.
        var queue: [Int32] = []
        func reach(_ start: Int32, at depth: Int) {
            var next: Int32? = start
            // Following `leadsTo` costs no further link. It stops at an address that already has a depth, so loops end too.
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

    /// Counts each page once for an address, even if it links to several spellings, redirects and copies of it.
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

    /// For each of some addresses, the first few pages that link to it, in the order of their keys.
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

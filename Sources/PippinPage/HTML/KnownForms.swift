import Glibc
import Synchronization

/// What libxml2 says of a tag's form: its names in lower case, each attribute once.
final class KnownForm: Sendable {
    struct Name: Sendable {
        let spelling: String
        /// The number of an `HTMLName`; nil for another name, whose number is a page's own.
        let number: UInt16?

        init(_ spelling: String) {
            self.spelling = spelling
            number = HTMLName.numbers[spelling]
        }
    }

    let element: Name
    /// The attributes, and the position of each one's value among those of the tag.
    let attributes: [(name: Name, value: UInt16)]

    init(element: Name, attributes: [(name: Name, value: UInt16)]) {
        self.element = element
        self.attributes = attributes
    }
}

/// The forms of tags that pages had lately. All pages that are read share them.
///
/// A form is found by its hash, and then compared byte by byte, so a page cannot change what another page's tags mean. It has two
/// places, and a new form takes that of the older one there. A page that fills both only makes libxml2 read a form again.
final class KnownForms: Sendable {
    static let shared = KnownForms()

    private struct Entry {
        let hash: UInt64
        /// The names as they are written, with a space after each. Names have no spaces.
        let written: [UInt8]
        let form: KnownForm
    }

    /// Threads rarely ask the same shard at the same time.
    private static let shardCount = 16
    /// The places of a shard.
    private static let places = 2_048
    /// Larger forms are not kept: few pages repeat them. All that are kept take 40 MB at most.
    private static let maximumBytes = 200
    private static let maximumAttributes = 16

    private let shards: [Shard]

    /// A lock cannot be an element of an array.
    private final class Shard: Sendable {
        /// Empty until a form is kept.
        let forms = Mutex<[Entry?]>([])
    }

    private init() { shards = (0..<Self.shardCount).map { _ in Shard() } }

    private func shard(_ hash: UInt64) -> Shard { shards[Int(truncatingIfNeeded: hash >> 60) % Self.shardCount] }

    /// What is known of a form; nil if libxml2 must read it.
    func form(hash: UInt64, _ names: UnsafeBufferPointer<TagForms.Name>, in page: UnsafeBufferPointer<UInt8>)
        -> KnownForm?
    {
        shard(hash).forms.withLock { forms in
            guard !forms.isEmpty else { return nil }
            let place = Self.place(hash)
            let entry = forms[place]?.hash == hash ? forms[place] : forms[place ^ 1]
            guard let entry, entry.hash == hash, Self.are(names, in: page, entry.written) else { return nil }
            return entry.form
        }
    }

    /// The place that a form's search begins with; the other one is beside it.
    private static func place(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (places - 1) }

    func keep(
        _ form: KnownForm, hash: UInt64, _ names: UnsafeBufferPointer<TagForms.Name>,
        in page: UnsafeBufferPointer<UInt8>
    ) {
        let count = names.reduce(0) { $0 + $1.count + 1 }
        guard count <= Self.maximumBytes, names.count <= Self.maximumAttributes + 1 else { return }
        var written: [UInt8] = []
        written.reserveCapacity(count)
        for name in names {
            written.append(contentsOf: UnsafeBufferPointer(rebasing: page[Int(name.start)..<Int(name.end)]))
            written.append(UInt8(ascii: " "))
        }
        let entry = Entry(hash: hash, written: written, form: form)
        shard(hash).forms.withLock { forms in
            if forms.isEmpty { forms = Array(repeating: nil, count: Self.places) }
            let place = Self.place(hash)
            if let older = forms[place], older.hash != hash { forms[place ^ 1] = older }
            forms[place] = entry
        }
    }

    private static func are(
        _ names: UnsafeBufferPointer<TagForms.Name>, in page: UnsafeBufferPointer<UInt8>, _ written: [UInt8]
    ) -> Bool {
        written.withUnsafeBufferPointer { written in
            guard let mine = page.baseAddress, let known = written.baseAddress else { return false }
            var place = 0
            for name in names {
                guard place + name.count < written.count, written[place + name.count] == UInt8(ascii: " "),
                    memcmp(mine + Int(name.start), known + place, name.count) == 0
                else { return false }
                place += name.count + 1
            }
            return place == written.count
        }
    }
}

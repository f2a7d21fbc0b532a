import Glibc
import Synchronization

/// What libxml2 says of a tag's form: its names in lower case, each attribute once.
///
/// `@unchecked Sendable` because nothing writes to the bytes after `init`.
final class KnownForm: @unchecked Sendable {
    struct Name: Sendable {
        let spelling: String
        /// The number of an `HTMLName`; nil for another name, whose number is a page's own.
        let number: UInt16?

        init(_ spelling: String) {
            self.spelling = spelling
            number = HTMLName.numbers[spelling]
        }
    }

    /// What the page's tree needs of it.
    struct Content: Sendable {
        let element: Name
        /// The attributes, and the position of each one's value among those of the tag.
        let attributes: [(name: Name, value: UInt16)]
    }

    let content: Content
    /// The names as they are written, with a space after each. Names have no spaces. The memory is the object's own: an array
    /// would count, at each look, that one more thread looks at it.
    private let written: UnsafeMutableBufferPointer<UInt8>

    /// - Parameter names: of the tag in the page.
    init(_ content: Content, _ names: ArraySlice<TagForms.Name>, in page: UnsafeBufferPointer<UInt8>) {
        self.content = content
        written = .allocate(capacity: names.reduce(0) { $0 + $1.count + 1 })
        var place = 0
        for name in names {
            for byte in page[Int(name.start)..<Int(name.end)] {
                written.initializeElement(at: place, to: byte)
                place += 1
            }
            written.initializeElement(at: place, to: UInt8(ascii: " "))
            place += 1
        }
    }

    deinit { written.deallocate() }

    /// The bytes of its names.
    var size: Int { written.count }

    /// Whether a tag has these names.
    func isOf(_ names: UnsafeBufferPointer<TagForms.Name>, in page: UnsafeBufferPointer<UInt8>) -> Bool {
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

/// The forms of tags that pages had lately. All pages that are read share them.
///
/// A form is found by its hash, and then compared byte by byte, so a page cannot change what another page's tags mean. It has two
/// places, and a new form takes that of the older one there. A page that fills both only makes libxml2 read a form again.
final class KnownForms: Sendable {
    static let shared = KnownForms()

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
        struct Forms {
            /// Empty until a form is kept, as `forms`.
            var hashes: [UInt64] = []
            var forms: [KnownForm?] = []
        }
        let forms = Mutex(Forms())
    }

    private init() { shards = (0..<Self.shardCount).map { _ in Shard() } }

    private func shard(_ hash: UInt64) -> Shard { shards[Int(truncatingIfNeeded: hash >> 60) % Self.shardCount] }

    /// What is known of a form; nil if libxml2 must read it.
    func form(hash: UInt64, _ names: UnsafeBufferPointer<TagForms.Name>, in page: UnsafeBufferPointer<UInt8>)
        -> KnownForm?
    {
        shard(hash).forms.withLock { known in
            guard !known.forms.isEmpty else { return nil }
            var place = Self.place(hash)
            if known.hashes[place] != hash { place ^= 1 }
            guard known.hashes[place] == hash, let form = known.forms[place], form.isOf(names, in: page) else {
                return nil
            }
            return form
        }
    }

    /// The place that a form's search begins with; the other one is beside it.
    private static func place(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & (places - 1) }

    func keep(_ form: KnownForm, hash: UInt64) {
        guard form.size <= Self.maximumBytes, form.content.attributes.count <= Self.maximumAttributes else { return }
        shard(hash).forms.withLock { known in
            if known.forms.isEmpty {
                known.hashes = Array(repeating: 0, count: Self.places)
                known.forms = Array(repeating: nil, count: Self.places)
            }
            let place = Self.place(hash)
            if known.hashes[place] != hash, let older = known.forms[place] {
                (known.hashes[place ^ 1], known.forms[place ^ 1]) = (known.hashes[place], older)
            }
            (known.hashes[place], known.forms[place]) = (hash, form)
        }
    }
}

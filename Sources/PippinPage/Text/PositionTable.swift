/// Finds names in a list that has many: their positions by the names' hashes. The names themselves are stored in the list.
///
/// It does what a dictionary does, in less time and memory: a name is hashed once, also when the table grows. The hashes are Swift's,
/// which no page can foresee.
struct PositionTable: Sendable {
    /// A hash in the upper half, and in the lower half a position, counted from 1; 0 is a free place. Half of the places at most
    /// are taken.
    private var places: [UInt64] = []

    struct Hash {
        fileprivate let bits: UInt64

        init(of name: String) {
            var hasher = Hasher()
            hasher.combine(name)
            bits = UInt64(bitPattern: Int64(hasher.finalize())) & ~0xFFFF_FFFF
        }
    }

    /// - Parameter isSame: whether the name is the one at a position.
    func position(of hash: Hash, where isSame: (Int) -> Bool) -> Int? {
        guard !places.isEmpty else { return nil }
        var place = place(of: hash.bits)
        while places[place] != 0 {
            if places[place] & ~0xFFFF_FFFF == hash.bits {
                let position = Int(places[place] & 0xFFFF_FFFF) - 1
                if isSame(position) { return position }
            }
            place = (place + 1) & (places.count - 1)
        }
        return nil
    }

    /// Adds a name that is not in the table yet.
    ///
    /// - Parameter position: how many names the table has.
    mutating func append(_ hash: Hash, at position: Int) {
        reserveCapacity(position + 1)
        put(hash.bits | UInt64(truncatingIfNeeded: position + 1))
    }

    mutating func reserveCapacity(_ count: Int) {
        guard 2 * count > places.count else { return }
        var size = 32
        while size < 2 * count { size *= 2 }
        let entries = places
        places = Array(repeating: 0, count: size)
        for entry in entries where entry != 0 { put(entry) }
    }

    /// Removes all names, and keeps the room for them.
    mutating func removeAll() { places = Array(repeating: 0, count: places.count) }

    private mutating func put(_ entry: UInt64) {
        var place = place(of: entry)
        while places[place] != 0 { place = (place + 1) & (places.count - 1) }
        places[place] = entry
    }

    private func place(of entry: UInt64) -> Int { Int(truncatingIfNeeded: entry >> 32) & (places.count - 1) }
}

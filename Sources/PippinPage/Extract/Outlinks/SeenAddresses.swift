/// A set of addresses, stored as 64-bit hashes. The hash key is random per process, so that no page can cause collisions.
struct SeenAddresses {
    static let notKept = -1

    private var hashes: [UInt64] = Array(repeating: 0, count: 256)
    private var places: [Int32] = Array(repeating: 0, count: 256)
    private var count = 0

    static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        var hasher = Hasher()
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    static func hash(_ text: String) -> UInt64 {
        var hasher = Hasher()
        var copy = text
        copy.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        return UInt64(bitPattern: Int64(hasher.finalize())) | 1
    }

    private func slot(of hash: UInt64) -> Int {
        let mask = hashes.count - 1
        var slot = Int(truncatingIfNeeded: hash >> 8) & mask
        while hashes[slot] != 0 && hashes[slot] != hash { slot = (slot + 1) & mask }
        return slot
    }

    func place(of hash: UInt64) -> Int? {
        let slot = slot(of: hash)
        return hashes[slot] == hash ? Int(places[slot]) : nil
    }

    mutating func insert(_ hash: UInt64, place: Int) {
        if (count + 1) * 2 > hashes.count { grow() }
        let slot = slot(of: hash)
        if hashes[slot] == 0 { count += 1 }
        hashes[slot] = hash
        places[slot] = Int32(truncatingIfNeeded: place)
    }

    private mutating func grow() {
        let old = zip(hashes, places)
        hashes = Array(repeating: 0, count: hashes.count * 2)
        places = Array(repeating: 0, count: hashes.count)
        for (hash, place) in old where hash != 0 {
            let slot = slot(of: hash)
            hashes[slot] = hash
            places[slot] = place
        }
    }
}

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

    private func bucket(of hash: UInt64) -> Int {
        let mask = hashes.count - 1
        var bucket = Int(truncatingIfNeeded: hash >> 8) & mask
        while hashes[bucket] != 0 && hashes[bucket] != hash { bucket = (bucket + 1) & mask }
        return bucket
    }

    func place(of hash: UInt64) -> Int? {
        let bucket = bucket(of: hash)
        return hashes[bucket] == hash ? Int(places[bucket]) : nil
    }

    mutating func insert(_ hash: UInt64, place: Int) {
        if (count + 1) * 2 > hashes.count { grow() }
        let bucket = bucket(of: hash)
        if hashes[bucket] == 0 { count += 1 }
        hashes[bucket] = hash
        places[bucket] = Int32(truncatingIfNeeded: place)
    }

    private mutating func grow() {
        let old = zip(hashes, places)
        hashes = Array(repeating: 0, count: hashes.count * 2)
        places = Array(repeating: 0, count: hashes.count)
        for (hash, place) in old where hash != 0 {
            let bucket = bucket(of: hash)
            hashes[bucket] = hash
            places[bucket] = place
        }
    }
}

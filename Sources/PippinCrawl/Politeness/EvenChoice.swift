/// Chooses which entries of a full table go: so many that a quarter of it is free, and evenly over all.
///
/// If only some expired ones went, each new entry would look at all others again. If those went that come first in a hash table, its
/// end would fill up more and more, until each search in it walks over thousands of entries.
struct EvenChoice {
    /// How many go.
    let count: Int
    private let total: Int
    private var sum = 0

    /// - Parameters:
    ///   - total: how many may go.
    ///   - count, most: how many there are, and may stay.
    ///   - bytes, bytesToKeep: their memory, and what may stay of it.
    init(among total: Int, count: Int, most: Int, bytes: Int, bytesToKeep: Int) {
        let ofBytes = bytes > bytesToKeep ? total * (bytes - bytesToKeep) / max(1, bytes) + 1 : 0
        (self.count, self.total) = (min(total, max(count - most, ofBytes)), total)
    }

    /// Whether the next of all goes. Called once for each.
    mutating func takesNext() -> Bool {
        sum += count
        guard sum >= total else { return false }
        sum -= total
        return true
    }
}

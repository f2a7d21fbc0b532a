/// The known name that a misspelt one was meant to be.
public enum NearestName {
    /// The known name that is nearest to what was written, letter case aside, if one is near enough to be meant.
    ///
    /// Of equally near names, those come first that begin with the same letter: the first letter is rarely wrong. Then one that
    /// leaves out the fewest letters that were written.
    ///
    /// - Parameters:
    ///   - limit: slips that are forgiven; without it up to three, by the length of the name.
    ///   - isPreferred: names that come before others that are nearer.
    public static func of(
        _ written: String, in known: some Sequence<String>, atMost limit: Int? = nil,
        preferring isPreferred: (String) -> Bool = { _ in false }
    ) -> String? {
        let target = lowercased(written)
        let limit = limit ?? max(1, min(3, target.count / 2))
        let written = characters(target)
        var best: (cost: [Int], name: String)?
        for name in known where abs(name.utf8.count - target.count) <= limit {
            // Most names have other letters, which is much faster to see than the distance.
            let known = characters(name.utf8)
            guard (written & ~known).nonzeroBitCount <= limit, (known & ~written).nonzeroBitCount <= limit else {
                continue
            }
            let letters = lowercased(name)
            let distance = editDistance(target, letters)
            guard distance <= limit else { continue }
            let cost = [
                isPreferred(name) ? 0 : 1, distance, letters.first == target.first ? 0 : 1,
                max(0, target.count - letters.count),
            ]
            guard best.map({ cost.lexicographicallyPrecedes($0.cost) || cost == $0.cost && name < $0.name }) ?? true
            else { continue }
            best = (cost, name)
        }
        return best?.name
    }

    /// Names are short; what is longer is none, and would make the comparison long.
    private static func lowercased(_ name: String) -> [UInt8] { name.utf8.prefix(64).map(\.asciiLowercased) }

    /// Which characters a name has, letter case aside, as a set of bits. A slip adds one at most, and takes one away at most.
    private static func characters(_ name: some Sequence<UInt8>) -> UInt64 {
        name.prefix(64).reduce(0) { $0 | 1 << UInt64($1.asciiLowercased & 0x3F) }
    }

    /// Insertions, deletions, replacements and swaps of neighbors between two names (optimal string alignment).
    private static func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var beforeLast = [Int](repeating: 0, count: b.count + 1)
        var last = Array(0...b.count)
        for i in 0..<a.count {
            var row = [i + 1]
            for j in 0..<b.count {
                var best = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
                row.append(best)
            }
            (beforeLast, last) = (last, row)
        }
        return last[b.count]
    }
}

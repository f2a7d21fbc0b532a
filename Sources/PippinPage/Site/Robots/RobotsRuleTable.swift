/// The rules of a group, or of all groups that bind an agent, ready to be matched: a fixed number of bytes for each, and the
/// patterns in one run of bytes.
///
///     entries   line, place, lengths, flags: sixteen bytes each, the strongest first
///     bytes     …/shop/*?sort=…/private/…   for each entry its canonical spelling, and behind it, where they differ,
///                                           the form with a decoded query and the spelling of the file
///
/// Two arrays, whatever the file holds: a file of 500 KB has 40,000 rules.
struct RobotsRuleTable: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        /// 1-based, of the file.
        var line: UInt32
        /// Where its octets begin.
        var start: UInt32
        /// Octets of the canonical spelling, without a final `$`.
        var count: UInt16
        /// Octets of the pattern after normalization, wildcards and `$` included: its strength.
        var length: UInt16
        var flags: Flags

        var strength: RuleStrength { RuleStrength(octets: Int(length), isAllow: flags.contains(.isAllow)) }
    }

    struct Flags: OptionSet, Sendable, Hashable {
        let rawValue: UInt32

        static let isAllow = Flags(rawValue: 1)
        /// The pattern ends with `$`.
        static let isAnchored = Flags(rawValue: 2)
        /// With the query's `:`, `/`, `?`, `@` decoded it is another.
        static let hasQueryForm = Flags(rawValue: 4)
        /// The file spells it otherwise.
        static let hasWritten = Flags(rawValue: 8)
    }

    private(set) var entries: [Entry] = []
    private(set) var bytes: [UInt8] = []

    /// What it takes of memory.
    var byteCount: Int { entries.count * MemoryLayout<Entry>.stride + bytes.count }

    init() {}

    // MARK: Building

    /// Takes a rule whose pattern is not empty. `sort` is due once all are there.
    ///
    /// - Parameters:
    ///   - pattern: what is matched.
    ///   - written: the pattern of the file's line, where it is another.
    mutating func add(
        _ kind: RobotsFile.Rule.Kind, _ pattern: some Collection<UInt8>, line: Int, written: ArraySlice<UInt8>? = nil
    ) {
        let start = bytes.count
        var flags: Flags = kind == .allow ? .isAllow : []
        var length = 0
        var index = pattern.startIndex
        while index != pattern.endIndex {
            let byte = pattern[index]
            let next = pattern.index(after: index)
            switch byte {
            case UInt8(ascii: "*"):
                length += 1
                if bytes.count == start || bytes.last != byte { bytes.append(byte) }
                index = next
            case UInt8(ascii: "$") where next == pattern.endIndex:
                flags.insert(.isAnchored)
                length += 1
                index = next
            default:
                let before = bytes.count
                RobotsSpelling.appendCanonical(pattern, at: &index, to: &bytes)
                // A literal dollar is one octet of the file, though three of the canonical spelling.
                length += byte == UInt8(ascii: "$") ? 1 : bytes.count - before
            }
        }
        let count = bytes.count - start
        if let form = bytes[start...].withUnsafeBufferPointer({ RobotsSpelling.queryForm(of: $0) }) {
            flags.insert(.hasQueryForm)
            append(section: form)
        }
        let isAnchored = flags.contains(.isAnchored)
        if let written {
            flags.insert(.hasWritten)
            append(section: written)
        } else if pattern.count != count + (isAnchored ? 1 : 0)
            || !pattern.prefix(count).elementsEqual(bytes[start..<(start + count)])
        {
            flags.insert(.hasWritten)
            append(section: pattern)
        }
        // A line has 16,663 octets at most, and each becomes three at most.
        entries.append(
            Entry(
                line: UInt32(clamping: line), start: UInt32(clamping: start), count: UInt16(clamping: count),
                length: UInt16(clamping: length), flags: flags))
    }

    private mutating func append(section: some Collection<UInt8>) {
        let count = UInt16(clamping: section.count)
        bytes.append(UInt8(truncatingIfNeeded: count))
        bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        bytes.append(contentsOf: section)
    }

    mutating func add(_ other: RobotsRuleTable) {
        let offset = UInt32(clamping: bytes.count)
        bytes += other.bytes
        entries += other.entries.lazy.map { entry in
            var entry = entry
            entry.start += offset
            return entry
        }
    }

    /// The strongest first; of equals the one that the file has first.
    mutating func sort() {
        entries.sort { $0.strength != $1.strength ? $0.strength > $1.strength : $0.line < $1.line }
    }

    // MARK: Matching

    /// The strongest rule that matches, if it is stronger than another one.
    func strongest(for target: RobotsTarget, above other: RuleStrength? = nil) -> Entry? {
        bytes.withUnsafeBufferPointer { bytes in
            for entry in entries {
                if let other, entry.strength <= other { return nil }
                if Self.matches(entry, target, bytes) { return entry }
            }
            return nil
        }
    }

    /// The rule of an entry, as the file has it.
    func rule(_ entry: Entry) -> RobotsFile.Rule {
        let kind: RobotsFile.Rule.Kind = entry.flags.contains(.isAllow) ? .allow : .disallow
        let start = Int(entry.start)
        var end = start + Int(entry.count)
        guard entry.flags.contains(.hasWritten) else {
            let pattern = String(decoding: bytes[start..<end], as: UTF8.self)
            return RobotsFile.Rule(
                kind: kind, pattern: entry.flags.contains(.isAnchored) ? pattern + "$" : pattern, line: Int(entry.line))
        }
        if entry.flags.contains(.hasQueryForm) { end = section(at: end).upperBound }
        return RobotsFile.Rule(
            kind: kind, pattern: String(decoding: bytes[section(at: end)], as: UTF8.self), line: Int(entry.line))
    }

    private func section(at place: Int) -> Range<Int> {
        bytes.withUnsafeBufferPointer { Self.section(at: place, $0) }
    }

    private static func section(at place: Int, _ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int> {
        let start = place + 2
        return start..<(start + Int(bytes[place]) + Int(bytes[place + 1]) << 8)
    }

    private static func matches(_ entry: Entry, _ target: RobotsTarget, _ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let end = Int(entry.start) + Int(entry.count)
        let written = UnsafeBufferPointer(rebasing: bytes[Int(entry.start)..<end])
        let isAnchored = entry.flags.contains(.isAnchored)
        if RobotsGlob.matches(written, isAnchored: isAnchored, target.octets) { return true }
        let hasForm = entry.flags.contains(.hasQueryForm)
        guard hasForm || target.queryForm != nil else { return false }
        let form = hasForm ? UnsafeBufferPointer(rebasing: bytes[section(at: end, bytes)]) : written
        return RobotsGlob.matches(form, isAnchored: isAnchored, target.queryForm ?? target.octets)
    }

    // MARK: Packing

    /// The entries as zlib packs them best: one field of all of them after the other, and of lines and places what each adds to
    /// the one before. Of a file that repeats itself that is the same number again and again.
    private var columns: [UInt8] {
        var columns: [UInt8] = []
        columns.reserveCapacity(entries.count * Self.packedEntryBytes + bytes.count)
        func append(_ number: some FixedWidthInteger) {
            withUnsafeBytes(of: number.littleEndian) { columns.append(contentsOf: $0) }
        }
        var last: (line: UInt32, start: UInt32) = (0, 0)
        for entry in entries {
            append(entry.line &- last.line)
            last.line = entry.line
        }
        for entry in entries {
            append(entry.start &- last.start)
            last.start = entry.start
        }
        for entry in entries { append(entry.count) }
        for entry in entries { append(entry.length) }
        for entry in entries { append(UInt8(truncatingIfNeeded: entry.flags.rawValue)) }
        return columns
    }

    private static let packedEntryBytes = 13

    /// All of it in one run of bytes, deflated: little for a file that repeats itself.
    func packed() -> [UInt8]? { DeflatedBytes.pack(columns + bytes, level: 1) }

    /// - Parameter count: how many entries were packed.
    init?(packed: [UInt8], entries count: Int) {
        guard let all = DeflatedBytes.unpack(packed), all.count >= count * Self.packedEntryBytes else { return nil }
        all.withUnsafeBytes { all in
            func number<Number: FixedWidthInteger>(_ type: Number.Type, column: Int, _ index: Int) -> Number {
                let place = column * count + index * MemoryLayout<Number>.size
                return Number(littleEndian: all.loadUnaligned(fromByteOffset: place, as: type))
            }
            var last: (line: UInt32, start: UInt32) = (0, 0)
            entries.reserveCapacity(count)
            for index in 0..<count {
                last.line &+= number(UInt32.self, column: 0, index)
                last.start &+= number(UInt32.self, column: 4, index)
                entries.append(
                    Entry(
                        line: last.line, start: last.start, count: number(UInt16.self, column: 8, index),
                        length: number(UInt16.self, column: 10, index),
                        flags: Flags(rawValue: UInt32(number(UInt8.self, column: 12, index)))))
            }
        }
        bytes = Array(all[(count * Self.packedEntryBytes)...])
    }
}

/// Octets with wildcards: pieces that must follow each other in the target. A star is the wildcard, never two in a row.
///
/// Leftmost placement of each piece is enough: what a later piece could do after a match further right, it can do after
/// the leftmost one. Each piece is found by Knuth–Morris–Pratt, so that no octet of the target is gone back to; what that
/// needs of a piece is made when the piece is looked for, as it is never longer than the target.
enum RobotsGlob {
    static func matches(
        _ pattern: UnsafeBufferPointer<UInt8>, isAnchored: Bool, _ target: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var end = pattern.firstIndex(of: wildcard) ?? pattern.count
        guard target.count >= end, target.starts(with: pattern[..<end]) else { return false }
        var at = end
        while end < pattern.count {
            let start = end + 1
            end = pattern[start...].firstIndex(of: wildcard) ?? pattern.count
            if end == pattern.count, isAnchored {
                let count = end - start
                return target.count - at >= count
                    && target[(target.count - count)...].elementsEqual(pattern[start..<end])
            }
            if start == end { return true }  // a final wildcard
            guard
                let after = endOfFirst(
                    UnsafeBufferPointer(rebasing: pattern[start..<end]), in: target, from: at)
            else { return false }
            at = after
        }
        return !isAnchored || at == target.count
    }

    /// Where the first occurrence of a piece ends.
    private static func endOfFirst(
        _ piece: UnsafeBufferPointer<UInt8>, in target: UnsafeBufferPointer<UInt8>, from: Int
    ) -> Int? {
        guard target.count - from >= piece.count else { return nil }
        // Most pieces do not occur at all.
        guard let first = target[from...].firstIndex(of: piece[0]), target.count - first >= piece.count else {
            return nil
        }
        return withUnsafeTemporaryAllocation(of: Int32.self, capacity: piece.count) { fallback in
            // For each octet: how many octets of the piece are still matched when the next one fails.
            fallback[0] = 0
            var matched = 0
            for index in 1..<max(1, piece.count) {
                while matched > 0, piece[index] != piece[matched] { matched = Int(fallback[matched - 1]) }
                if piece[index] == piece[matched] { matched += 1 }
                fallback[index] = Int32(matched)
            }
            matched = 0
            for index in first..<target.count {
                let byte = target[index]
                while matched > 0, piece[matched] != byte { matched = Int(fallback[matched - 1]) }
                if piece[matched] == byte { matched += 1 }
                if matched == piece.count { return index + 1 }
            }
            return nil
        }
    }

    private static let wildcard = UInt8(ascii: "*")
}

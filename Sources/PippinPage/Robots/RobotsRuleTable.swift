/// The rules of a group, or of all groups for an agent, prepared for matching. Each rule has an entry of fixed size, and all
/// patterns are in one array of bytes.
///
///     entries   line, place, lengths, flags: sixteen bytes each, the strongest first
///     bytes     …/shop/*?sort=…/private/…   per entry its canonical spelling, followed, if they differ, by
///                                           the form with a decoded query and the spelling of the file
///
/// There are only two arrays, because a file of 500 KB may have 40,000 rules.
struct RobotsRuleTable: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        /// The rule's line in the file, 1-based.
        var line: UInt32
        /// The offset of its octets in `bytes`.
        var start: UInt32
        /// The number of octets of the canonical spelling, without a final `$`.
        var count: UInt16
        /// The number of octets of the normalized pattern, including wildcards and `$`. It is the rule's strength.
        var length: UInt16
        var flags: Flags

        var strength: RuleStrength { RuleStrength(octets: Int(length), isAllow: flags.contains(.isAllow)) }
    }

    struct Flags: OptionSet, Sendable, Hashable {
        let rawValue: UInt32

        static let isAllow = Flags(rawValue: 1)
        /// Whether the pattern ends with `$`.
        static let isAnchored = Flags(rawValue: 2)
        /// Whether the pattern differs when `:`, `/`, `?`, `@` in its query are decoded.
        static let hasQueryForm = Flags(rawValue: 4)
        /// Whether the file's spelling differs from the canonical one.
        static let hasWritten = Flags(rawValue: 8)
    }

    private(set) var entries: [Entry] = []
    private(set) var bytes: [UInt8] = []

    /// The memory of the table, in bytes.
    var byteCount: Int { entries.count * MemoryLayout<Entry>.stride + bytes.count }

    init() {}

    // MARK: Building

    /// Adds a rule with a non-empty pattern. Call `sort` after the last one.
    ///
    /// - Parameters:
    ///   - pattern: the pattern to match.
    ///   - written: the pattern as in the file, if it differs.
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
                // A literal dollar sign counts as one octet, although its canonical spelling has three.
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
        // The numbers fit: a line has at most 16,663 octets, and each becomes at most three.
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

    /// Sorts the strongest rules first; among equal ones, the earlier line.
    mutating func sort() {
        entries.sort { $0.strength != $1.strength ? $0.strength > $1.strength : $0.line < $1.line }
    }

    // MARK: Matching

    /// The strongest rule that matches; nil if none does, or none is stronger than `other`.
    func strongest(for target: RobotsTarget, above other: RuleStrength? = nil) -> Entry? {
        bytes.withUnsafeBufferPointer { bytes in
            for entry in entries {
                if let other, entry.strength <= other { return nil }
                if Self.matches(entry, target, bytes) { return entry }
            }
            return nil
        }
    }

    /// The first rule that matches in the order in which they were added, for files in which that order decides. Not after `sort`.
    func earliest(for target: RobotsTarget) -> Entry? {
        bytes.withUnsafeBufferPointer { bytes in entries.first { Self.matches($0, target, bytes) } }
    }

    /// The rules that match, as far as their patterns are as long as the longest of them.
    func strongestAlike(for target: RobotsTarget) -> [Entry] {
        bytes.withUnsafeBufferPointer { bytes in
            var found: [Entry] = []
            for entry in entries {
                if let first = found.first, entry.length < first.length { break }
                if Self.matches(entry, target, bytes) { found.append(entry) }
            }
            return found
        }
    }

    /// The rule of an entry, in the file's spelling.
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

    /// The entries in the form that zlib packs best: field by field for all entries, with lines and places as differences to
    /// the previous entry. In a repetitive file, the same numbers repeat.
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

    /// The whole table, deflated; nil without enough memory. A repetitive file becomes very small.
    func packed() -> [UInt8]? { DeflatedBytes.pack(columns + bytes, level: 1) }

    /// Unpacks a table; nil if the bytes are not from `packed()`.
    ///
    /// - Parameter count: the number of packed entries.
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

/// Matches octets with wildcards. The pieces between the wildcards must occur in order in the target. The wildcard is a star,
/// never two in a row.
///
/// It is enough to try the leftmost place of each piece: any match of the later pieces after a place further right is also
/// possible after the leftmost one. Knuth–Morris–Pratt finds each piece, so no octet of the target is read twice. The table of
/// a piece is computed when the search for it starts, and the piece is never longer than the target.
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

    /// The end of the first occurrence of a piece; nil if there is none.
    private static func endOfFirst(
        _ piece: UnsafeBufferPointer<UInt8>, in target: UnsafeBufferPointer<UInt8>, from: Int
    ) -> Int? {
        guard target.count - from >= piece.count else { return nil }
        // Most pieces do not occur at all, which this test finds quickly.
        guard let first = target[from...].firstIndex(of: piece[0]), target.count - first >= piece.count else {
            return nil
        }
        return withUnsafeTemporaryAllocation(of: Int32.self, capacity: piece.count) { fallback in
            // For each octet, the number of octets of the piece that still match if the next one does not.
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

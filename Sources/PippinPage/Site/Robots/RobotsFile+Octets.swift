/// What the reader of robots.txt asks of octets.
extension RobotsReader {
    /// A decimal number of seconds; what follows it after white space, or the letter s, is a unit and is skipped.
    static func seconds(_ value: ArraySlice<UInt8>) -> Duration? {
        let number = value.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
        let rest = value[number.endIndex...]
        guard rest.isEmpty || isSpace(rest[rest.startIndex]) || rest[rest.startIndex] | 0x20 == UInt8(ascii: "s"),
            let seconds = Double(String(decoding: number.prefix(32), as: UTF8.self)), seconds.isFinite
        else { return nil }
        return .milliseconds(Int64(min(seconds, Double(Self.maximumCrawlDelaySeconds)) * 1_000))
    }

    static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isSpace)
        // A byte order mark inside the file comes from files that were joined; no-break spaces from word processors.
        while let first = bytes.first, first > 0x7F,
            bytes.starts(with: [0xEF, 0xBB, 0xBF]) || bytes.starts(with: [0xC2, 0xA0])
        {
            bytes = bytes.dropFirst(first == 0xC2 ? 2 : 3).drop(while: isSpace)
        }
        while let last = bytes.last {
            if isSpace(last) {
                bytes.removeLast()
            } else if last == 0xA0, bytes.count >= 2, bytes[bytes.endIndex - 2] == 0xC2 {
                bytes.removeLast(2)
            } else {
                break
            }
        }
        return bytes
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || (0x09...0x0D).contains(byte)
    }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: "_")
    }

    static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self).asciiLowercased
    }

    /// For a message: not the whole of a hostile line.
    static func shown(_ bytes: some Sequence<UInt8>) -> String {
        let beginning = Array(bytes.prefix(101))
        let text = String(decoding: beginning.prefix(100), as: UTF8.self)
        return beginning.count > 100 ? text + "…" : text
    }
}

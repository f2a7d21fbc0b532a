/// Reads `Link` fields (RFC 8288 §3, by the algorithm of appendix B.2).
enum LinkHeader {
    /// Calls `found` for each link of the page; links that have another `anchor` are about something else.
    static func read(_ value: String, pageURL: WebURL, found: (LinkTag) -> Void) {
        let bytes = Array(value.utf8)
        var reader = Reader(bytes: bytes)
        while let target = reader.nextTarget() {
            let parameters = reader.parameters()
            if let anchor = parameters["anchor"], WebURL(anchor, base: pageURL)?.href != pageURL.href { continue }
            let relations = LinkRelations(Array((parameters["rel"] ?? "").utf8)[...])
            guard relations.isKept || AppAlternate.isAppAddress(target) else { continue }
            var tag = LinkTag(relations: relations, href: String(decoding: target, as: UTF8.self))
            tag.url = tag.href.isEmpty ? nil : WebURL(tag.href, base: pageURL)
            tag.type = parameters["type"]
            tag.hreflang = parameters["hreflang"]
            tag.title = parameters["title"]
            tag.media = parameters["media"]
            tag.sizes = parameters["sizes"]
            tag.isFromHeader = true
            found(tag)
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

        private mutating func skipSpace() {
            while let byte = current, byte == 0x20 || byte == 0x09 { position += 1 }
        }

        /// What stands between `<` and `>`; nil when there is no further link.
        mutating func nextTarget() -> ArraySlice<UInt8>? {
            while let byte = current, byte == 0x2C || byte == 0x20 || byte == 0x09 { position += 1 }
            guard current == 0x3C, let end = bytes[position...].firstIndex(of: 0x3E) else { return nil }
            defer { position = end + 1 }
            return bytes[position + 1..<end].trimmingHTMLSpace()
        }

        /// Names in lower case; of equal names the first counts (RFC 8288 §3.3 demands it of `rel`).
        mutating func parameters() -> [String: String] {
            var result: [String: String] = [:]
            while true {
                skipSpace()
                guard current == 0x3B else { return result }
                position += 1
                skipSpace()
                let start = position
                while let byte = current, byte != 0x3D, byte != 0x3B, byte != 0x2C, byte != 0x20, byte != 0x09 {
                    position += 1
                }
                let name = String(decoding: bytes[start..<position].map(\.asciiLowercased), as: UTF8.self)
                skipSpace()
                var value = ""
                if current == 0x3D {
                    position += 1
                    skipSpace()
                    value = parameterValue()
                }
                if !name.isEmpty && result[name] == nil { result[name] = value }
            }
        }

        private mutating func parameterValue() -> String {
            guard current == 0x22 else {
                let start = position
                while let byte = current, byte != 0x3B, byte != 0x2C { position += 1 }
                return String(decoding: bytes[start..<position].trimmingHTMLSpace(), as: UTF8.self)
            }
            position += 1
            var value: [UInt8] = []
            while let byte = current, byte != 0x22 {
                if byte == 0x5C, position + 1 < bytes.count { position += 1 }
                value.append(bytes[position])
                position += 1
            }
            position += 1
            return String(decoding: value.trimmingHTMLSpace(), as: UTF8.self)
        }
    }
}

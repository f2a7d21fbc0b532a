import Foundation
import PippinPage
import PippinStore

/// Hits for people at a terminal. The words of records come from the web: each is made safe before it is painted.
struct SearchListing {
    let isColored: Bool
    /// How many hits come before.
    let offset: Int

    func text(of results: SearchResults) -> String {
        var blocks = results.hits.enumerated().map { number, hit in
            block(hit, number: offset + number + 1).joined(separator: "\n")
        }
        blocks.append(footer(results))
        return blocks.joined(separator: "\n\n") + "\n"
    }

    private func footer(_ results: SearchResults) -> String {
        let first = offset + 1
        let last = offset + results.hits.count
        let count = (results.isCountExact ? "" : "more than ") + Wording.count(results.count, "record")
        return painted("\(first)–\(last) of \(count)", .dim)
    }

    private func block(_ hit: SearchHit, number: Int) -> [String] {
        let record = hit.record
        let title = hit.title.pieces.isEmpty ? HighlightedText.plain(hit.identifier) : hit.title
        var lines = ["\(number). " + highlighted(title, otherwise: .title)]
        let site = record["containerTitle"]?.string.map { safe($0) + " · " } ?? ""
        lines.append("   " + painted(site + safe(record["url"]?.string ?? hit.identifier), .dim))
        if !hit.snippet.pieces.isEmpty { lines.append("   " + highlighted(hit.snippet, otherwise: nil)) }
        let facts = [stars(record), price(record), date(record), event(record)].compactMap(\.self)
        if !facts.isEmpty { lines.append("   " + facts.joined(separator: " · ")) }
        lines += deepLinks(record).map { "   " + $0 }
        lines += actions(record).map { "   " + $0 }
        if !hit.parts.isEmpty {
            lines.append("   score \(Self.number(hit.score))")
            for part in hit.parts {
                let value = Self.number(part.value)
                let padding = String(repeating: " ", count: max(0, 9 - value.count))
                lines.append("   \(padding)\(value)  \(part.name)\(part.detail.map { " (\($0))" } ?? "")")
            }
        }
        return lines
    }

    // MARK: Facts

    /// `★★★★☆ 4.2 (35)`
    private func stars(_ record: JSONValue) -> String? {
        guard let rating = record["rating"], let value = rating["value"]?.double, value.isFinite else { return nil }
        let best = rating["best"]?.double ?? 5
        // Bounded before it becomes an integer: a page may state any numbers.
        let full = best > 0 ? Int((min(1, max(0, value / best)) * 5).rounded()) : 0
        let scale = best == 5 ? "" : " of \(Self.short(best))"
        let count = (rating["count"] ?? rating["reviewCount"])?.integer.map { " (\($0))" } ?? ""
        let drawn = String(repeating: "★", count: full) + String(repeating: "☆", count: 5 - full)
        return "\(painted(drawn, .yellow)) \(Self.short((value * 10).rounded() / 10))\(scale)\(count)"
    }

    private func price(_ record: JSONValue) -> String? {
        guard let offer = record["offers"]?.array?.first else { return record["priceRange"]?.string.map(safe) }
        func member(_ key: String) -> String? { offer[key]?.string.map(safe) }
        let currency = member("currency").map { $0 + " " } ?? ""
        let availability = member("availability").map { " (\(SchemaOrg.words(ofMember: $0)))" } ?? ""
        if let price = member("price") { return currency + price + availability }
        if let low = member("lowPrice") {
            return
                (member("highPrice").map { $0 == low ? currency + low : "\(currency)\(low)–\($0)" }
                ?? "from \(currency)\(low)")
                + availability
        }
        return record["priceRange"]?.string.map(safe)
    }

    private func date(_ record: JSONValue) -> String? {
        if let published = record["publishedAt"]?.string { return safe(String(published.prefix(10))) }
        return record["modifiedAt"]?.string.map { "changed " + safe(String($0.prefix(10))) }
    }

    private func event(_ record: JSONValue) -> String? {
        guard let event = record["event"] else { return nil }
        var parts: [String] = []
        if let start = event["startDate"]?.string {
            parts.append(safe(start.prefix(16).replacingOccurrences(of: "T", with: " ")))
        }
        if let place = event["venue"]?.string ?? event["address"]?.string { parts.append(safe(place)) }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }

    private func deepLinks(_ record: JSONValue) -> [String] {
        let links = (record["deepLinks"]?.array ?? []).filter { $0["platform"]?.string != "web" }
        return links.prefix(4).map { link in
            func member(_ key: String) -> String? { link[key]?.string.map(safe) }
            let target =
                member("url") ?? member("bundleIdentifier") ?? member("packageName") ?? member("storeIdentifier")
            let status = link["verification"]?["status"]?.string ?? ""
            let color: Color = status == "verified" ? .green : status == "blocked" ? .red : .dim
            let app = "\(member("appName") ?? "app") (\(member("platform") ?? ""))"
            return "opens in \(app): \(target ?? "") \(painted(safe(status), color))"
        }
    }

    private func actions(_ record: JSONValue) -> [String] {
        (record["actions"]?.array ?? []).prefix(4).compactMap { action in
            func member(_ key: String) -> String? { action[key]?.string.map(safe) }
            switch action["type"]?.string {
            case "call": return member("phoneNumber").map { "call \($0)" }
            case "directions":
                let place = [action["latitude"], action["longitude"]].compactMap { $0?.text() }.joined(separator: ", ")
                return "directions to \(member("address") ?? safe(place))"
            case "play": return member("url").map { "play \(member("media") ?? "") \($0)" }
            case "search": return member("urlTemplate").map { "search with \($0)" }
            default: return nil
            }
        }
    }

    // MARK: Painting

    private enum Color: String {
        case bold = "1"
        case dim = "2"
        case red = "31"
        case green = "32"
        case yellow = "33"
        case title = "36"
    }

    private func safe(_ text: some StringProtocol) -> String { String(text).safeForTerminal }

    private func painted(_ text: String, _ color: Color) -> String {
        isColored && !text.isEmpty ? "\u{1B}[\(color.rawValue)m\(text)\u{1B}[0m" : text
    }

    private func highlighted(_ text: HighlightedText, otherwise color: Color?) -> String {
        text.pieces.map { piece in
            let text = safe(piece.text)
            if piece.isMatch { return painted(text, .bold) }
            return color.map { painted(text, $0) } ?? text
        }.joined()
    }

    private static func short(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
    }

    private static func number(_ value: Double) -> String {
        let text = String((abs(value) * 100).rounded() / 100)
        let digits = text.split(separator: ".").last.map { $0.count < 2 ? text + "0" : text } ?? text
        return (value < 0 ? "-" : "") + digits
    }
}

extension HighlightedText {
    fileprivate static func plain(_ text: String) -> HighlightedText {
        HighlightedText(pieces: [Piece(text: text, isMatch: false)])
    }
}

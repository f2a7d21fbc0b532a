import Foundation
import PippinPage
import PippinReport
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
        let facts = facts(record)
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

    /// `★★★★☆ 4.2 (35) · EUR 3.50 (In stock) · 20 Nov 2026`
    private func facts(_ record: JSONValue) -> [String] {
        let facts = ResultFacts(record)
        let stars = facts.stars.map { stars in
            let full = Int((Double(stars.percent) / 20).rounded())
            let drawn = String(repeating: "★", count: full) + String(repeating: "☆", count: 5 - full)
            return "\(painted(drawn, .yellow)) \(safe(stars.text))"
        }
        let availability = facts.availability.map { " (\(safe($0.words)))" } ?? ""
        return [
            stars, facts.price.map { safe($0) + availability }, facts.date.map { safe($0) },
            facts.event.map { safe($0) },
        ].compactMap(\.self)
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
            let verb = DeepLinkRecord.DeepLink.opensInApp(json: link) ? "opens in" : "names"
            return "\(verb) \(app): \(target ?? "") \(painted(safe(status), color))"
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

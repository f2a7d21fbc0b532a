import Foundation
import PippinPage
import PippinStore

/// A record for people at a terminal, made from its line of NDJSON, so that it shows what a consumer of the file sees.
struct RecordCard {
    private let record: JSONValue

    /// The present records of a job, in the order of their URLs.
    static func cards(of feed: ChangeFeed) throws -> [RecordCard] {
        var cards: [RecordCard] = []
        try feed.read(since: nil) { change in
            guard change.isRecord else { return }
            var parser = JSONParser(limits: .ownText)
            cards.append(RecordCard(record: try parser.parse(change.document[...])))
        }
        return cards.sorted { $0.string("url") ?? "" < $1.string("url") ?? "" }
    }

    private func string(_ key: String) -> String? { record[key]?.string }

    private func entries(_ key: String) -> [JSONValue] { record[key]?.array ?? [] }

    var text: String {
        var lines = [string("title") ?? "(no title)", "  " + (string("url") ?? "")]
        if let snippet = string("snippet") { lines.append("  " + snippet) }
        if let line = rating { lines.append("  " + line) }
        let types = entries("types").compactMap(\.string)
        if !types.isEmpty { lines.append("  types: " + types.joined(separator: ", ")) }
        if let event = record["event"] {
            lines.append(
                "  event: " + Self.words(event, ["status", "startDate", "endDate", "venue", "address", "url"]))
        }
        if let whole = record["partOf"] { lines.append("  part of: " + Self.words(whole, ["name"])) }
        for offer in entries("offers") {
            lines.append(
                "  offer: " + Self.words(offer, ["price", "lowPrice", "highPrice", "currency", "availability"]))
        }
        for action in entries("actions") {
            lines.append(
                "  action: " + Self.words(action, ["type", "phoneNumber", "address", "media", "url", "urlTemplate"]))
        }
        for link in entries("deepLinks") {
            let sources = link["sources"]?.array?.compactMap(\.string).joined(separator: ", ") ?? ""
            lines.append(
                "  \(link["platform"]?.string ?? ""): "
                    + Self.words(link, ["url", "storeIdentifier", "bundleIdentifier", "packageName", "appName"])
                    + " (\(sources)) \(Self.verification(link))")
        }
        return lines.joined(separator: "\n")
    }

    private var rating: String? {
        guard let rating = record["rating"], let value = rating["value"]?.text() else { return nil }
        let count = (rating["count"] ?? rating["reviewCount"])?.text()
        return "rated \(value) of \(rating["best"]?.text() ?? "5")" + (count.map { " by \($0)" } ?? "")
    }

    /// The verification of a deep link: `verified by ABCDE12345.org.example.app /events/*`, or the status alone.
    private static func verification(_ link: JSONValue) -> String {
        guard let found = link["verification"], let status = found["status"]?.string else { return "" }
        let proof = words(found, ["applicationIdentifier", "pattern"])
        return proof.isEmpty ? status : "\(status) by \(proof)"
    }

    private static func words(_ value: JSONValue, _ keys: [String]) -> String {
        keys.compactMap { value[$0]?.string }.joined(separator: " ")
    }
}

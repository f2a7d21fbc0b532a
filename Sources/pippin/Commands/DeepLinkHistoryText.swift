import Foundation
import PippinPage
import PippinStore

/// The history of a record's deep links, as `pippin why` shows it.
enum DeepLinkHistoryText {
    /// How many changes the text shows; the JSON has all.
    private static let shown = 20

    /// What holds now, a sentence for each deep link that is there.
    static func standings(_ changes: [DeepLinkChange]) -> [String] {
        var last: [Int: DeepLinkChange] = [:]
        for change in changes { last[change.link] = change }
        return last.values.sorted { $0.link < $1.link }.compactMap(sentence)
    }

    private static func sentence(_ change: DeepLinkChange) -> String? {
        guard let now = change.now else { return nil }
        let link = "\(change.name)\(now.url.map { " opens with \($0)" } ?? " is named")"
        return "\(link): \(now.status.rawValue) since \(StatusText.moment(now.since))."
    }

    /// A line for each change.
    static func lines(_ changes: [DeepLinkChange]) -> [String] {
        guard !changes.isEmpty else { return [] }
        let count = changes.count == 1 ? "1 change" : "\(changes.count) changes"
        let cut = changes.count > shown ? "; the last \(shown)" : ""
        return ["  deep links: \(count)\(cut):"]
            + changes.suffix(shown).map { change in
                "    \(StatusText.moment(change.at))  \(change.name)  \(change.sentence)"
            }
    }
}

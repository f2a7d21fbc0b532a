import Foundation
import PippinTestSupport

/// A fenced block of a document: commands, what they print, or a sample of a file.
struct DocumentedBlock {
    /// From the root of the repository.
    let page: String
    /// Of the fence.
    let line: Int
    let language: String
    /// Without empty ones.
    let lines: [String]

    /// What a table calls it: its page and its first line, without a comment.
    var name: String {
        let first = lines.first ?? ""
        let bare = first.firstRange(of: " #").map { first[..<$0.lowerBound] } ?? first[...]
        return "\(page): \(bare.trimmingCharacters(in: .whitespaces))"
    }

    /// The commands, each on one line.
    var commands: [String] {
        lines.joined(separator: "\n").replacing(/\\\n\s*/, with: "").split(separator: "\n").map(String.init)
    }

    /// All blocks of a page, in order.
    static func all(of page: String) -> [DocumentedBlock] {
        var blocks: [DocumentedBlock] = []
        var open: (line: Int, language: String, lines: [String])?
        for (index, line) in Repository.text(page).split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        {
            let text = String(line)
            guard text.hasPrefix("```") else {
                if !text.isEmpty { open?.lines.append(text) }
                continue
            }
            if let block = open {
                blocks.append(
                    DocumentedBlock(page: page, line: block.line, language: block.language, lines: block.lines))
                open = nil
            } else {
                open = (index + 1, String(text.dropFirst(3)), [])
            }
        }
        return blocks
    }

    /// The first line of the block that is not in an output, behind the line before it. `…` stands for the rest of a line.
    func missing(in output: String, _ replaced: (String) -> String = { $0 }) -> String? {
        var rest = output.split(separator: "\n", omittingEmptySubsequences: false).map { Self.steady(String($0)) }[...]
        for line in lines {
            let wanted = Self.steady(replaced(line))
            let found = rest.firstIndex {
                wanted.hasSuffix("…") ? $0.hasPrefix(wanted.dropLast()) : $0 == wanted
            }
            guard let found else { return line }
            rest = rest[(found + 1)...]
        }
        return nil
    }

    /// A line without what may differ between two runs: moments, durations, sizes, requests, cursors.
    private static func steady(_ line: String) -> String {
        line.replacing(/\d{4}-\d\d-\d\dT[\d:.]+Z/, with: "MOMENT")
            .replacing(/[\d.,]+ (?:ms|s|bytes|KB|MB|requests)\b/, with: "AMOUNT")
            .replacing(/[0-9a-f]{16}-\d+/, with: "CURSOR")
    }

    /// Where a sample in JSON has what an output has not; nil if the output has all of it. An output may have more keys, and more in
    /// a list. `"…"` stands for any text. Moments and fractions may differ.
    static func difference(_ sample: Any, _ output: Any, at path: String = "") -> String? {
        switch (sample, output) {
        case (let sample as [String: Any], let output as [String: Any]):
            for (key, value) in sample.sorted(by: { $0.key < $1.key }) {
                guard let other = output[key] else { return "\(path).\(key) is not there" }
                if let difference = difference(value, other, at: "\(path).\(key)") { return difference }
            }
            return nil
        case (let sample as [Any], let output as [Any]):
            for (index, value) in sample.enumerated() where (value as? String) != "…" {
                if !output.contains(where: { difference(value, $0) == nil }) {
                    return "\(path)[\(index)] is not in the list"
                }
            }
            return nil
        case (let sample as String, let output as String):
            let isEqual = sample == "…" || steady(sample) == steady(output)
            return isEqual ? nil : "\(path) is “\(output)”, not “\(sample)”"
        case (let sample as NSNumber, let output as NSNumber):
            let isFraction = sample.doubleValue != sample.doubleValue.rounded()
            return isFraction || sample == output ? nil : "\(path) is \(output), not \(sample)"
        default:
            return "\(path) is of another type"
        }
    }
}

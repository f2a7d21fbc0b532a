// Findings as workflow commands of GitHub Actions, which its runner shows as annotations.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions

import PippinPage

/// A command of a line: `::error file=dist/mug.html,line=3,title=…::…`
struct WorkflowCommand {
    /// `error`, `warning` or `notice`.
    let name: String
    var properties: [(key: String, value: String)] = []
    let message: String

    /// The line, with its end. Characters are escaped as by `@actions/core`: what a page says can neither end the line nor begin a
    /// property.
    var line: String {
        let list = properties.map { "\($0.key)=\(Self.escaped($0.value, isProperty: true))" }.joined(separator: ",")
        return "::\(name)\(list.isEmpty ? "" : " " + list)::\(Self.escaped(message, isProperty: false))\n"
    }

    private static func escaped(_ text: String, isProperty: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            case ":" where isProperty: result += "%3A"
            case "," where isProperty: result += "%2C"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension ReportCard {
    /// The errors and warnings that no baseline knows, the gravest first.
    ///
    /// - Parameters:
    ///   - name: the page as the operator knows it.
    ///   - isFile: whether that is the path of a file.
    func workflowCommands(of name: String, isFile: Bool) -> String {
        findingsBySeverity.filter { $0.fails(from: .warning) }.map { finding in
            let title = (key: "title", value: "\(finding.check.id) \(finding.check.problem)")
            var place = isFile ? properties(of: finding.place, in: name) : []
            var message = finding.sentenceWithRemedy
            if place.isEmpty {
                message = name + (finding.place.map { " (\($0.description))" } ?? "") + ": " + message
            }
            place.append(title)
            return WorkflowCommand(
                name: finding.outcome == .error ? "error" : "warning", properties: place, message: shown(message)
            ).line
        }.joined()
    }

    /// Where something stands in the page's file; none if it has no line there, but in a header or in another file.
    private func properties(of place: Finding.Place?, in file: String) -> [(key: String, value: String)] {
        guard let place, place.source == .markup, let line = place.line, line > 0 else { return [] }
        var properties = [("file", file), ("line", String(line))]
        // Of a place with more than one line, GitHub takes no columns.
        if let end = sources.excerpt(of: place)?.endLine, end > line {
            properties.append(("endLine", String(end)))
        } else if let column = place.column, column > 0 {
            properties.append(("col", String(column)))
        }
        return properties.map { (key: $0.0, value: $0.1) }
    }
}

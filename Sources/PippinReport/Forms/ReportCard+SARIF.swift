// The report card as SARIF 2.1.0 (OASIS), which code scanning services and editors show beside the markup.

import PippinPage

extension ReportCard {
    /// The card as a SARIF log.
    ///
    /// - Parameters:
    ///   - artifact: the page as the reader knows it: a path in a repository, or its URL. nil uses the page's URL.
    ///   - version: the version of this program.
    public func sarif(artifact: String? = nil, version: String) -> JSONValue {
        let checks = checks
        let positions = Dictionary(uniqueKeysWithValues: checks.enumerated().map { ($1.id, $0) })
        let rules = checks.map { check in
            JSONObject.with {
                $0.put("id", check.id)
                $0.put("name", Self.ruleName(check.title))
                $0["shortDescription"] = ["text": .string(check.problem + ".")]
                $0["fullDescription"] = ["text": .string(check.wanted)]
                $0["help"] = ["text": .string(check.guide.fix)]
                $0.put("helpUri", check.helpURL(docs: treatment.docs))
                $0["defaultConfiguration"] = ["level": .string(Self.level(of: check.severity))]
                $0["properties"] = ["tags": [.string(check.group.rawValue)]]
            }
        }
        let results = findingsBySeverity.filter { $0.outcome >= .info }.map { finding in
            JSONObject.with {
                $0.put("ruleId", finding.check.id)
                $0.put("ruleIndex", positions[finding.check.id])
                $0.put("level", Self.level(of: finding.outcome))
                $0["message"] = ["text": .string(finding.sentenceWithRemedy)]
                $0["locations"] = [location(of: finding.place, artifact: artifact ?? url.href)]
                if let note = finding.noteCode { $0["properties"] = ["note": .string(note.rawValue)] }
            }
        }
        let driver = JSONObject.with {
            $0.put("name", "Pippin")
            $0.put("semanticVersion", version)
            $0["rules"] = .array(rules)
        }
        return shown([
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
            "runs": [["tool": ["driver": driver], "columnKind": "unicodeCodePoints", "results": .array(results)]],
        ])
    }

    private func location(of place: Finding.Place?, artifact: String) -> JSONValue {
        // A finding in a robots.txt or an association file names that file. Headers and the fetch belong to the page.
        let uri = place.flatMap { $0.source == .file ? $0.name : nil } ?? artifact
        var physical = JSONObject()
        physical["artifactLocation"] = ["uri": .string(Self.reference(uri))]
        if let line = place?.line, line > 0 {
            physical["region"] = JSONObject.with {
                $0.put("startLine", line)
                if let column = place?.column, column > 0 { $0.put("startColumn", column) }
                // SARIF §3.30.8: the end column is the one after the last character.
                if let excerpt = sources.excerpt(of: place) {
                    $0.put("endLine", excerpt.endLine)
                    $0.put("endColumn", excerpt.endColumn)
                    $0["snippet"] = ["text": .string(excerpt.snippet)]
                }
            }
        }
        var location = JSONObject()
        location["physicalLocation"] = .object(physical)
        if let place, place.source == .header || place.name != "page" {
            location["message"] = ["text": .string(place.description)]
        }
        return .object(location)
    }

    /// SARIF §3.4.3: a URI reference. Blanks and other special characters of a path are escaped.
    private static func reference(_ text: String) -> String {
        var result: [UInt8] = []
        // In the path of a file, these do not begin a fragment, an escape or a query.
        let isPath = !text.contains("://")
        for byte in text.utf8 {
            switch byte {
            case 0x23 where isPath, 0x25 where isPath, 0x3F where isPath: result.appendPercentEncoded(byte)
            case 0...0x20, 0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7B...0x7D, 0x7F...: result.appendPercentEncoded(byte)
            default: result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func level(of severity: Check.Severity) -> String {
        switch severity {
        case .error: "error"
        case .warning: "warning"
        case .info: "note"
        }
    }

    private static func level(of outcome: Finding.Outcome) -> String {
        switch outcome {
        case .error: "error"
        case .warning: "warning"
        default: "note"
        }
    }

    /// SARIF §3.49.7: the name of a rule is in Pascal case.
    private static func ruleName(_ title: String) -> String {
        title.split { !$0.isLetter && !$0.isNumber }.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

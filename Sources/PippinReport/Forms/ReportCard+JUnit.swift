// The report card as JUnit XML, which continuous integration services show. Each group of checks is a suite, each check a
// test case.

import PippinPage

extension ReportCard {
    /// The card as JUnit XML.
    ///
    /// - Parameter threshold: findings of this outcome, or a graver one, fail their test case.
    public func junit(failingFrom threshold: Finding.Outcome = .error) -> String {
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        let all = counts(of: groups, threshold)
        xml +=
            "<testsuites name=\"pippin\" tests=\"\(all.tests)\" failures=\"\(all.failures)\" skipped=\"\(all.skipped)\">\n"
        for group in groups {
            let counts = counts(of: [group], threshold)
            xml +=
                "  <testsuite name=\"\(group.rawValue)\" tests=\"\(counts.tests)\""
                + " failures=\"\(counts.failures)\" skipped=\"\(counts.skipped)\">\n"
            for check in judgedChecks where check.group == group { xml += testCase(check, threshold) }
            xml += "  </testsuite>\n"
        }
        return shown(xml + "</testsuites>\n")
    }

    private func counts(
        of groups: [Check.Group], _ threshold: Finding.Outcome
    ) -> (tests: Int, failures: Int, skipped: Int) {
        var counts = (tests: 0, failures: 0, skipped: 0)
        for check in judgedChecks where groups.contains(check.group) {
            counts.tests += 1
            let own = findings.filter { $0.check.id == check.id }
            if own.contains(where: { $0.fails(from: threshold) }) {
                counts.failures += 1
            } else if own.allSatisfy({ $0.outcome == .unknown }) {
                counts.skipped += 1
            }
        }
        return counts
    }

    /// The checks that the operator has not left out.
    private var judgedChecks: [Check] { checks.filter { !treatment.leftOut.contains($0.code) } }

    /// The card as one suite among those of other pages. Checks that do not apply, or could not be made, are left out.
    ///
    /// - Parameter name: the page as the operator knows it.
    func junitSuite(named name: String, failingFrom threshold: Finding.Outcome) -> String {
        let seen = Set(findings.lazy.filter { $0.outcome != .unknown }.map(\.check.code))
        let checks = judgedChecks.filter { seen.contains($0.code) }
        let failed = Set(findings.lazy.filter { $0.fails(from: threshold) }.map(\.check.code))
        var xml =
            "  <testsuite name=\"\(Self.escaped(name))\" tests=\"\(checks.count)\" failures=\"\(failed.count)\">\n"
        for check in checks { xml += testCase(check, threshold) }
        return shown(xml + "  </testsuite>\n")
    }

    private func testCase(_ check: Check, _ threshold: Finding.Outcome) -> String {
        let own = findings.filter { $0.check.id == check.id }
        var xml =
            "    <testcase classname=\"pippin.\(check.group.rawValue)\" name=\"\(check.id) \(Self.escaped(check.title))\">"
        let failures = own.filter { $0.fails(from: threshold) }
        if let first = failures.first {
            let text = failures.map(Self.description).joined(separator: "\n\n")
            xml +=
                "\n      <failure type=\"\(first.outcome.rawValue)\" message=\"\(Self.escaped(first.sentence))\">"
                + Self.escaped(text) + "</failure>\n    "
        } else if own.allSatisfy({ $0.outcome == .unknown }) {
            let reason = own.first?.sentence ?? "Nothing of the kind on this page."
            xml += "\n      <skipped message=\"\(Self.escaped(reason))\"/>\n    "
        } else {
            let advice = own.filter { $0.outcome >= .info }
            if !advice.isEmpty {
                let text = advice.map(Self.description).joined(separator: "\n\n")
                xml += "\n      <system-out>\(Self.escaped(text))</system-out>\n    "
            }
        }
        return xml + "</testcase>\n"
    }

    private static func description(_ finding: Finding) -> String {
        var lines = ["\(finding.outcome.rawValue)\(finding.isKnown ? " (known)" : ""): \(finding.sentence)"]
        if let place = finding.place { lines.append("At: " + place.description) }
        lines.append(finding.check.wanted)
        if let remedy = finding.remedy {
            lines.append("Do: " + remedy.text)
            if let code = remedy.code { lines.append(code) }
        }
        return lines.joined(separator: "\n")
    }

    /// Escapes a text. XML 1.0 §2.2 forbids most control characters in a document, even escaped.
    static func escaped(_ text: String) -> String {
        var result = ""
        result.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x26: result += "&amp;"
            case 0x3C: result += "&lt;"
            case 0x3E: result += "&gt;"
            case 0x22: result += "&quot;"
            case 0x27: result += "&#39;"
            case 0x09, 0x0A: result.unicodeScalars.append(scalar)
            case 0...0x1F, 0x7F...0x9F, 0xFFFE, 0xFFFF: result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

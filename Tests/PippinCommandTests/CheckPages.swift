import PippinReport

@testable import PippinPage

/// The pages of the demo site that fail and pass the checks of the report card, as the site's own index lists them.
enum CheckPages {
    enum Kind: String, CaseIterable {
        case fails, passes
    }

    /// Checks without pages, and why.
    static let withoutPages = [
        "L26": "Apple's CDN does not know the demo's hosts.",
        "L27": "It takes a crawl before a link breaks (DeepLinkHistoryCommandTests).",
        "T16": "It takes a browser to see what scripts ask for (RenderCommandTests).",
        "T12": "Pippin never goes by another's name, so it cannot see what others are served.",
    ]

    /// Checks that only a crawl of the whole site can make.
    static let ofTheWholeSite: Set<String> = ["D10", "D11", "D12", "D13", "D14", "T13"]

    /// Errors and warnings of other checks that a failing page cannot be without.
    static let companions: [String: Set<String>] = [
        "D03": ["D01"],
        "D13": ["D07"],
        "L01": ["L12", "L18"],
        "L06": ["L12"],
        "L10": ["L08"],
        "L11": ["L12"],
        "L13": ["L11", "L12"],
        "L15": ["L11", "L12"],
        "L25": ["L11", "L12"],
    ]

    /// Where the index says that a page of a check is: the address that stands in it, linked or not.
    ///
    /// - Parameter origin: of the index.
    static func address(of check: String, _ kind: Kind, in index: String, at origin: String) -> String? {
        guard let name = index.range(of: "/\(check)-\(kind.rawValue).html") else { return nil }
        let before = index[..<name.lowerBound].reversed().prefix { !" \"'>".contains($0) }
        return (before.isEmpty ? origin : String(before.reversed())) + index[name]
    }

    /// What a check's outcome on its page must be.
    static func expectedOutcome(of check: Check, _ kind: Kind) -> Finding.Outcome {
        switch (kind, check.severity) {
        case (.passes, _): .pass
        case (.fails, .error): .error
        case (.fails, .warning): .warning
        case (.fails, .info): .info
        }
    }

    /// What is wrong with a card as the page's card; nil when it is what the page is there for.
    static func objection(to card: ReportCard, of check: Check, _ kind: Kind) -> String? {
        let findings = card.findings.filter { $0.check.id == check.id }
        let expected = expectedOutcome(of: check, kind)
        let outcome = findings.map(\.outcome).max()
        guard outcome == expected else {
            return "\(outcome?.rawValue ?? "does not apply"), not \(expected.rawValue): "
                + findings.map(\.sentence).joined(separator: " ")
        }
        let allowed = kind == .fails ? companions[check.id] ?? [] : []
        let strangers = card.findings.filter {
            $0.outcome >= .warning && $0.check.id != check.id && !allowed.contains($0.check.id)
        }
        guard let first = strangers.first else { return nil }
        return "the page has other mistakes, \(first.check.id): \(first.sentence)"
    }
}

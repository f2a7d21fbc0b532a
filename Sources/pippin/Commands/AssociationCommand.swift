import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage

struct AssociationCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "association",
        abstract: "Shows association files, what is wrong with them, and what they say of a URL.",
        discussion: """
            Of a file: apple-app-site-association or assetlinks.json, as its name says. Of standard input and files with another \
            name, the content decides: an array is assetlinks.json. Of a domain: all of them are fetched, without following redirects, which devices do not follow either.

            With --match the first word is "match", "block" or "unset"; then the app and the pattern that decided.

            Examples:
              pippin association apple-app-site-association
              pippin association --match /buy/shoes apple-app-site-association
              pippin association --match '/help?id=7' --trace apple-app-site-association
              pippin association example.org

            Exit status: 0 good or match, 1 errors found, or no match, 2 usage, 3 the files could not be fetched.
            """)

    @Option(help: ArgumentHelp("What the files say of a URL, or of a path on their host.", valueName: "url-or-path"))
    var match: String?

    @Option(help: ArgumentHelp("Only this app: TEAMID.bundle.id or package.name.", valueName: "app"))
    var app: String?

    @Flag(help: "Show every comparison that --match makes with Apple's file.")
    var trace = false

    @Flag(name: .json, help: "Write JSON.")
    var json = false

    @Argument(help: "A path, - for standard input, or a domain.")
    var source: String

    @OptionGroup(title: "With a domain")
    var fetching: FetchOptions

    func run() async throws {
        if case .url(let site) = try InputPlace(source, takesDomains: true) {
            let target = try match.map { try Self.target($0, on: site) }
            let found = try await fetching.fetching(signingFor: NamedSites([site])) { (single: inout SingleFetch) in
                // If the host does not answer, there are no files to show. But if only its certificate is not trusted,
                // devices refuse it too, and that is a finding.
                if case .failure(let failure) = await single.rules(of: site) {
                    guard case .failed(.tls) = failure.root.cause else { throw failure }
                    writeError("pippin: \(failure)")
                }
                return try await single.hostAssociations(of: site)
            }
            let isSeen = Self.isSeen(found)
            guard let target else {
                try show(found)
                if !isSeen { throw ExitCode(3) }
                return
            }
            guard found.apple != nil || found.android != nil else {
                for note in found.notes { writeError("pippin: \(AssociationCard.line(note))") }
                for (url, notes) in found.findings {
                    for note in notes { writeError("pippin: \(url.href): \(AssociationCard.line(note))") }
                }
                throw ExitCode(isSeen ? 1 : 3)
            }
            return try answer(target, apple: found.apple?.file, android: found.android)
        }
        let target = try match.map { try Self.target($0, on: nil) }
        let bytes = try InputFile.bytes(at: source)
        let kindOfName = Self.isAssetLinks(name: source)
        let isByContent = kindOfName == nil
        if kindOfName ?? Self.isAssetLinks(bytes) {
            let links = AssetLinks(bytes: bytes)
            guard let target else {
                return try show(links.json, AssociationCard.text(links, isByContent: isByContent), links.notes)
            }
            try refuse(links.trouble)
            try answer(target, apple: nil, android: links)
        } else {
            let association = AppleAppSiteAssociation(bytes: bytes)
            guard let target else {
                return try show(
                    association.json, AssociationCard.text(association, isByContent: isByContent), association.notes)
            }
            try refuse(association.trouble)
            try answer(target, apple: association, android: nil)
        }
    }

    // MARK: Arguments

    /// The URL that `--match` names: a whole URL, or a path on `site`.
    ///
    /// - Parameter site: the host of the files; nil if it is not known.
    static func target(_ match: String, on site: WebURL?) throws -> WebURL {
        // A path may begin with two slashes. Resolved as a relative URL, it would name a host.
        let origin = site?.origin ?? "https://example.org"
        guard let url = WebURL(match.hasPrefix("/") ? origin + match : match) else {
            throw ConfigurationError(file: "--match", problem: "\"\(match)\" must be a URL or a path")
        }
        guard let site, url.host != site.host else { return url }
        throw ConfigurationError(
            file: "--match",
            problem: "\(url.href) is on another host than \(site.href), whose files are about that host only")
    }

    /// Whether a file is an `assetlinks.json` and not Apple's file, as its name says; nil if that does not say, as of standard input.
    private static func isAssetLinks(name: String) -> Bool? {
        let last = name.split(separator: "/").last ?? ""
        switch (last.contains("assetlinks"), last.contains("apple-app-site-association")) {
        case (true, false): return true
        case (false, true): return false
        default: return nil
        }
    }

    /// The same by the content: the first is an array, the second an object, or signed.
    private static func isAssetLinks(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        return text.first(where: { $0 > 0x20 }) == UInt8(ascii: "[")
    }

    /// Whether it is known of any file what devices get: the file, or that there is none. If robots.txt forbids a file, that
    /// is an answer too.
    static func isSeen(_ found: HostAssociations) -> Bool {
        [found.wellKnown.judgement, found.rootCopy.judgement, found.assetLinks.judgement].contains {
            $0.standing != .unknown || $0.remark == .disallowed
        }
    }

    // MARK: Answers

    private func show(_ value: JSONValue, _ text: String, _ notes: [ParseNote]) throws {
        try write(value.text(pretty: true), or: text)
        if notes.contains(where: { $0.associationSeverity == .error }) { throw ExitCode(1) }
    }

    private func show(_ found: HostAssociations) throws {
        try show(found.json, AssociationCard.text(found), found.notes + found.findings.flatMap(\.notes))
    }

    private func write(_ form: @autoclosure () -> String, or text: @autoclosure () -> String) throws {
        if json {
            try StandardOutput.write(json: Array((form() + "\n").utf8))
        } else {
            try StandardOutput.write(text() + "\n")
        }
    }

    private func refuse(_ trouble: AssociationTrouble?) throws {
        guard let trouble else { return }
        let place = trouble.place.map { "line \($0.line), column \($0.column): " } ?? ""
        writeError("pippin: \(source): \(place)\(trouble.sentence) [\(trouble.remark.rawValue)]")
        throw ExitCode(1)
    }

    private func answer(_ url: WebURL, apple: AppleAppSiteAssociation?, android: AssetLinks?) throws {
        let answer = AssociationAnswer(url, apple: apple, android: android, app: app, tracing: trace || json)
        try write(answer.json.text(pretty: true), or: answer.text)
        if answer.outcome != .match { throw ExitCode(1) }
    }
}

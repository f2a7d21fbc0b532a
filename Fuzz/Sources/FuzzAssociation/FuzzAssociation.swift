import Foundation
import OutputChecks
import PippinPage

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzAssociation(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    FuzzedUnit.run(data, count, property)
}

/// Any bytes give an association file that holds to its limits, and a short pattern matches what an exponential matcher says.
private func property(_ bytes: [UInt8]) {
    guard let url = WebURL("https://example.org/a/b?a=1&b=%C3%A4&a=#top") else { return }
    readApple(bytes, url)
    readAndroid(bytes, url)
    verify(bytes)
    readLookup(bytes)
    compare(bytes)
}

private func readApple(_ bytes: [UInt8], _ url: WebURL) {
    let file = AppleAppSiteAssociation(bytes: bytes)
    OutputChecks.check(file.notes)
    OutputChecks.check(file.json)
    precondition((file.trouble == nil) == !file.notes.contains { isFatal($0.code) }, "trouble and notes disagree")
    let quick = file.decision(for: url)
    let traced = file.decision(for: url, tracing: true)
    if quick.reason == nil, traced.reason == nil {
        precondition(quick.outcome == traced.outcome && quick.apps == traced.apps, "tracing changes the verdict")
    }
    OutputChecks.check(traced.json)
    precondition((quick.outcome == .unset) == quick.apps.isEmpty, "a verdict without an app")
    for app in quick.apps {
        guard let entries = file.appLinks?.entries else { preconditionFailure("a verdict without entries") }
        let component = entries[app.entry].components[app.component]
        precondition(entries[app.entry].appIDs.contains(app.appID) && component.text == app.pattern)
        precondition(component.excludes == (app.outcome == .block), "the verdict is not its component's")
    }
}

private func isFatal(_ code: ParseNote.Code) -> Bool {
    switch code {
    case .association(.notJSON), .association(.notUTF8), .association(.wrongShape), .association(.tooLarge),
        .association(.tooComplex), .association(.badEnvelope), .association(.wrongEnvelopeForm):
        true
    default: false
    }
}

private func readAndroid(_ bytes: [UInt8], _ url: WebURL) {
    let links = AssetLinks(bytes: bytes, source: url)
    OutputChecks.check(links.notes)
    precondition(links.includes.allSatisfy { $0.url.scheme == "https" }, "an insecure include")
    for statement in links.statements { precondition(!statement.relations.isEmpty, "a statement without relation") }
    for package in links.appLinkPackages {
        let decision = links.decision(for: url, packageName: package)
        precondition(decision.outcome != .unset, "a package that is named is not decided for")
    }
    let gathering = AssetLinksGathering(links, at: url)
    precondition(gathering.wanted.count <= AssetLinksGathering.maximumFetches, "too many includes")
}

// MARK: Verifying

/// A page with a deep link for each platform.
private let page = """
    <title>Page</title><meta name="apple-itunes-app" content="app-id=123456789, app-argument=https://example.org/a/b">
    <link rel="alternate" href="android-app://example.app/https/example.org/a/b">
    """

/// Nothing is verified but by a file that devices use, and nothing is lost.
private func verify(_ bytes: [UInt8]) {
    guard let url = WebURL("https://example.org/a/b"), let linksURL = AssetLinksOutcome.location(of: url) else {
        return
    }
    let places = AppleAssociationOutcome.locations(of: url)
    let fetch = AssociationFetch.fetched(bytes: bytes, mediaType: nil)
    let found = HostAssociations(
        wellKnown: AppleAssociationOutcome(fetch, at: places[0]),
        rootCopy: AppleAssociationOutcome(.status(404), at: places[1]),
        assetLinks: AssetLinksOutcome(fetch, at: linksURL))
    let source = PageSource(url: url, bytes: Array(page.utf8), fetchedAt: Date(timeIntervalSince1970: 0))
    guard let record = RecordBuilder.conclusion(from: PageFacts(source), now: source.fetchedAt).record else { return }
    var files = SiteAssociations()
    files[url] = found
    let done = AssociationVerification(of: record, associations: files)
    precondition(done.record.deepLinks.count >= record.deepLinks.count, "a deep link is gone")
    for link in done.record.deepLinks {
        precondition(link.verification.status != .unchecked || link.verification.reason != nil, "no reason")
        guard link.verification.status == .verified else { continue }
        precondition(link.platform == .android ? found.android != nil : found.apple != nil, "verified by no file")
        precondition(link.verification.applicationIdentifier != nil, "verified for no app")
    }
}

/// A lookup file knows its apps both ways.
private func readLookup(_ bytes: [UInt8]) {
    do throws(AppLookup.Failure) {
        let lookup = try AppLookup(bytes: bytes)
        precondition(lookup.count <= bytes.count, "more apps than bytes")
    } catch {
        precondition(error.line >= 1 && error.column >= 1, "an error without a place")
    }
}

// MARK: Matching

/// The first byte says where the pattern ends; both sides are made of a few letters, so that they meet often.
private func compare(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let drawn = Array(bytes.dropFirst().prefix(24))
    let pattern = drawn.prefix(Int(first % 13)).map { Array("ab*?/".utf8)[Int($0) % 5] }
    let text = drawn.dropFirst(pattern.count).prefix(11).map { Array("ab/".utf8)[Int($0) % 3] }
    let json =
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.org.example"],"components":[{"/":"/"#
        + String(decoding: pattern, as: UTF8.self) + #""}]}]}}"#
    guard let url = WebURL("https://example.org/" + String(decoding: text, as: UTF8.self)) else { return }
    let outcome = AppleAppSiteAssociation(bytes: Array(json.utf8)).decision(for: url).outcome
    let path = withoutFinalSlashes(Array("/".utf8) + text)
    let isMatched = readings(of: Array("/".utf8) + pattern).contains { naive($0[...], path[...]) }
    precondition((outcome == .match) == isMatched, "the two matchers differ")
}

/// What a path pattern stands for when the slashes at its ends do not count.
private func readings(of pattern: [UInt8]) -> [[UInt8]] {
    var readings = [withoutFinalSlashes(pattern)]
    // Several stars mean what one means.
    let stem = Array(readings[0].reversed().drop { $0 == UInt8(ascii: "*") }.reversed())
    if stem.count < readings[0].count, stem.last == UInt8(ascii: "/") { readings.append(withoutFinalSlashes(stem)) }
    return readings.map { reading in
        reading.isEmpty ? [] : Array("/".utf8) + reading.drop { $0 == UInt8(ascii: "/") }
    }
}

private func withoutFinalSlashes(_ text: some BidirectionalCollection<UInt8>) -> [UInt8] {
    Array(Array(text.reversed().drop { $0 == UInt8(ascii: "/") }).reversed())
}

/// What the words say, and nothing else.
private func naive(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    let rest = pattern.dropFirst()
    if first == UInt8(ascii: "*") { return naive(rest, text) || !text.isEmpty && naive(pattern, text.dropFirst()) }
    guard let byte = text.first, first == UInt8(ascii: "?") || first == byte else { return false }
    return naive(rest, text.dropFirst())
}

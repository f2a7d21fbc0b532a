/// An `assetlinks.json` with the files that it includes, while they are being fetched.
///
/// The caller fetches what `wanted` names and hands each answer to `take`; the limits are those of Android's own verifier.
public struct AssetLinksGathering: Sendable {
    /// Files that an included file includes are left out.
    public static let maximumDepth = 1
    /// Files, the first one not counted, that are fetched for one host.
    public static let maximumFetches = 10

    /// Includes not fetched yet.
    public private(set) var wanted: [AssetLinks.Include] = []
    /// Of all files that could be read, the root's first.
    public private(set) var statements: [AssetLinks.Statement]
    /// What is to be said beyond each file's own notes; places are those of the root.
    public private(set) var notes: [ParseNote] = []
    private var seen: Set<WebURL> = []

    public init(_ root: AssetLinks, at url: WebURL) {
        statements = root.statements
        seen.insert(url)
        for include in root.includes where seen.insert(include.url).inserted {
            if wanted.count < Self.maximumFetches {
                wanted.append(include)
            } else {
                notes.append(
                    ParseNote(
                        .includeNotFollowed,
                        "\(include.url.href.quotedBriefly) is left out: more than \(Self.maximumFetches) includes.",
                        at: include.place))
            }
        }
    }

    /// Takes the answer for one of `wanted`; an included file that is missing, redirected or malformed voids itself only.
    public mutating func take(_ fetch: AssociationFetch, for include: AssetLinks.Include) {
        take(AssetLinksOutcome(fetch, at: include.url), for: include)
    }

    /// The same for a file that was read already, as several hosts may include it.
    public mutating func take(_ outcome: AssetLinksOutcome, for include: AssetLinks.Include) {
        guard let index = wanted.firstIndex(of: include) else { return }
        wanted.remove(at: index)
        guard outcome.isUsable, let links = outcome.links else {
            let reason =
                outcome.links?.trouble?.sentence ?? "It is not there: \(outcome.judgement.sentence ?? "not asked for")."
            notes.append(
                ParseNote(
                    .includeFailed, "\(include.url.href.quotedBriefly) is left out. \(reason)", at: include.place))
            return
        }
        statements += links.statements
        for inner in links.includes {
            notes.append(
                ParseNote(
                    .includeNotFollowed,
                    "\(include.url.href.quotedBriefly) includes \(inner.url.href.quotedBriefly), which is left out: includes go one level deep.",
                    at: include.place))
        }
    }
}

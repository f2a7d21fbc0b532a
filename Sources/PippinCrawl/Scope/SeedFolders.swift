import PippinPage

/// The seeds of a host or a site, found by the folder that a page lies in.
///
/// The folders are a tree of their segments, so that a page costs one walk along its path, however many seeds there are.
struct SeedFolders: Sendable {
    /// A segment in a folder, whose number is the place of its seeds in `owners`.
    private struct Step: Hashable {
        let folder: Int
        let segment: String
    }

    /// All of them, sorted by URL.
    let seeds: [Seed]
    private var folders: [Step: Int] = [:]
    /// The seeds of each folder, sorted by URL. The first folder is `/`, which has all pages and so tells no seeds apart.
    private var owners: [[Seed]] = []

    /// - Parameter seeds: sorted by URL.
    init(_ seeds: [Seed]) {
        self.seeds = seeds
        guard seeds.count > 1 else { return }
        owners.append([])
        for seed in seeds {
            var folder = 0
            for segment in Self.folder(of: seed.url) {
                let step = Step(folder: folder, segment: segment)
                if let next = folders[step] {
                    folder = next
                } else {
                    folder = owners.count
                    folders[step] = folder
                    owners.append([])
                }
            }
            if folder > 0 { owners[folder].append(seed) }
        }
    }

    /// The seeds with the deepest folder that contains a page; all if there is none.
    func owners(of page: WebURL) -> [Seed] {
        guard seeds.count > 1 else { return seeds }
        var folder = 0
        var deepest = 0
        // The last segment may be a folder without its slash: `/app` lies in `/app/`.
        for segment in Self.segments(of: page.path) {
            guard let next = folders[Step(folder: folder, segment: segment)] else { break }
            folder = next
            if !owners[folder].isEmpty { deepest = folder }
        }
        return deepest > 0 ? owners[deepest] : seeds
    }

    /// The folder of a URL, as segments: `app` for `/app/support.html`. `app` also for `/app`, because many support pages have no
    /// slash at the end.
    private static func folder(of url: WebURL) -> ArraySlice<String> {
        let segments = segments(of: url.path)
        guard let name = segments.last else { return [] }
        return name.isEmpty || name.contains(".") ? segments.dropLast() : segments[...]
    }

    /// What is behind each slash: `app` and nothing for `/app/`.
    private static func segments(of path: String) -> [String] {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map(String.init)
    }
}

import PippinPage

/// Which pages have the same title, description, content, picture or app-argument, by the number of what they share.
struct SharedPages: Sendable {
    private(set) var titles: [Int: [Int]] = [:]
    private(set) var descriptions: [Int: [Int]] = [:]
    private(set) var contents: [Int: [Int]] = [:]
    private var images: [Int: Int] = [:]
    private var arguments: [Int: Int] = [:]
    private var imagesOfHost: [String: Int] = [:]
    private var argumentsOfHost: [String: Int] = [:]

    init(_ pages: [SiteReportBuilder.Page], order: [Int]) {
        for index in order {
            let page = pages[index]
            if page.title >= 0 { titles[page.title, default: []].append(index) }
            if page.description >= 0 { descriptions[page.description, default: []].append(index) }
            if page.content >= 0 { contents[page.content, default: []].append(index) }
            if page.image >= 0 {
                images[page.image, default: 0] += 1
                imagesOfHost[page.host, default: 0] += 1
            }
            if page.argument >= 0 {
                arguments[page.argument, default: 0] += 1
                argumentsOfHost[page.host, default: 0] += 1
            }
        }
        titles = titles.filter { $0.value.count > 1 }
        descriptions = descriptions.filter { $0.value.count > 1 }
        contents = contents.filter { $0.value.count > 1 }
        urls = { pages[$0].crawled.url.href }
    }

    private let urls: @Sendable (Int) -> String

    func fill(_ evidence: inout CrawlEvidence, of page: SiteReportBuilder.Page, at index: Int) {
        evidence.sameTitle = others(titles[page.title], than: index)
        evidence.sameDescription = others(descriptions[page.description], than: index)
        evidence.sameContent = others(contents[page.content], than: index)
        evidence.sameImage = images[page.image] ?? 0
        evidence.pagesWithImage = imagesOfHost[page.host] ?? 0
        evidence.sameArgument = arguments[page.argument] ?? 0
        evidence.pagesWithArgument = argumentsOfHost[page.host] ?? 0
    }

    private func others(_ members: [Int]?, than index: Int) -> CrawlEvidence.Others {
        guard let members, members.count > 1 else { return [] }
        return CrawlEvidence.Others(
            count: members.count - 1, examples: members.prefix(4).filter { $0 != index }.prefix(3).map(urls))
    }
}

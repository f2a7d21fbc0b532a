import Hummingbird
import PippinReport

/// The frame of all pages: head, navigation, footer.
enum Layout {
    /// The places of the navigation.
    enum Section: String, CaseIterable, Sendable {
        case search, card, site, crawl

        var title: String {
            switch self {
            case .search: "Search"
            case .card: "Report card"
            case .site: "Site report"
            case .crawl: "Crawl"
            }
        }

        var path: String {
            switch self {
            case .search: "/"
            case .card: "/card"
            case .site: "/site"
            case .crawl: "/crawl"
            }
        }
    }

    /// A whole page.
    ///
    /// - Parameter body: what follows the navigation: a `main` with the id `content`, and `header` or `footer` if needed.
    static func page(
        _ title: String, _ body: HTML, section: Section? = nil, status: HTTPStatus = .ok
    ) -> WebAnswer {
        let places: [HTML] = Section.allCases.map { place in
            """
            <li><a href="\(place.path)"\(" aria-current=\"page\"", if: place == section)>\(place.title)</a></li>
            """
        }
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <title>\(title == "Pippin" ? title : "\(title) – Pippin")</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="robots" content="noindex">
            <link rel="icon" href="/icon.svg" type="image/svg+xml">
            <link rel="stylesheet" href="/style.css">
            <script src="/script.js" defer></script>
            </head>
            <body class="served">
            <a class="skip" href="#content">To the content</a>
            <nav class="top" aria-label="Pippin">
            <div class="top-inside">
            <a class="brand" href="/"><span class="seed" aria-hidden="true"></span><span class="name">Pippin</span></a>
            <ul>\(places)</ul>
            </div>
            </nav>
            \(body)
            </body>
            </html>

            """
        return .html(page.html, status: status)
    }
}

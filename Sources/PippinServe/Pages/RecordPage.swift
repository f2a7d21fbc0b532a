import Foundation
import Hummingbird
import PippinPage
import PippinReport
import PippinStore

/// The page of one record: what it is, its deep links and what became of them, who links to it, every field with its source.
enum RecordPage {
    static let routes: [WebRoute] = [
        .page("/record") { request, context in try await page(request, context) }
    ]

    static let template = """
        <header>
        <p class="eyebrow">Record</p>
        <div class="subject">
        {{#picture}}<img class="thumb {{color}}" src="{{picture}}" alt="{{alt}}" width="120" height="120" referrerpolicy="no-referrer" \
        data-letter="{{letter}}">{{/picture}}{{^picture}}<div class="thumb {{color}}" aria-hidden="true">{{letter}}</div>{{/picture}}
        <div class="words">
        <h1 dir="auto">{{name}}</h1>
        <p class="lead" dir="auto">{{site}}</p>
        {{>facts}}
        </div>
        </div>
        {{#description}}<p class="lead about" dir="auto">{{description}}</p>{{/description}}
        <p class="ways">{{#page}}<a class="button" href="{{page}}" rel="noreferrer noopener">Open the page</a>{{/page}}\
        {{#buttons}}<a class="button" href="{{href}}" rel="noreferrer noopener">{{label}}</a>{{/buttons}}\
        {{#card}}<a class="button quiet-button" href="{{card}}">Check this page</a>{{/card}}</p>
        </header>
        <main id="content">
        <nav class="contents" aria-label="On this page"><a href="#deep-links">Deep links<span>{{linkCount}}</span></a>\
        <a href="#history">History<span>{{changeCount}}</span></a>\
        <a href="#linked">Linked from<span>{{linkingCount}}</span></a><a href="#visits">Visits</a><a href="#fields">Fields</a></nav>

        <h2 id="deep-links">Deep links</h2>
        <section class="card">
        {{#hasLinks}}<table class="links">
        <thead><tr><th scope="col">Platform</th><th scope="col">Opens</th><th scope="col">App</th><th scope="col">Source</th>\
        <th scope="col">Backed by the site</th></tr></thead>
        <tbody>
        {{#links}}<tr><td>{{platform}}</td>\
        <td>{{#href}}<a href="{{href}}" rel="noreferrer noopener">{{url}}</a>{{/href}}\
        {{^href}}{{#url}}<span class="copy"><code>{{url}}</code>\
        <button class="button" type="button" hidden data-copy="{{url}}">Copy</button></span>{{/url}}\
        {{^url}}the app as a whole{{/url}}{{/href}}</td>\
        <td>{{#store}}<a href="{{store}}" rel="noreferrer noopener">{{app}}</a>{{/store}}{{^store}}{{app}}{{/store}}</td>\
        <td>{{#sources}}<span class="source">{{.}}</span> {{/sources}}</td>\
        <td><strong class="{{style}}">{{status}}</strong>{{#since}} <span class="since">since {{since}}</span>{{/since}}\
        <div class="dim">{{meaning}}</div>{{#reason}}<div class="dim">{{reason}}</div>{{/reason}}</td></tr>
        {{/links}}</tbody>
        </table>{{/hasLinks}}
        {{^hasLinks}}<p class="quiet">No app opens this page.</p>{{/hasLinks}}
        </section>

        <h2 id="history">What became of the deep links</h2>
        <section class="card listing"><ul class="plain">
        {{#changes}}<li><span class="since">{{at}}</span> <strong>{{link}}</strong> {{sentence}}</li>
        {{/changes}}{{^hasChanges}}<li class="dim">Nothing is known: the storage has no visit with a deep link.</li>{{/hasChanges}}
        </ul></section>

        <h2 id="linked">What links here</h2>
        <p class="say">{{linkedSentence}}</p>
        {{#hasLinking}}<section class="card listing"><ul class="plain">
        {{#linking}}<li><a href="{{details}}" dir="auto">{{title}}</a><div class="dim">{{url}}</div></li>
        {{/linking}}</ul></section>{{/hasLinking}}

        <h2 id="visits">How the crawl met it</h2>
        <section class="card listing"><ul class="plain">
        {{#visits}}<li>{{.}}</li>
        {{/visits}}</ul></section>

        <h2 id="fields">Every field</h2>
        <section class="card">
        <table>
        <thead><tr><th scope="col">Field</th><th scope="col">Value</th><th scope="col">Source</th></tr></thead>
        <tbody>
        {{#fields}}<tr><td>{{name}}</td><td><span class="value" dir="auto">{{value}}</span></td>\
        <td><span class="source">{{source}}</span></td></tr>
        {{/fields}}</tbody>
        </table>
        </section>
        <details class="card"><summary>The record as JSON</summary><pre><code>{{json}}</code></pre></details>
        </main>
        """

    /// How many changes of deep links are shown, the last ones.
    private static let shownChanges = 30

    private static func page(_ request: WebRequest, _ context: WebContext) async throws -> WebAnswer {
        let address = try request.query.text("url", minimum: 1, maximum: WebLimits.urlLength)
        let found = try await FoundRecord.at(address, context)
        let record = found.record
        var model = ResultModel.model(of: record, showsPictures: context.settings.showsPictures)
        let page = SafeLink.page(record["url"]?.string)
        model["page"] = page
        model["card"] = page.flatMap { page in
            WebRoutes.has("/card") ? LocalLink("/card", ["url": page]).description : nil
        }
        model["description"] = record["contentDescription"]?.string ?? record["snippet"]?.string
        addLinks(of: record, to: &model)
        add(found.history, to: &model)
        add(found.linking, of: record, to: &model)
        model["fields"] = fields(of: record)
        model["json"] = record.text(pretty: true)
        let name = record["title"]?.string ?? record["url"]?.string ?? "Record"
        return context.page(name, template: "record", model, section: .search)
    }

    // MARK: Deep links

    private static func addLinks(of record: JSONValue, to model: inout PageModel) {
        let links = record["deepLinks"]?.array ?? []
        model["linkCount"] = links.count
        model["hasLinks"] = !links.isEmpty
        model["links"] = links.map { link -> PageModel in
            let verification = link["verification"]
            let status = verification?["status"]?.string ?? "unchecked"
            let names = [
                link["appName"]?.string, link["storeIdentifier"]?.string.map { "App Store ID \($0)" },
                link["bundleIdentifier"]?.string, link["packageName"]?.string,
            ].compactMap(\.self)
            let isWeb = link["platform"]?.string == "web"
            return [
                "platform": link["platform"]?.string.flatMap(Platform.init(rawValue:))?.name ?? "Unknown",
                "url": link["url"]?.string, "href": SafeLink.app(link["url"]?.string),
                "app": isWeb ? "the browser" : names.isEmpty ? "not named" : names.joined(separator: ", "),
                "store": ResultModel.storePage(of: link),
                "sources": (link["sources"]?.array ?? []).compactMap(\.string),
                "status": status, "style": style(of: status),
                "since": verification?["since"]?.string.map { String($0.prefix(10)) },
                "meaning": meaning(of: verification), "reason": verification?["reason"]?.string,
            ]
        }
    }

    private static func style(of status: String) -> String {
        switch DeepLinkRecord.Verification.Status(rawValue: status) {
        case .verified: "pass"
        case .blocked, .notCovered: "error"
        case .unverifiable, .unchecked, nil: "unknown"
        }
    }

    /// How the association file was matched, as a sentence.
    private static func meaning(of verification: JSONValue?) -> String? {
        let app = verification?["applicationIdentifier"]?.string
        let pattern = verification?["pattern"]?.string
        guard app != nil || pattern != nil else { return nil }
        let subject = app ?? "The association file"
        return pattern.map { "\(subject): the pattern \($0) decides" } ?? subject
    }

    // MARK: History

    private static func add(_ history: URLHistory?, to model: inout PageModel) {
        let changes = history?.deepLinks ?? []
        model["changeCount"] = changes.count
        model["hasChanges"] = !changes.isEmpty
        model["changes"] = changes.suffix(shownChanges).reversed().map { change -> PageModel in
            ["at": moment(change.at), "link": change.name, "sentence": change.sentence]
        }
        model["visits"] = visits(history)
    }

    private static func moment(_ date: Date) -> String {
        InternetTime.text(date).replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    private static func visits(_ history: URLHistory?) -> [String] {
        guard let history else { return ["The crawl does not know this address any more."] }
        var lines: [String] = []
        let seed = history.seed.map { " from the seed \($0.url.href)" } ?? ""
        switch history.discovery {
        case .seed: lines.append("It was given as a seed.")
        case .outlink:
            let away = Wording.count(history.depth, "link")
            lines.append("It was found \(away) away\(seed.isEmpty ? " from a seed" : seed).")
        case .sitemap: lines.append("It was found in a sitemap\(seed).")
        case .redirect: lines.append("It was found as the target of a redirect\(seed).")
        case .canonical: lines.append("It was found as the canonical URL of another page\(seed).")
        }
        let changed = history.changeCount > 0 ? ", \(history.changeCount) with changes" : ""
        lines.append("\(Wording.count(history.visitCount, "visit"))\(changed).")
        lines += history.visits.suffix(5).reversed().map { "\(moment($0.at)): \($0.outcome)" }
        if let next = history.nextVisit {
            lines.append("The first run after \(moment(next)) visits it again.")
        }
        return lines
    }

    // MARK: Links

    private static func add(_ linking: PagesLinkingHere, of record: JSONValue, to model: inout PageModel) {
        model["linkingCount"] = linking.isComplete ? "\(linking.count)" : "\(linking.count)+"
        model["hasLinking"] = !linking.pages.isEmpty
        model["linking"] = linking.pages.map { page -> PageModel in
            [
                "title": page.title ?? page.url, "url": page.url,
                "details": page.title == nil
                    ? SafeLink.page(page.url) ?? "/" : LocalLink("/record", ["url": page.url]).description,
            ]
        }
        var sentence =
            linking.count == 0
            ? "No page of this job links here."
            : "\(Wording.count(linking.count, "page")) of this job \(linking.count == 1 ? "links" : "link") here."
        if !linking.isComplete { sentence += " Only a part of the job's links was looked at." }
        if let popularity = record["popularity"]?.text() {
            let isRanked = record["provenance"]?["popularity"]?.string == "link-graph"
            sentence +=
                " Popularity: \(popularity)\(isRanked ? ", by the links of all pages" : ", by what the page says")."
        }
        model["linkedSentence"] = sentence
    }

    // MARK: Fields

    private static func fields(of record: JSONValue) -> [PageModel] {
        let sources = record["provenance"]?.object
        let members = (record.object?.members ?? []).filter {
            !["schemaVersion", "provenance", "deepLinks"].contains($0.key)
        }
        return members.map { member in
            let source = sources?[member.key == "images" ? "thumbnailURL" : member.key]?.string
            return ["name": member.key, "value": member.value.readable, "source": source ?? "pippin"]
        }
    }
}

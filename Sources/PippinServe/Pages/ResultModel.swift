import PippinPage
import PippinReport

/// A record as a search result: what the template `result` shows.
enum ResultModel {
    static let template = """
        <article class="result hit">
        <div class="row">
        {{#picture}}<img class="thumb {{color}}" src="{{picture}}" alt="{{alt}}" width="96" height="96" loading="lazy" decoding="async" \
        referrerpolicy="no-referrer" data-letter="{{letter}}">{{/picture}}\
        {{^picture}}<div class="thumb {{color}}" aria-hidden="true">{{letter}}</div>{{/picture}}
        <div class="words">
        <p class="site">{{#icon}}<img class="site-icon" src="{{icon}}" alt="" width="18" height="18" loading="lazy" \
        referrerpolicy="no-referrer" data-letter="">{{/icon}}<span dir="auto">{{site}}</span>\
        {{#isVerified}}<span class="sure" title="The site's association file confirms that its app opens this page">\
        ✓ Verified app</span>{{/isVerified}}</p>
        <h2 dir="auto"><a href="{{link}}" rel="noreferrer noopener"{{#told}} data-click="{{identifier}}" data-query="{{query}}" \
        data-position="{{position}}"{{/told}}>{{#title}}{{#isMatch}}<mark>{{text}}</mark>{{/isMatch}}\
        {{^isMatch}}{{text}}{{/isMatch}}{{/title}}</a></h2>
        {{#hasSnippet}}<p class="snippet" dir="auto">{{#snippet}}{{#isMatch}}<mark>{{text}}</mark>{{/isMatch}}\
        {{^isMatch}}{{text}}{{/isMatch}}{{/snippet}}</p>{{/hasSnippet}}
        {{>facts}}
        </div>
        </div>
        <div class="buttons">{{#buttons}}<a class="button" href="{{href}}" rel="noreferrer noopener">{{label}}\
        <span class="unseen">: {{name}}</span></a>{{/buttons}}\
        <a class="button quiet-button" href="{{details}}">Details<span class="unseen"> of {{name}}</span></a></div>
        {{#parts}}{{>explanation}}{{/parts}}
        </article>
        """

    static let factsTemplate = """
        {{#hasFacts}}<div class="facts">\
        {{#stars}}<span><span class="stars" aria-hidden="true">★★★★★<span class="w{{percent}}">★★★★★</span></span>\
        <span class="unseen">Rated </span>{{text}}</span>{{/stars}}\
        {{#price}}<span class="price">{{price}}</span>{{/price}}\
        {{#availability}}<span class="{{style}}">{{words}}</span>{{/availability}}\
        {{#event}}<span>{{event}}</span>{{/event}}\
        {{#time}}<span>{{time}}</span>{{/time}}\
        {{#date}}<span>{{date}}</span>{{/date}}\
        </div>{{/hasFacts}}
        """

    /// A small result, for a grid.
    static let tileTemplate = """
        <a class="card tile-link" href="{{details}}">\
        {{#picture}}<img class="thumb {{color}}" src="{{picture}}" alt="" width="56" height="56" loading="lazy" decoding="async" \
        referrerpolicy="no-referrer" data-letter="{{letter}}">{{/picture}}\
        {{^picture}}<span class="thumb {{color}}" aria-hidden="true">{{letter}}</span>{{/picture}}
        <span class="words"><b dir="auto">{{name}}</b><small dir="auto">{{site}}</small></span></a>
        """

    /// - Parameter showsPictures: whether the reader's browser may load what the record names.
    static func model(of record: JSONValue, showsPictures: Bool) -> PageModel {
        let facts = ResultFacts(record)
        let name = record["title"]?.string ?? record["url"]?.string ?? "A page without a title"
        let identifier = record["uniqueIdentifier"]?.string ?? ""
        let details = LocalLink("/record", ["url": identifier]).description
        let links = record["deepLinks"]?.array ?? []
        var model: PageModel = [
            "identifier": identifier, "name": name, "details": details, "site": facts.siteLine, "letter": facts.letter,
            "color": color(of: record),
            "title": [["text": name, "isMatch": false] as PageModel],
            // A record without a page that can be linked leads to its own page here.
            "link": SafeLink.page(record["url"]?.string) ?? details,
            "isVerified": links.contains { $0["platform"]?.string != "web" && isVerified($0) },
            "buttons": buttons(of: record),
        ]
        if let snippet = record["snippet"]?.string {
            model["hasSnippet"] = true
            model["snippet"] = [["text": snippet, "isMatch": false] as PageModel]
        }
        if showsPictures {
            model["picture"] = SafeLink.page(record["thumbnailURL"]?.string)
            model["alt"] = record["images"]?.array?.first?["alt"]?.string ?? ""
            model["icon"] = SafeLink.page(record["iconURL"]?.string)
        }
        return model.merging(self.facts(facts))
    }

    static func facts(_ facts: ResultFacts) -> PageModel {
        var model: PageModel = [
            "price": facts.price, "event": facts.event, "time": facts.time, "date": facts.date,
            "stars": facts.stars.map { ["percent": $0.percent, "text": $0.text] as PageModel },
            "availability": facts.availability.map {
                ["words": $0.words, "style": $0.canBeHad ? "pass" : "error"] as PageModel
            },
        ]
        model["hasFacts"] = !["price", "event", "time", "date", "stars", "availability"].allSatisfy { model[$0] == nil }
        return model
    }

    static func isVerified(_ link: JSONValue) -> Bool { link["verification"]?["status"]?.string == "verified" }

    /// A color for the letters of a host, always the same.
    private static func color(of record: JSONValue) -> String {
        var hash = FNV1a()
        hash.add((record["domainIdentifier"]?.string ?? "").utf8)
        return "c\((hash.value >> 24) % 6)"
    }

    // MARK: Buttons

    /// What the result lets people do: links whose addresses are safe, each label once.
    static func buttons(of record: JSONValue) -> [PageModel] {
        var buttons: [PageModel] = []
        var labels: Set<String> = []
        func add(_ label: String, _ href: String?) {
            guard let href, labels.insert(label).inserted else { return }
            buttons.append(["label": label, "href": href])
        }
        let links = (record["deepLinks"]?.array ?? []).filter { $0["platform"]?.string != "web" }
        // What the site confirms goes first.
        let opening = links.filter { DeepLinkRecord.DeepLink.opensInApp(json: $0) }
        for link in opening.filter(isVerified) + opening.filter({ !isVerified($0) }) {
            add("Open in app", SafeLink.app(link["url"]?.string))
        }
        for link in links { add("View in store", storePage(of: link)) }
        for action in record["actions"]?.array ?? [] {
            switch action["type"]?.string {
            case "call":
                add("Call", SafeLink.call(action["phoneNumber"]?.string, extension: action["extension"]?.string))
            case "directions":
                add(
                    "Directions",
                    SafeLink.directions(
                        address: action["address"]?.string, latitude: action["latitude"]?.double,
                        longitude: action["longitude"]?.double))
            case "play":
                add(action["media"]?.string == "audio" ? "Listen" : "Play", SafeLink.page(action["url"]?.string))
            default: break
            }
        }
        return buttons
    }

    /// The page of a store about a deep link's app; nil without a well-formed identifier.
    static func storePage(of link: JSONValue) -> String? {
        func isPlain(_ text: String, _ more: String) -> Bool {
            (1...200).contains(text.utf8.count)
                && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || more.contains($0)) }
        }
        switch link["platform"]?.string {
        case "ios", "ipados":
            guard let id = link["storeIdentifier"]?.string, isPlain(id, ""), id.allSatisfy(\.isNumber) else {
                return nil
            }
            return "https://apps.apple.com/app/id\(id)"
        case "android":
            guard let package = link["packageName"]?.string, isPlain(package, "._") else { return nil }
            return "https://play.google.com/store/apps/details?id=\(package)"
        default: return nil
        }
    }
}

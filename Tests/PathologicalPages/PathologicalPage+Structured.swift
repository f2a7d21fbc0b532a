extension PathologicalPage {
    private static let itemStart = "<div itemscope itemtype=http://schema.org/Thing"

    static let microdata = [
        PathologicalPage("microdata: items in items", 25_000) {
            itemStart + ">" + (itemStart + " itemprop=about>") × $0 + "x"
        },
        PathologicalPage("microdata: items beside items", 25_000) {
            (itemStart + "><b itemprop=name>x</b></div>") × $0
        },
        PathologicalPage("microdata: items of one item", 25_000) {
            itemStart + ">" + (itemStart + " itemprop=about></div>") × $0
        },
        PathologicalPage("microdata: properties of one item", 50_000) {
            itemStart + ">" + "<b itemprop=name>x</b>" × $0
        },
        PathologicalPage("microdata: names of one item", 50_000) {
            itemStart + ">" + numbered($0) { "<b itemprop=n\($0)>x</b>" }
        },
        PathologicalPage("microdata: properties in properties", 50_000) {
            itemStart + ">" + "<b itemprop=name>x" × $0
        },
        PathologicalPage("microdata: properties around a text", 500_000) {
            itemStart + ">" + "<b itemprop=name>" × 500 + "x " × $0
        },
        PathologicalPage("microdata: orphans", 50_000) { "<b itemprop=name>x</b>" × $0 },
        PathologicalPage("microdata: itemprop tokens", 100_000) {
            itemStart + "><b itemprop='\(numbered($0) { "n\($0) " })'>x</b>"
        },
        PathologicalPage("microdata: itemprop tokens with commas", 100_000) {
            itemStart + "><b itemprop='\(numbered($0) { "n\($0)," })'>x</b>"
        },
        PathologicalPage("microdata: itemtype tokens", 100_000) {
            "<div itemscope itemtype='\(numbered($0) { "http://schema.org/T\($0) " })'>x</div>"
        },
        PathologicalPage("microdata: tokens × items", 300) { count in
            (itemStart + "><b itemprop='\(numbered(count) { "n\($0) " })'>x</b></div>") × count
        },
        PathologicalPage("microdata: itemref tokens", 100_000) {
            "<div itemscope itemref='\(numbered($0) { "i\($0) " })'></div>"
                + numbered($0 / 4) { "<b id=i\($0) itemprop=p>x</b>" }
        },
        PathologicalPage("microdata: itemref web", 300) { count in
            let ids = numbered(count) { "i\($0) " }
            return numbered(count) { "<div itemscope itemprop=p id=i\($0) itemref='\(ids)'></div>" }
        },
        PathologicalPage("microdata: itemref chain", 25_000) {
            "<div itemscope itemref=i0></div>"
                + numbered($0) { "<div id=i\($0) itemprop=p itemscope itemref=i\($0 + 1)></div>" }
        },
        PathologicalPage("microdata: itemref cycle", 25_000) { count in
            "<div itemscope itemref=i0></div>"
                + numbered(count) { "<div id=i\($0) itemprop=p itemscope itemref=i\(($0 + 1) % count)></div>" }
        },
        PathologicalPage("microdata: itemref to one hub", 10_000) {
            "<div id=hub>" + "<b itemprop=name>x</b>" × $0 + "</div>" + (itemStart + " itemref=hub></div>") × $0
        },
        PathologicalPage("microdata: itemref, doubling", 30) { count in
            "<div itemscope itemref='a0 b0'></div>"
                + numbered(count) {
                    "<div id=a\($0) itemprop=p itemscope itemref='a\($0 + 1) b\($0 + 1)'></div>"
                        + "<div id=b\($0) itemprop=p itemscope itemref='a\($0 + 1) b\($0 + 1)'></div>"
                }
        },
        PathologicalPage("microdata: itemref to enclosing element", 20_000) {
            "<div id=all>" + (itemStart + " itemref=all><b itemprop=name>x</b></div>") × $0
        },
        PathologicalPage("microdata: names like the title", 300) {
            "<title>" + "a" × 4_000 + "</title>"
                + ("<p itemscope itemtype=http://schema.org/Product><b itemprop=name>" + "a" × 2_000 + "b</b></p>") × $0
        },
        PathologicalPage("microdata: offers of a product", 10_000) {
            "<div itemscope itemtype=http://schema.org/Product><b itemprop=name>x</b>"
                + numbered($0) {
                    "<p itemprop=offers itemscope itemtype=http://schema.org/Offer><i itemprop=price>\($0).99</i>"
                        + "<i itemprop=priceCurrency>EUR</i></p>"
                }
        },
    ]

    static let microformats = [
        PathologicalPage("microformats: items in items", 25_000) { "<div class='h-x p-a p-b'>" × $0 + "x" },
        PathologicalPage("microformats: old items in items", 25_000) { "<div class='hentry author vcard'>" × $0 + "x" },
        PathologicalPage("microformats: items beside items", 25_000) {
            "<div class=h-entry><b class=p-name>x</b></div>" × $0
        },
        PathologicalPage("microformats: entries of a feed", 25_000) {
            "<div class=h-feed>" + "<div class=h-entry><a class=u-url href=/>x</a></div>" × $0
        },
        PathologicalPage("microformats: properties of one item", 50_000) {
            "<div class=h-entry>" + "<b class='p-name u-url dt-published'>x</b>" × $0
        },
        PathologicalPage("microformats: names of one item", 25_000) {
            "<div class=h-entry>" + "<b class='p-a p-b e-c u-d dt-e'>x" × $0
        },
        PathologicalPage("microformats: markup around a text", 500_000) {
            "<div class=h-entry>" + "<b class=e-content>" × 500 + "x " × $0
        },
        PathologicalPage("microformats: markup around addresses", 25_000) {
            "<base href=https://example.org/\("x" × 1_900)/><div class=h-entry>" + "<b class=e-content>" × 400
                + "<img src=a>" × $0
        },
        PathologicalPage("microformats: class names", 100_000) { count in
            "<div class=h-entry><b class='\("p-x h-x hentry " × count)'>x</b>"
        },
        PathologicalPage("microformats: relations", 25_000) { count in
            numbered(count) { "<a rel='me x\($0)' href=/\($0)>x</a>" }
        },
        PathologicalPage("microformats: parts of a value", 50_000) {
            "<div class=h-event><p class=dt-start>" + "<b class=value>9:00</b>" × $0
        },
        PathologicalPage("microformats: cards in an address", 25_000) {
            "<div class=vcard>" + "<p class=street-address>x</p>" × $0
        },
    ]

    static let rdfa = [
        PathologicalPage("RDFa: items in items", 25_000) {
            "<div vocab=http://schema.org/>" + "<div typeof=Thing property=about>" × $0
        },
        PathologicalPage("RDFa: items beside items", 25_000) {
            "<div vocab=http://schema.org/>" + "<div typeof=Thing><b property=name>x</b></div>" × $0
        },
        PathologicalPage("RDFa: properties of one item", 50_000) {
            "<div vocab=http://schema.org/ typeof=Thing>" + numbered($0) { "<b property=name>x\($0)</b>" }
        },
        PathologicalPage("RDFa: names of one item", 50_000) {
            "<div vocab=http://schema.org/ typeof=Thing>" + numbered($0) { "<b property=n\($0)>x</b>" }
        },
        PathologicalPage("RDFa: properties around a text", 500_000) {
            "<div vocab=http://schema.org/ typeof=Thing>" + "<b property=name>" × 500 + "x " × $0
        },
        PathologicalPage("RDFa: property tokens", 100_000) {
            "<div vocab=http://schema.org/ typeof=Thing property='\(numbered($0) { "n\($0) " })'>x</div>"
        },
        PathologicalPage("RDFa: typeof tokens", 100_000) {
            "<div vocab=http://schema.org/ typeof='\(numbered($0) { "T\($0) " })'>x</div>"
        },
        PathologicalPage("RDFa: rel tokens", 100_000) {
            "<div vocab=http://schema.org/ about=#a rel='\(numbered($0) { "n\($0) " })'><a href=/x>x</a></div>"
        },
        PathologicalPage("RDFa: rel tokens × objects", 300) {
            "<div vocab=http://schema.org/ about=#a rel='\(numbered($0) { "n\($0) " })'>"
                + numbered($0) { "<a href=/x\($0)>x</a>" }
        },
        PathologicalPage("RDFa: rel tokens × depth", 20_000) {
            "<div vocab=http://schema.org/ about=#a rel='\(numbered($0) { "n\($0) " })'>" + "<b lang=en>" × $0
        },
        PathologicalPage("RDFa: incomplete triples × depth", 50_000) {
            "<div vocab=http://schema.org/ typeof=T>" + "<p rel='a b c'>" × $0 + "<a href=/x>x</a>"
        },
        PathologicalPage("RDFa: incomplete lists × depth", 50_000) {
            "<div vocab=http://schema.org/ typeof=T>" + "<p rel='a b c' inlist>" × $0 + "<a href=/x>x</a>"
        },
        PathologicalPage("RDFa: lists", 50_000) {
            "<div vocab=http://schema.org/ typeof=T>" + "<p property=a inlist>x</p>" × $0
        },
        PathologicalPage("RDFa: lists of many names", 300) { count in
            "<div vocab=http://schema.org/ typeof=T>" + "<p property='\(numbered(count) { "n\($0) " })' inlist>x</p>"
                × count
        },
        PathologicalPage("RDFa: empty lists", 50_000) {
            "<div vocab=http://schema.org/ about=#a rel='\(numbered($0) { "n\($0) " })' inlist></div>"
        },
        PathologicalPage("RDFa: prefixes of one element", 50_000) {
            "<div prefix='\(numbered($0) { "p\($0): http://example.com/\($0)# " })' typeof=p1:T>x</div>"
        },
        PathologicalPage("RDFa: prefixes × depth", 30_000) {
            numbered($0) { "<div prefix='p\($0): http://example.com/\($0)#' property=p\($0):a>" } + "x"
        },
        PathologicalPage("RDFa: names without prefix × depth", 100_000) {
            "<div typeof=schema:T>" + numbered(500) { "<div prefix='p\($0): http://example.com/\($0)#'>" }
                + "<p property='\(numbered($0) { "zz:n\($0) " })'>x</p>"
        },
        PathologicalPage("RDFa: names of the initial context × depth", 100_000) {
            numbered(500) { "<div typeof=schema:T prefix='p\($0): http://example.com/\($0)#'>" }
                + "<p property='\(numbered($0) { "og:n\($0) " })'>x</p>"
        },
        PathologicalPage("RDFa: vocabularies", 50_000) {
            numbered($0) { "<p vocab=http://example.com/v\($0)/ typeof=T>" }
        },
        PathologicalPage("RDFa: XML literals in each other", 50_000) {
            "<div vocab=http://schema.org/ typeof=T>" + "<p property=a datatype=rdf:XMLLiteral>x" × $0
        },
        PathologicalPage("RDFa: HTML literals with namespaces", 20_000) {
            "<div vocab=http://schema.org/ typeof=T \(numbered(900) { "xmlns:n\($0)=http://example.com/\($0) " })>"
                + "<p property=a datatype=rdf:XMLLiteral><b>x</b></p>" × $0
        },
        PathologicalPage("RDFa: copied patterns", 10_000) {
            "<div vocab=http://schema.org/><div resource=#p typeof=rdfa:Pattern>"
                + numbered($0) { "<b property=a\($0)>x</b>" }
                + "</div></div><div vocab=http://schema.org/>"
                + "<div typeof=T><a property=rdfa:copy href=#p></a></div>" × $0
        },
        PathologicalPage("RDFa: patterns that copy each other", 10_000) { count in
            "<div vocab=http://schema.org/>"
                + numbered(count) {
                    "<div resource=#p\($0) typeof=rdfa:Pattern><b property=a\($0)>x</b>"
                        + "<a property=rdfa:copy href=#p\(($0 + 1) % count)></a></div>"
                } + "<div typeof=T><a property=rdfa:copy href=#p0></a></div>"
        },
        PathologicalPage("RDFa: long vocabulary × names", 20_000) {
            "<div vocab=http://example.com/\("v" × 1_000)/ typeof=T>" + numbered($0) { "<b property=n\($0)>x</b>" }
        },
        PathologicalPage("RDFa: long resource × properties", 20_000) {
            "<div vocab=http://schema.org/ resource=/\("v" × 100_000) typeof=T>"
                + numbered($0) { "<b property=n\($0)>x</b>" }
        },
        PathologicalPage("RDFa: long content × names", 20_000) {
            "<div vocab=http://schema.org/ typeof=T><b content='\("v" × 100_000)' property='\(numbered($0) { "n\($0) " })'>x</b>"
        },
        PathologicalPage("RDFa: long rel × objects", 3_000) {
            "<div vocab=http://schema.org/ about=#a rel='http://example.com/\("v" × 100_000)'>"
                + numbered($0) { "<a href=/x\($0)>x</a>" }
        },
        PathologicalPage("RDFa: long language × texts", 20_000) {
            "<div lang=en-\("v" × 100_000) vocab=http://schema.org/ typeof=T>"
                + numbered($0) { "<b property=n>x\($0)</b>" }
        },
        PathologicalPage("RDFa: roles", 50_000) { numbered($0) { "<p id=i\($0) role='main banner'>x" } },
    ]

    private static func script(_ text: String) -> String { "<script type=application/ld+json>\(text)</script>" }

    static let jsonLD = [
        PathologicalPage("JSON-LD: 200 levels", 200) {
            script(
                "{\"@context\":\"https://schema.org\",\"@type\":\"Thing\"" + ",\"about\":{\"@type\":\"Thing\"" × $0
                    + "}" × $0 + "}")
        },
        PathologicalPage("JSON-LD: 100,000 levels", 50_000) { script("{\"a\":" × $0 + "1" + "}" × $0) },
        PathologicalPage("JSON-LD: 1,000,000 levels of arrays", 500_000) { script("[" × $0 + "]" × $0) },
        PathologicalPage("JSON-LD: items of one item", 50_000) {
            script(
                "{\"@context\":\"https://schema.org\",\"@type\":\"Thing\",\"about\":["
                    + "{\"@type\":\"Thing\",\"name\":\"x\"}," × $0 + "{}]}")
        },
        PathologicalPage("JSON-LD: nodes of a graph", 50_000) {
            script(
                "{\"@context\":\"https://schema.org\",\"@graph\":["
                    + numbered($0) { "{\"@id\":\"#\($0)\",\"@type\":\"Thing\",\"about\":{\"@id\":\"#\($0 + 1)\"}}," }
                    + "{}]}")
        },
        PathologicalPage("JSON-LD: nodes of one identifier", 30_000) {
            script(
                "{\"@context\":\"https://schema.org\",\"@graph\":["
                    + numbered($0) { "{\"@id\":\"#a\",\"@type\":\"Thing\",\"name\":\"x\($0)\"}," } + "{}]}")
        },
        PathologicalPage("JSON-LD: names of one item", 50_000) {
            script(
                "{\"@context\":\"https://schema.org\",\"@type\":\"Thing\"" + numbered($0) { ",\"n\($0)\":\"x\"" } + "}")
        },
        PathologicalPage("JSON-LD: one name again and again", 50_000) {
            script("{\"@context\":\"https://schema.org\",\"@type\":\"Thing\"" + ",\"name\":\"x\"" × $0 + "}")
        },
        PathologicalPage("JSON-LD: types", 50_000) {
            script("{\"@context\":\"https://schema.org\",\"@type\":[" + numbered($0) { "\"T\($0)\"," } + "\"Thing\"]}")
        },
        PathologicalPage("JSON-LD: contexts", 20_000) {
            script(
                "{\"@context\":[" + numbered($0) { "{\"n\($0)\":\"http://example.com/\($0)\"}," }
                    + "\"https://schema.org\"],\"@type\":\"Thing\"}")
        },
        PathologicalPage("JSON-LD: scoped contexts × items", 10_000) {
            script(
                "{\"@context\":\"https://schema.org\",\"@graph\":["
                    + numbered($0) {
                        "{\"@context\":{\"n\($0)\":\"http://example.com/\($0)\"},\"@type\":\"Thing\",\"n\($0)\":1},"
                    }
                    + "{}]}")
        },
        PathologicalPage("JSON-LD: large context × items with contexts", 2_000) {
            script(
                "{\"@context\":[\"https://schema.org\",{" + numbered($0) { "\"n\($0)\":\"http://example.com/\($0)\"," }
                    + "\"x\":\"http://example.com/x\"}],\"@graph\":["
                    + numbered($0) {
                        "{\"@context\":{\"m\($0)\":\"http://example.com/\($0)\"},\"@type\":\"Thing\",\"n\($0)\":1},"
                    }
                    + "{}]}")
        },
        PathologicalPage("JSON-LD: chain of prefixes", 20_000) {
            script(
                "{\"@context\":{" + numbered($0) { "\"p\($0)\":\"p\($0 + 1):a\"," }
                    + "\"x\":\"http://example.com/\"},\"p0\":1}")
        },
        PathologicalPage("JSON-LD: long @base × identifiers", 10_000) {
            script(
                "{\"@context\":[\"https://schema.org\",{\"@base\":\"http://example.com/\("b" × 100_000)/\"}],\"@graph\":["
                    + numbered($0) { "{\"@id\":\"a\($0)\",\"@type\":\"Thing\"}," } + "{}]}")
        },
        PathologicalPage("JSON-LD: long @vocab × names", 10_000) {
            script(
                "{\"@context\":{\"@vocab\":\"http://example.com/\("b" × 100_000)/\"},\"@type\":\"Thing\""
                    + numbered($0) { ",\"n\($0)\":\"x\"" } + "}")
        },
        PathologicalPage("JSON-LD: scripts", 50_000) { script("{\"@type\":\"Thing\",\"name\":\"x\"}") × $0 },
        PathologicalPage("JSON-LD: empty scripts", 100_000) { script("") × $0 },
        PathologicalPage("JSON-LD: broken scripts", 50_000) { script("{'@type':'Thing',}") × $0 },
        PathologicalPage("JSON-LD: one string", 4_000_000) {
            script("{\"@type\":\"Thing\",\"name\":\"" + "x" × $0 + "\"}")
        },
        PathologicalPage("JSON-LD: escapes", 500_000) {
            script("{\"@type\":\"Thing\",\"name\":\"" + "\\u00e9" × $0 + "\"}")
        },
        PathologicalPage("JSON-LD: commas", 500_000) { script("{\"@type\":\"Thing\"" + "," × $0 + "}") },
        PathologicalPage("JSON-LD: comments", 200_000) { script("/* x */\n// y\n" × $0 + "{\"@type\":\"Thing\"}") },
        PathologicalPage("JSON-LD: comments begun", 200_000) { script("{" + "/* " × $0) },
        PathologicalPage("JSON-LD: objects one after another", 50_000) { script("{\"@type\":\"Thing\"}" × $0) },
        PathologicalPage("JSON-LD: truncated", 50_000) { script("[" + "{\"@type\":\"Thing\",\"name\":\"x\"}," × $0) },
        PathologicalPage("JSON-LD: quotes inside strings", 100_000) {
            script("{\"name\":\"" + "a \"b\" c " × $0 + "\"}")
        },
        PathologicalPage("JSON-LD: single quotes", 100_000) { script("{" + "'a':'b'," × $0 + "}") },
        PathologicalPage("JSON-LD: escaped markup", 100_000) {
            script("{" + "&quot;a&quot;:&quot;b&quot;," × $0 + "}")
        },
        PathologicalPage("JSON-LD: JSON in JSON", 100_000) { script("\"{" + "\\\"a\\\":\\\"b\\\"," × $0 + "}\"") },
        PathologicalPage("JSON-LD: number of many digits", 2_000_000) { script("{\"a\":" + "1" × $0 + "}") },
        PathologicalPage("JSON-LD: exponents", 200_000) { script("{\"a\":[" + "1e999999," × $0 + "1]}") },
        PathologicalPage("JSON-LD: offers of a product", 20_000) {
            script(
                "{\"@context\":\"https://schema.org\",\"@type\":\"Product\",\"name\":\"x\",\"offers\":["
                    + numbered($0) { "{\"@type\":\"Offer\",\"price\":\"\($0).99\",\"priceCurrency\":\"EUR\"}," }
                    + "{}]}")
        },
        PathologicalPage("JSON-LD: recipes of a page", 5_000) {
            numbered($0) {
                script(
                    "{\"@context\":\"https://schema.org\",\"@type\":\"Recipe\",\"name\":\"r\($0)\",\"recipeIngredient\":[\"a\",\"b\"]}"
                )
            }
        },
    ]
}

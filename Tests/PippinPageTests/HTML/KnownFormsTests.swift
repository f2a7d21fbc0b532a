import Testing

@testable import PippinPage

/// Pages share what libxml2 said of their tags. None may notice another.
@Suite struct KnownFormsTests {
    /// Element names with the names and values of their attributes.
    private func markup(_ page: String) -> [String] {
        let document = HTMLDocument(utf8: Array(page.utf8))
        return document.elements.indices.map { element in
            let attributes = document.attributes(of: element).map { "\($0.name)=\($0.value)" }
            let name = document.spelling(ofName: document.elements[element].nameNumber)
            return ([name] + attributes).joined(separator: " ")
        }
    }

    @Test func `a form that an earlier page had is read like a new one`() {
        let page = """
            <P CLASS=a class=b data-known-7="x&amp;y" @click=z><known-form-element One=1 two one=3>t</known-form-element>
            """
        let read = [
            "html", "head", "body", "p class=a data-known-7=x&y", "known-form-element one=1 two=",
        ]
        for _ in 0..<3 { #expect(markup(page) == read) }
    }

    @Test func `own names have numbers of the page they are in`() {
        #expect(markup("<b-first a-1=x><b-second a-2=y>").suffix(2) == ["b-first a-1=x", "b-second a-2=y"])
        #expect(markup("<b-second a-2=x><b-first a-1=y>").suffix(2) == ["b-second a-2=x", "b-first a-1=y"])
    }

    /// More forms than are kept, so that all known ones are thrown out again and again.
    @Test func `a page of many forms changes no other page`() {
        let plain = "<div id=1 class=2><a href=/x title=y>z</a></div>"
        let before = markup(plain)
        for start in stride(from: 0, to: 60_000, by: 15_000) {
            var crowd = ""
            for i in start..<start + 15_000 { crowd += "<i n\(i)=\(i)></i>" }
            let read = markup(crowd)
            #expect(read.count == 15_003)
            #expect(read.last == "i n\(start + 14_999)=\(start + 14_999)")
            #expect(markup(plain) == before)
        }
    }

    @Test func `a form of too many or too long names is read each time`() {
        let many = (0..<100).map { "many-\($0)=\($0)" }
        let long = String(repeating: "n", count: 80)
        let page = "<u \(many.joined(separator: " "))><s \(long)1=1 \(long)2=2 \(long)3=3>"
        for _ in 0..<2 {
            #expect(
                markup(page).suffix(2) == ["u " + many.joined(separator: " "), "s \(long)1=1 \(long)2=2 \(long)3=3"])
        }
    }
}

import Testing

@testable import PippinPage

/// The names in a page's tags.
@Suite struct TagFormsTests {
    /// Element names with the names and values of their attributes.
    private func markup(_ page: String) -> [String] {
        let document = HTMLDocument(utf8: Array(page.utf8))
        return document.elements.indices.map { element in
            let attributes = document.attributes(of: element).map { "\($0.name)=\($0.value)" }
            let name = document.spelling(ofName: document.elements[element].nameNumber)
            return ([name] + attributes).joined(separator: " ")
        }
    }

    @Test func `names are in lower case, and of repeated attributes the first counts`() {
        let page = """
            <P CLASS=a class=b data-known-7="x&amp;y"><known-form-element One=1 two one=3>t</known-form-element>
            """
        let read = [
            "html", "head", "body", "p class=a data-known-7=x&y", "known-form-element one=1 two=",
        ]
        #expect(markup(page) == read)
    }

    @Test func `own names have numbers of the page they are in`() {
        #expect(markup("<b-first a-1=x><b-second a-2=y>").suffix(2) == ["b-first a-1=x", "b-second a-2=y"])
        #expect(markup("<b-second a-2=x><b-first a-1=y>").suffix(2) == ["b-second a-2=x", "b-first a-1=y"])
    }

    @Test func `a page may have many forms of tags`() {
        var crowd = ""
        for i in 0..<15_000 { crowd += "<i n\(i)=\(i)></i>" }
        let read = markup(crowd)
        #expect(read.count == 15_003)
        #expect(read.last == "i n14999=14999")
    }

    @Test func `a form may have many or long names`() {
        let many = (0..<100).map { "many-\($0)=\($0)" }
        let long = String(repeating: "n", count: 80)
        let page = "<u \(many.joined(separator: " "))><s \(long)1=1 \(long)2=2 \(long)3=3>"
        #expect(markup(page).suffix(2) == ["u " + many.joined(separator: " "), "s \(long)1=1 \(long)2=2 \(long)3=3"])
    }
}

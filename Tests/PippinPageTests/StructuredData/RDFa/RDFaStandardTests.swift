import Testing

@testable import PippinPage

/// RDFa Core 1.1 and HTML+RDFa 1.1, rule by rule.
@Suite struct RDFaStandardTests {
    /// The statements of a page at http://example.com/dir/page, names shortened: `<>` the page, `t:` this vocabulary.
    private func statements(_ html: String) throws -> Set<String> {
        let url = try #require(WebURL("http://example.com/dir/page"))
        let document = HTMLDocument(utf8: Array(html.utf8))
        let text = String(decoding: RDFa(document, baseURL: document.baseURL(pageURL: url)).nquads, as: UTF8.self)
        return Set(
            text.split(separator: "\n").map { line in
                var line = String(line.dropLast(2))
                for (long, short) in [
                    ("http://example.com/dir/page", ""), ("http://example.com/dir/", ""), ("http://t.example/", "t:"),
                    ("http://www.w3.org/1999/02/22-rdf-syntax-ns#", "rdf:"),
                    ("http://www.w3.org/2001/XMLSchema#", "xsd:"),
                ] {
                    line = line.replacing("<" + long, with: "<" + short)
                }
                return line
            }
        ).filter { !$0.contains("usesVocabulary") }
    }

    private let vocab = "<!doctype html><body vocab='http://t.example/'>"

    // MARK: Subjects and objects (§7.5, steps 5 and 6)

    @Test func `the root, head and body speak of the page`() throws {
        #expect(
            try statements(
                "<html vocab='http://t.example/' property=a content=1><head property=b content=2><body property=c content=3>"
            )
                == ["<> <t:a> \"1\"", "<> <t:b> \"2\"", "<> <t:c> \"3\""])
        #expect(try statements("<html><body vocab='http://t.example/' typeof=T>") == ["<> <rdf:type> <t:T>"])
        #expect(try statements("<html vocab='http://t.example/' typeof=T>") == ["<> <rdf:type> <t:T>"])
    }

    @Test func `an address is the object of a property alone, and the subject beside content or datatype`() throws {
        #expect(try statements(vocab + "<a property=p href=x>t</a>") == ["<> <t:p> <x>"])
        #expect(try statements(vocab + "<a property=p href=x content=c>t</a>") == ["<x> <t:p> \"c\""])
        #expect(try statements(vocab + "<a property=p href=x datatype=''>t</a>") == ["<x> <t:p> \"t\""])
        #expect(try statements(vocab + "<a property=p about=y href=x>t</a>") == ["<y> <t:p> <x>"])
        #expect(try statements(vocab + "<img property=p resource=r src=x>") == ["<> <t:p> <r>"])
    }

    @Test func `typeof makes what it stands on a resource, named or not`() throws {
        #expect(
            try statements(vocab + "<p property=p typeof=T><b property=q>x</b></p>")
                == ["_:b0 <rdf:type> <t:T>", "<> <t:p> _:b0", "_:b0 <t:q> \"x\""])
        #expect(
            try statements(vocab + "<p about=s rel=p typeof=T resource=o></p>")
                == ["<s> <rdf:type> <t:T>", "<s> <t:p> <o>"])
        #expect(
            try statements(vocab + "<p rel=p typeof=T resource=o></p>") == ["<o> <rdf:type> <t:T>", "<> <t:p> <o>"])
        #expect(try statements(vocab + "<p typeof><b property=q>x</b></p>") == ["_:b0 <t:q> \"x\""])
    }

    @Test func `in RDFa 1.0 a property around markup is an XML literal, in records still a text`() throws {
        let type =
            "<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML+RDFa 1.0//EN\" \"http://www.w3.org/MarkUp/DTD/xhtml-rdfa-1.dtd\">"
        let body =
            "<body about=s><p property=schema:a>x <b>y</b></p><p property=schema:b>z</p>"
            + "<p property=schema:c datatype=''>x <b>y</b></p><p property=schema:d content=w>x <b>y</b></p>"
        let literals: Set = [
            "<s> <http://schema.org/a> \"x <b>y</b>\"^^<rdf:XMLLiteral>", "<s> <http://schema.org/b> \"z\"",
            "<s> <http://schema.org/c> \"x y\"", "<s> <http://schema.org/d> \"w\"",
        ]
        #expect(try statements(type + body) == literals)
        #expect(try statements("<html version='XHTML+RDFa 1.0'>" + body) == literals)
        #expect(try statements("<!-- a --><?xml version='1.0'?>" + type.lowercased() + body) == literals)
        let text = "<s> <http://schema.org/a> \"x y\""
        #expect(try statements("<!DOCTYPE html>" + body).contains(text))
        #expect(try statements("<html version='XHTML+RDFa 1.1'>" + body).contains(text))
        #expect(try statements("<!DOCTYPE html><p>" + type + body).contains(text))
        let url = try #require(WebURL("http://example.com/dir/page"))
        let document = HTMLDocument(utf8: Array((type + body).utf8))
        let items = RDFa(document, baseURL: document.baseURL(pageURL: url)).structuredData.items
        let texts = items.flatMap(\.properties).map { property in
            if case .text(let text, _) = property.value { text } else { "" }
        }
        #expect(texts.contains("x y"))
    }

    // MARK: Incomplete triples and lists (steps 9 to 14)

    @Test func `relations wait for the next resource, past elements that say nothing`() throws {
        #expect(
            try statements(vocab + "<p rel=p rev=q><i lang=en><b><a about=x></a><a href=y></a></b></i></p>")
                == ["<> <t:p> <x>", "<x> <t:q> <>", "<> <t:p> <y>", "<y> <t:q> <>"])
        #expect(
            try statements(vocab + "<p about=s rel=p><i property=q>x</i></p>") == [
                "<s> <t:p> _:b0", "_:b0 <t:q> \"x\"",
            ])
        #expect(try statements(vocab + "<p rel=p></p>").isEmpty)
    }

    @Test func `lists gather values of properties and relations in order, and may be empty`() throws {
        #expect(
            try statements(vocab + "<p about=s><i property=p inlist>a</i><i rel=p inlist resource=o></i></p>")
                == [
                    "_:b1 <rdf:first> \"a\"", "_:b1 <rdf:rest> _:b0", "_:b0 <rdf:first> <o>",
                    "_:b0 <rdf:rest> <rdf:nil>",
                    "<s> <t:p> _:b1",
                ])
        #expect(try statements(vocab + "<p about=s><i rel=p inlist></i></p>") == ["<s> <t:p> <rdf:nil>"])
        #expect(
            try statements(vocab + "<p about=s><i rel=p inlist><a href=x></a></i></p>")
                == ["_:b1 <rdf:first> <x>", "_:b1 <rdf:rest> <rdf:nil>", "<s> <t:p> _:b1"])
    }

    // MARK: Names

    @Test func `names are terms, compact or absolute, and others are ignored`() throws {
        #expect(
            try statements(
                "<p prefix='x: http://t.example/'><b property='X:a undeclared license http://t.example/c 1bad'>v</b></p>"
            )
                == [
                    "<> <t:a> \"v\"", "<> <http://www.w3.org/1999/xhtml/vocab#license> \"v\"", "<> <t:c> \"v\"",
                ])
        #expect(try statements(vocab + "<p vocab=''><b property=a>v</b></p>").isEmpty)
        #expect(
            try statements(
                "<p xmlns:x='http://no.example/' prefix='x: http://t.example/ _: http://no.example/' property=x:a>v</p>"
            ) == ["<> <t:a> \"v\""])
        #expect(try statements(vocab + "<p property=':a'>v</p>") == ["<> <http://www.w3.org/1999/xhtml/vocab#a> \"v\""])
    }

    @Test func `resources may be safe CURIEs, and an empty one counts as absent`() throws {
        #expect(try statements(vocab + "<p about='[]' property=a>v</p>") == ["<> <t:a> \"v\""])
        #expect(try statements(vocab + "<p about='[og:x]' property=a>v</p>") == ["<http://ogp.me/ns#x> <t:a> \"v\""])
        #expect(try statements(vocab + "<p about='[no:x]' resource=r property=a content=v></p>") == ["<r> <t:a> \"v\""])
        #expect(
            try statements(vocab + "<p about='_:x' property=a>v</p><p about='[_:x]' property=b>w</p>")
                == ["_:b0 <t:a> \"v\"", "_:b0 <t:b> \"w\""])
        #expect(
            try statements("<base href='/other/'>" + vocab + "<p about=x property=a>v</p>") == [
                "<http://example.com/other/x> <t:a> \"v\""
            ])
    }

    @Test func `link types are no relations beside a property`() throws {
        #expect(try statements(vocab + "<a property=p rel='nofollow' href=x>t</a>") == ["<> <t:p> <x>"])
        #expect(
            try statements(vocab + "<a property=p rel='nofollow t:q' prefix='t: http://t.example/' href=x>t</a>") == [
                "<> <t:q> <x>", "<> <t:p> \"t\"",
            ])
    }

    // MARK: Literals (step 11)

    @Test func `a language holds inside, xml:lang before lang, an empty one ends it, a datatype has none`() throws {
        #expect(
            try statements(
                vocab
                    + "<p lang=en><b property=a>v</b><b property=b xml:lang=de lang=fr>v</b><b property=c lang=''>v</b>"
                    + "<b property=d datatype=xsd:string>v</b></p>")
                == ["<> <t:a> \"v\"@en", "<> <t:b> \"v\"@de", "<> <t:c> \"v\"", "<> <t:d> \"v\""])
    }

    @Test(
        arguments: [
            ("2026-11-20", "date"), ("20:00:00", "time"), ("2026-11-20T20:00:00.5+01:00", "dateTime"),
            ("2026-11", "gYearMonth"),
            ("2026", "gYear"), ("P1DT2H", "duration"), ("-P1Y", "duration"), ("P", nil), ("2026-13", nil),
            ("soon", nil), ("20:00", nil),
        ] as [(String, String?)])
    func `a time has its type by its form`(text: String, type: String?) throws {
        let literal = "\"\(text)\"" + (type.map { "^^<xsd:\($0)>" } ?? "")
        #expect(try statements(vocab + "<time property=a>\(text)</time>") == ["<> <t:a> \(literal)"])
        #expect(try statements(vocab + "<p property=a datetime='\(text)'>x</p>") == ["<> <t:a> \(literal)"])
        #expect(try statements(vocab + "<time property=a datetime='\(text)' content=c>x</time>") == ["<> <t:a> \"c\""])
        #expect(
            try statements(vocab + "<time property=a datetime='\(text)' datatype=''>x</time>") == [
                "<> <t:a> \"\(text)\""
            ])
    }

    @Test func `a pattern's properties are those of whoever copies it, also through another pattern`() throws {
        let patterns =
            "<p resource=#one typeof=rdfa:Pattern><b property=a>1</b><a property=rdfa:copy href=#two></a></p>"
            + "<p resource=#two typeof=rdfa:Pattern><b property=b>2</b></p>"
            + "<p resource=#none typeof=rdfa:Pattern><b property=c>3</b></p>"
        #expect(
            try statements(vocab + "<p about=s><a property=rdfa:copy href=#one></a></p>" + patterns)
                == [
                    "<s> <t:a> \"1\"", "<s> <t:b> \"2\"", "<#none> <rdf:type> <http://www.w3.org/ns/rdfa#Pattern>",
                    "<#none> <t:c> \"3\"",
                ])
    }
}

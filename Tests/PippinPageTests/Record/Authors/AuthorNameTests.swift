import Foundation
import Testing

@testable import PippinPage

/// The same names by each way that a page can give them, and beside all words that are labels, conjunctions or roles elsewhere.
@Suite struct AuthorNameTests {
    /// How a page gives a text of its authors.
    enum Carrier: CaseIterable {
        case personOfJSONLD, organizationOfJSONLD, itemWithoutType, personOfMicrodata, personOfRDFa
        case textOfJSONLD, textOfMicrodata, metaAuthor, articleAuthor, dublinCore, citation
        case byline, bylineWithLabel

        /// An item's `name`.
        static let names: [Carrier] = [
            .personOfJSONLD, .organizationOfJSONLD, .itemWithoutType, .personOfMicrodata, .personOfRDFa,
        ]
        /// Texts of markup, which may list several.
        static let texts: [Carrier] = [.textOfJSONLD, .textOfMicrodata, .metaAuthor, .articleAuthor, .dublinCore]
        static let bylines: [Carrier] = [.byline, .bylineWithLabel]

        func page(_ text: String) -> String {
            let quoted = "\"" + text.replacing("\"", with: "\\\"") + "\""
            let head: String
            switch self {
            case .personOfJSONLD: head = Self.script(#"{"@type":"Person","name":\#(quoted)}"#)
            case .organizationOfJSONLD: head = Self.script(#"{"@type":"Organization","name":\#(quoted)}"#)
            case .itemWithoutType: head = Self.script(#"{"name":\#(quoted)}"#)
            case .textOfJSONLD: head = Self.script(quoted)
            case .personOfMicrodata:
                head =
                    "<div itemscope itemtype=https://schema.org/Article><b itemprop=author itemscope itemtype=https://schema.org/Person><i itemprop=name>\(text)</i></b></div>"
            case .personOfRDFa:
                head =
                    "<div vocab=https://schema.org/ typeof=Article><b property=author typeof=Person><i property=name>\(text)</i></b></div>"
            case .textOfMicrodata:
                head = "<div itemscope itemtype=https://schema.org/Article><b itemprop=author>\(text)</b></div>"
            case .metaAuthor: head = "<meta name=author content=\"\(text)\">"
            case .articleAuthor: head = "<meta property=article:author content=\"\(text)\">"
            case .dublinCore: head = "<meta name=dc.creator content=\"\(text)\">"
            case .citation: head = "<meta name=citation_author content=\"\(text)\">"
            case .byline, .bylineWithLabel: head = ""
            }
            let byline =
                switch self {
                case .byline: "<p class=author>\(text)</p>"
                case .bylineWithLabel: "<p class=byline>By \(text)</p>"
                default: ""
                }
            let prose = "<p>" + String(repeating: "Bees fly far, and nobody asked them to. ", count: 20) + "</p>"
            return "<title>Bees return to Ulm</title>\(head)<h1>Bees return to Ulm</h1>\(byline)\(prose)"
        }

        private static func script(_ author: String) -> String {
            #"<script type="application/ld+json">{"@context":"https://schema.org","@type":"Article","headline":"Bees return to Ulm","author":\#(author)}</script>"#
        }
    }

    private func names(_ carrier: Carrier, _ text: String) throws -> [String] {
        try RecordBuilderTests.record(carrier.page(text)).authors.map(\.name)
    }

    /// Names with words that are something else in another language or place.
    private static let people = [
        // Labels.
        "Di Wu", "Von Miller", "Par Kumaraswami", "Por Yee", "Av Ronen", "Af Hornsund", "Door Jansen", "Yazan Odeh",
        // Conjunctions.
        "John E Smith", "Maria e Silva", "José Volta e Pinto", "Santiago Ramón y Cajal", "Josep Puig i Cadafalch",
        "Metin And", "Nguyễn Văn En",
        // Degrees and roles.
        "David Autor", "Ma Jun", "Do Van Hai", "Md Rahman", "Ba Jin", "Ruth Head", "Judy Guest", "Nassau Senior",
        "Marc Chief",
        // Legal forms and organizations.
        "Ev Williams", "Ag Apolloni", "Sa Rang", "Ab Osterhaus", "Jordi Company", "Adolfo Portal",
        // Months, days and marks.
        "May Britt", "Sun Li", "Will.i.am Adams", "Gal·la Placídia", "Ann Lee Jr.", "Dr. Ann Lee", "R. R. Olsson",
        "Walter von der Aue", "Ngũgĩ wa Thiong’o",
        // Other scripts.
        "Иван Петров", "Μαρία Παπαδοπούλου", "山田太郎", "列夫·托尔斯泰", "김철수", "محمد بن سلمان", "ישראל ישראלי", "सुनीता देवी",
        "สมชาย ใจดี",
    ]

    @Test(arguments: Carrier.allCases, people) func `a name is a name, whoever gives it`(carrier: Carrier, name: String)
        throws
    {
        #expect(try names(carrier, name) == [name])
    }

    @Test(
        arguments: Carrier.names,
        [
            "Lekker en Simpel", "Simon & Schuster", "By Night", "Posted by Nobody", "von Neumann, John",
            "Springer Medizin, Ulm",
            "Ann Lee, MPH in Nutrition", "Ann Lee and Bo Yi", "Ann Lee | Bees & More", "Ann (Annie) Lee", "50 Cent",
            "?uestlove", "will.i.am", "May", "Sun", "'Abd al-Hakim", "Sam @ Bees and Honey", "det/dpa",
        ])
    func `what an item is called is kept as it is`(carrier: Carrier, name: String) throws {
        #expect(try names(carrier, name) == [name])
    }

    @Test(arguments: Carrier.names + Carrier.texts) func `white space, tags and references are cleaned`(
        carrier: Carrier
    ) throws {
        #expect(try names(carrier, "  Zo&amp;#xE9; \u{200B}  Lee ") == ["Zoé Lee"])
        #expect(try names(carrier, "&lt;a href='/ann'&gt;Ann Lee&lt;/a&gt;") == ["Ann Lee"])
    }

    @Test(
        arguments: Carrier.allCases,
        [
            "admin", "Administrator", "Editor", "null", "n/a", "https://example.org/ann", "ann@example.org", "@annlee",
            "www.example.org", "example.org", "{{author}}", "–",
        ])
    func `nobody is named by accounts, addresses and templates`(carrier: Carrier, text: String) throws {
        #expect(try names(carrier, text).isEmpty)
    }

    @Test(arguments: [Carrier.personOfJSONLD, .personOfMicrodata, .personOfRDFa])
    func `a label that no name begins with is no part of one`(carrier: Carrier) throws {
        #expect(try names(carrier, "By Ann Lee") == ["Ann Lee"])
        #expect(try names(carrier, "Written by Ann Lee") == ["Ann Lee"])
        #expect(try names(carrier, "Autor: Ann Lee") == ["Ann Lee"])
    }

    // MARK: Lists

    @Test(arguments: Carrier.texts + Carrier.bylines, people)
    func `a list has each of its names`(carrier: Carrier, name: String) throws {
        for separator in [", ", "; ", " and ", " & ", " und ", " et ", " / "] {
            #expect(try names(carrier, name + separator + "Bo Yi") == [name, "Bo Yi"], "\(separator)")
            #expect(try names(carrier, "Bo Yi" + separator + name) == ["Bo Yi", name], "\(separator)")
        }
        #expect(try names(carrier, "Bo Yi, \(name), and Cy Orr") == ["Bo Yi", name, "Cy Orr"])
    }

    @Test(
        arguments: Carrier.texts + Carrier.bylines,
        [
            ("Ana Rei e José Volta", ["Ana Rei", "José Volta"]), ("Ana Rei y José Volta", ["Ana Rei", "José Volta"]),
            ("Joan Puig i Cadafalch i Ana Rei", ["Joan Puig i Cadafalch", "Ana Rei"]),
            ("Tom, Dick and Harry", ["Tom", "Dick", "Harry"]), ("Bo Yi and Cher", ["Bo Yi", "Cher"]),
            ("Ann Lee and Ursula von der Aue", ["Ann Lee", "Ursula von der Aue"]), ("王小明、李大文", ["王小明", "李大文"]),
            ("Ann Lee, Jr.", ["Ann Lee Jr."]), ("By Ann Lee", ["Ann Lee"]), ("Autor: Ann Lee", ["Ann Lee"]),
            ("Ann Lee <ann@example.org>", ["Ann Lee"]), ("Ann Lee | Senior Editor", ["Ann Lee"]),
        ])
    func `a text of names is read as its writer meant it`(carrier: Carrier, list: (text: String, names: [String]))
        throws
    {
        #expect(try names(carrier, list.text.replacing("<", with: "&lt;")) == list.names)
    }

    @Test(
        arguments: Carrier.texts + [.citation],
        [
            ("Smith, John", "John Smith"), ("Smith, John E", "John E Smith"), ("Smith, J. E.", "J. E. Smith"),
            ("Ma, Jun", "Jun Ma"),
            ("Do, Van Hai", "Van Hai Do"), ("Lee, Do", "Do Lee"), ("Autor, David", "David Autor"),
            ("Guest, Judy", "Judy Guest"),
            ("Williams, Ev", "Ev Williams"), ("Di, Wu", "Wu Di"), ("von Neumann, John", "John von Neumann"),
            ("von der Aue, Ursula Maria", "Ursula Maria von der Aue"),
            ("Ortega y Gasset, José", "José Ortega y Gasset"),
            ("Beethoven, Ludwig van", "Ludwig van Beethoven"), ("King, Martin Luther, Jr.", "Martin Luther King Jr."),
            ("Петров, Иван", "Иван Петров"),
        ])
    func `a family's name before a comma goes last`(carrier: Carrier, name: (written: String, read: String)) throws {
        #expect(try names(carrier, name.written) == [name.read])
        if carrier != .citation {
            #expect(try names(carrier, "\(name.written); Doe, Jane") == [name.read, "Jane Doe"])
        }
    }

    @Test func `what stands behind a host names nobody`() throws {
        #expect(try names(.metaAuthor, "bees.example.com, Ulm, Germany").isEmpty)
        #expect(try names(.metaAuthor, "example.org, Ulm, Germany").isEmpty)
    }

    @Test func `libraries write two families' names before the comma`() throws {
        #expect(try names(.dublinCore, "García Márquez, Gabriel") == ["Gabriel García Márquez"])
        #expect(try names(.citation, "García Márquez, Gabriel") == ["Gabriel García Márquez"])
        for carrier in [Carrier.dublinCore, .citation] {
            #expect(try names(carrier, "García Márquez, G. J.") == ["G. J. García Márquez"])
            #expect(try names(carrier, "García Márquez, Gabriel J.") == ["Gabriel J. García Márquez"])
        }
        // One name an element, so that two words on both sides say nothing of their order.
        #expect(try names(.citation, "García Márquez, Gabriel José") == ["García Márquez, Gabriel José"])
        #expect(try names(.citation, "Ann Lee, Bo Yi") == ["Ann Lee, Bo Yi"])
        #expect(try names(.dublinCore, "Ann Lee, Bo Yi") == ["Ann Lee", "Bo Yi"])
        #expect(try names(.citation, "Ann Lee, University of Ulm") == ["Ann Lee", "University of Ulm"])
        #expect(try names(.citation, "山田, 太郎") == ["山田 太郎"])
    }

    @Test(
        arguments: Carrier.texts + Carrier.bylines,
        [
            "PhD", "MD", "M.D., Ph.D.", "MBA, MPH", "Staff Writer", "Senior Editor", "Chief Economist",
            "Head of Product", "CEO",
            "Professor of Law", "freier Autor", "Science Correspondent", "Redakteurin", "Editor and Founder",
        ])
    func `a degree or a role behind a comma is nobody`(carrier: Carrier, role: String) throws {
        for name in ["Ann Lee", "Di Wu", "David Autor", "山田太郎"] {
            #expect(try names(carrier, "\(name), \(role)") == [name])
            #expect(try names(carrier, "\(name), Bo Yi, \(role)") == [name, "Bo Yi"])
        }
    }

    @Test(arguments: [
        "Olympia-Verlag GmbH", "Ulm AG", "Acme, Inc.", "Bund der Bienen e.V.", "Ulm University", "Bees & Co.",
        "Bee Group",
    ])
    func `a company in meta elements wrote no page`(company: String) throws {
        #expect(try names(.metaAuthor, company).isEmpty)
        #expect(try names(.textOfJSONLD, company) != [])
    }

    // MARK: In doubt

    /// Ways that a text stands by itself, as one name or a list.
    private static let listCarriers = Carrier.texts + [.citation]

    @Test(
        arguments: listCarriers + Carrier.bylines,
        [
            "Johnson & Johnson", "Smith and Wesson", "Müller und Söhne", "Lundgren og Sønner", "Dolce e Gabbana",
            "Tom And Jerry",
        ])
    func `two words with a conjunction are one name`(carrier: Carrier, name: String) throws {
        #expect(try names(carrier, name) == [name])
    }

    @Test(
        arguments: Carrier.bylines + [.textOfJSONLD, .textOfMicrodata],
        [
            "Smith and Sons Ltd", "Smith, Jones and Sons Ltd.", "Ann Smith & Sons, Inc.", "Smith, Jones & Co",
            "Bienen und Honig GmbH", "Lee and Yi Corp.",
        ])
    func `a text that ends in a legal form is one name`(carrier: Carrier, name: String) throws {
        #expect(try names(carrier, name) == [name])
    }

    @Test(arguments: Carrier.texts + Carrier.bylines)
    func `a company behind a whole name is the second of a list`(carrier: Carrier) throws {
        #expect(try names(carrier, "Ann Lee, Smith and Sons Ltd") == ["Ann Lee", "Smith and Sons Ltd"])
    }

    @Test(
        arguments: listCarriers,
        [
            "e e cummings", "y bell hooks", "i Ann Lee", "e José Volta", "Ana e José Volta", "Ana Rei y José",
            "Иван и Мария",
        ])
    func `a conjunction of one letter is only between names of two words`(carrier: Carrier, name: String) throws {
        #expect(try names(carrier, name) == [name])
        if carrier != .citation, carrier != .dublinCore {
            #expect(try names(carrier, "Ana Rei, e José Volta") == ["Ana Rei", "José Volta"])
            #expect(try names(carrier, "Bo Yi, e e cummings") == ["Bo Yi", "e e cummings"])
        }
    }

    @Test(arguments: listCarriers)
    func `a label without a colon is cut off only before two words`(carrier: Carrier) throws {
        for name in ["By Night", "Posted by Nobody", "Photo by Night"] { #expect(try names(carrier, name) == [name]) }
        for text in [
            "By Ann Lee", "Written by Ann Lee", "Author: Ann Lee", "Text: Ann Lee", "Автор: Ann Lee",
            "Écrit par Ann Lee",
        ] {
            #expect(try names(carrier, text) == ["Ann Lee"])
        }
        #expect(try names(carrier, "By 山田太郎") == ["山田太郎"])
        #expect(try names(carrier, "By: Cher") == ["Cher"])
        #expect(try names(carrier, "By admin").isEmpty)
    }

    @Test(
        arguments: listCarriers + Carrier.bylines,
        [
            "Foto", "Fotos", "Photo", "Photos", "Illustration", "Illustrationen", "Bild", "Photographer", "Zdjęcia",
            "Фото",
            "Foto und Illustration", "Fotos/Grafik", "写真",
        ])
    func `who made the pictures did not write the text`(carrier: Carrier, label: String) throws {
        for colon in [":", " :"] { #expect(try names(carrier, "\(label)\(colon) Ann Lee").isEmpty) }
        #expect(try names(carrier, "\(label): Lee, Ann").isEmpty)
        for separator in [", ", "; ", " / ", " und ", " | "] {
            #expect(try names(carrier, "Ann Lee\(separator)\(label): Bo Yi") == ["Ann Lee"], "\(separator)")
            #expect(
                try names(carrier, "Text: Ann Lee\(separator)\(label): Bo Yi, Cy Orr") == ["Ann Lee"], "\(separator)")
            #expect(try names(carrier, "\(label): Bo Yi\(separator)Text: Ann Lee") == ["Ann Lee"], "\(separator)")
        }
        #expect(try names(carrier, "Text und \(label): Ann Lee") == ["Ann Lee"])
        #expect(try names(carrier, "\(label) & Text: Ann Lee") == ["Ann Lee"])
        #expect(try names(carrier, "Photos by Ann Lee").isEmpty)
    }

    @Test(arguments: listCarriers + Carrier.bylines)
    func `degrees go first, and then a family's name before the only comma is put last`(carrier: Carrier) throws {
        for degrees in ["PhD", "MD", "MD, PhD", "M.D., Ph.D."] {
            #expect(try names(carrier, "Lee, Ann, \(degrees)") == ["Ann Lee"])
        }
        #expect(try names(carrier, "Smith, John and Jane Doe") == ["John Smith", "Jane Doe"])
        #expect(try names(carrier, "Jane Doe and Smith, John") == ["Jane Doe", "John Smith"])
        #expect(try names(carrier, "Smith, John and Doe, Jane") == ["John Smith", "Jane Doe"])
        #expect(try names(carrier, "Smith, J. E. & Jane Doe") == ["J. E. Smith", "Jane Doe"])
        #expect(try names(carrier, "Cher, Ann Lee and Bo Yi") == ["Cher", "Ann Lee", "Bo Yi"])
    }

    // MARK: Visible text

    @Test(
        arguments: ["von", "par", "di", "por", "door", "af", "av"],
        [
            ("Ann Lee", "Ann Lee"), ("Ursula von der Aue", "Ursula von der Aue"), ("Ann Lee, PhD", "Ann Lee"),
            ("AFP", "AFP"),
        ])
    func `a label before a whole name or an agency is a label`(label: String, text: (written: String, name: String))
        throws
    {
        #expect(try names(.byline, "\(label) \(text.written)") == [text.name])
        #expect(try names(.byline, "\(label.capitalized) \(text.written)") == [text.name])
        #expect(try names(.byline, "\(label.capitalized): \(text.written)") == [text.name])
        #expect(try names(.byline, "\(label.capitalized) Ann am 3. Mai 2020") == ["Ann"])
        // Markup states it: `di` is a part of the name.
        #expect(try names(.personOfJSONLD, "\(label) Ann Lee") == ["\(label) Ann Lee"])
    }

    // MARK: Addresses

    @Test(
        arguments: [
            (#""@id":"_:b0""#, nil), (#""url":"_:b0""#, nil), (#""@id":"https://example.org/#/schema/person/1f""#, nil),
            (#""url":"https://example.org/#/schema/person/1f""#, nil), (#""@id":"https://example.org/#ann""#, nil),
            (#""@id":"https://example.org/page#ann""#, nil),
            (#""@id":"https://example.org/blog/#/schema/person/1f""#, nil),
            (#""@id":"https://example.org/people/ann#me""#, "https://example.org/people/ann#me"),
            (#""@id":"https://example.org/people/ann""#, "https://example.org/people/ann"),
            (#""@id":"_:b0","url":"/ann""#, "https://example.org/ann"),
            (#""url":"mailto:ann@example.org","sameAs":"https://social.example/ann""#, "https://social.example/ann"),
        ] as [(String, String?)])
    func `an author's address is that of a page`(properties: String, url: String?) throws {
        let page = Carrier.textOfJSONLD.page("").replacing(
            #""author":"""#, with: #""author":{"@type":"Person","name":"Ann Lee",\#(properties)}"#)
        #expect(try RecordBuilderTests.record(page).authors == [.init(name: "Ann Lee", url: url)])
    }
}

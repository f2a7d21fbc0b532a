import Testing

@testable import PippinPage

@Suite struct StructuredFieldsTests {
    typealias Field = StructuredField

    /// RFC 9651 §3: examples of the standard, read and written again.
    @Test(arguments: [
        "42", "-999999999999999", "4.5", "-0.125", #""hello \"world\" \\ ""#, "foo123/456", "*t!#$%&'*+-.^_`|~:/",
        ":cHJldGVuZCB0aGlzIGlzIGJpbmFyeSBjb250ZW50Lg==:", "?1", "?0", "@1659578233", "@-1659578233",
        #"%"This is intended for display to %c3%bcsers.""#, "5;foo=bar", #"abc;a=1;b=2;c"#, "abc;a=?0",
    ])
    func `an item is written as it was read`(text: String) throws {
        #expect(try #require(Field.Item(text)).serialized == text)
    }

    @Test(arguments: [
        ("  2 ", "2"), ("4.50", "4.5"), ("1.0", "1.0"), ("00.000", "0.0"), ("-0", "0"), ("042", "42"),
        ("?1;a=?1", "?1;a"),
        (":YQ:", ":YQ==:"), ("::", "::"), ("a; b=1;  c", "a;b=1;c"), ("a;b=1;c;b=2", "a;b=2;c"),
    ])
    func `an item is written in one way`(text: String, canonical: String) throws {
        #expect(try #require(Field.Item(text)).serialized == canonical)
    }

    @Test(arguments: [
        "", "1 2", "1,2", "-", "--1", "1.", "1.2345", ".5", "+1", "1234567890123456", "1234567890123.1", "\"a",
        "\"\\n\"",
        "\"a\u{7F}\"", "\"é\"", "a é", ":a b:", ":YQ", ":YR!:", "?", "?2", "?true", "@", "@1.5", "%\"%C3%BC\"",
        "%\"%c3\"",
        "%\"%c\"", "%a", "{}", "()", "a;", "a;B", "a;b=", "a;=1", "\ta", "a\t",
    ])
    func `a faulty item is none`(text: String) {
        #expect(Field.Item(text) == nil)
    }

    @Test(arguments: [
        #"en="Applepie", da=:w4ZibGV0w6ZydGU=:"#, "a=?0, b, c;foo=bar", "rating=1.5, feelings=(joy sadness)",
        "a=(1 2), b=3, c=4;aa=bb, d=(5 6);valid", "", "a=();b", #"sig=("@authority" "a";key="b");created=1"#,
    ])
    func `a dictionary is written as it was read`(text: String) throws {
        #expect(try #require(Field.Dictionary(text)).serialized == text)
    }

    @Test func `the last of equal keys counts in the place of the first`() throws {
        let field = try #require(Field.Dictionary("train-ai=y,\tsearch=y ,train-ai=n"))
        #expect(field.keys == ["train-ai", "search"])
        #expect(field["train-ai"]?.item?.value == .token("n"))
    }

    @Test(arguments: [
        "a=1,", ",a=1", "a=1 b=2", "A=1", "a=", "a==1", "a=(1", "a=(1,2)", "a=(1\t2)", "a=(1 2)x", "1=a", "a;b=(1)",
        "a=1;;b",
    ])
    func `a faulty dictionary is none`(text: String) {
        #expect(Field.Dictionary(text) == nil)
    }

    @Test func `the lines of a field are one`() throws {
        let headers = HTTPHeaders([("Sig", "a=1"), ("X", "?"), ("sig", "b=2")])
        #expect(try #require(Field.Dictionary("sig", of: headers)).serialized == "a=1, b=2")
        #expect(try #require(Field.Dictionary("none", of: headers)).keys.isEmpty)
    }

    @Test func `members of a dictionary come and go`() throws {
        var field = try #require(Field.Dictionary("a=1, b=2, c=3"))
        field["b"] = nil
        field["d"] = .item(Field.Item(.boolean(true)))
        #expect(field.serialized == "a=1, c=3, d")
        field["missing"] = nil
        #expect(field.keys == ["a", "c", "d"])
    }

    @Test func `a list has items and inner lists`() throws {
        let list = try #require(Field.List(#"("foo" "bar");lvl=1, sugar, ();a"#))
        #expect(list.members.map(\.serialized) == [#"("foo" "bar");lvl=1"#, "sugar", "();a"])
        #expect(Field.List("a,,b") == nil)
    }

    @Test func `a field has limits`() {
        let members = (0..<1024).map { "k\($0)" }
        #expect(Field.Dictionary(members.joined(separator: ",")) != nil)
        #expect(Field.Dictionary((members + ["more"]).joined(separator: ",")) == nil)
        #expect(Field.Item("a" + members.prefix(256).map { ";\($0)" }.joined()) != nil)
        #expect(Field.Item("a" + members.prefix(257).map { ";\($0)" }.joined()) == nil)
        #expect(Field.Item("\"" + String(repeating: "a", count: 70_000) + "\"") == nil)
        #expect(Field.Dictionary("a=" + String(repeating: "(", count: 60_000)) == nil)
    }

    @Test(arguments: ["a", "*", "a-b_c.d*1"]) func `a key is lower case`(text: String) {
        #expect(Field.isKey(text))
        #expect(!Field.isKey("1" + text))
        #expect(!Field.isKey(text + "A"))
    }
}

/// RFC 9651 §4.2 for dictionaries: all of a field or nothing.
@Suite struct StructuredFieldDictionaryTests {
    @Test(arguments: [
        ("", ""), ("  ", ""), ("a=b", "a=b"), ("a=b,c=d", "a=b c=d"), ("a=b \t,\t c=d  ", "a=b c=d"), ("a", "a"),
        ("a=*x/y:z", "a=*x/y:z"), ("*a_-.*9=b", "*a_-.*9=b"), ("a=b;c;d=1.5;e=?1", "a=b"), ("a;b=c", "a"),
        ("a=b, a=c", "a=c"), ("a=1, b=-1.5, c=999999999999999", "a b c"), ("a=\"x\\\"y\\\\\", b=c", "a b=c"),
        ("a=:aGk=:, b=@-1, c=%\"%c3%a9\", d=()", "a b c d"), ("a=(x \"y\";z 1);q=2, b=c", "a b=c"),
        ("a=b;  c=d", "a=b"), ("a=B", "a=B"), ("a=b \t ", "a=b"),
    ])
    func `good fields are read`(field: String, expected: String) throws {
        let read = try #require(StructuredField.Dictionary(field))
        let members = read.keys.map { key -> String in
            if case .token(let token)? = read[key]?.item?.value { "\(key)=\(token)" } else { key }
        }
        #expect(members.joined(separator: " ") == expected)
    }

    @Test(arguments: [
        "A=b", "1=b", "=b", "a=", "a=b,", "a=b,,c=d", ",a=b", "a =b", "a= b", "a=b c=d", "a=b;", "a=b;C", "a=b;c=",
        "\ta=b", "a=\"x", "a=\"\u{e9}\"", "a=\"\\n\"", "a=?2", "a=?", "a=:a", "a=:a!:", "a=@1.5", "a=@",
        "a=%\"%C3\"", "a=%\"%c3\"", "a=%x", "a=(", "a=(b", "a=(b,c)", "a=(b\"c\")", "a=1.", "a=1.2345",
        "a=1234567890123456", "a=1234567890123.1", "a=-", "a=\u{e9}", "a=b\u{0}", "a=b;c=(d)", "a=b\r\n",
    ])
    func `one mistake makes a field unreadable`(field: String) {
        #expect(StructuredField.Dictionary(field) == nil)
    }

    @Test func `the number of members is bounded`() {
        let field = (0..<StructuredField.maximumMembers).map { "a\($0)=y" }.joined(separator: ",")
        #expect(StructuredField.Dictionary(field)?.keys.count == StructuredField.maximumMembers)
        #expect(StructuredField.Dictionary(field + ",b=n") == nil)
    }
}

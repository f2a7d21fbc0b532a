import Testing

@testable import PippinPage

@Suite struct PathGlobTests {
    @Test(arguments: [
        ("*.html", "a.html", true), ("*.html", "a/b.html", false), ("**/*.html", "a/b/c.html", true),
        ("**/*.html", "c.html", true), ("dist/**", "dist/a/b", true), ("dist/**", "other/a", false),
        ("/blog/**", "/blog/", true), ("/blog/**", "blog/2026/a.html", true), ("/blog/**", "/blogs/a", false),
        ("a/**/b/**/c", "a/x/b/y/z/c", true), ("a/**/b/**/c", "a/x/y/z/c", false), ("a?.html", "ab.html", true),
        ("a?.html", "a.html", false), ("*.{html,htm}", "a.htm", true), ("*.{html,htm}", "a.txt", false),
        ("{a,b{c,d}}/*", "bd/x", true), ("{a,b{c,d}}/*", "b/x", false), ("[a].html", "[a].html", true),
    ])
    func `a pattern matches paths part by part`(pattern: String, path: String, matches: Bool) throws {
        let glob = try #require(PathGlob(pattern))
        #expect(glob.matches(path) == matches)
    }

    @Test func `braces that are not closed or stand for too much are refused`() {
        #expect(PathGlob("a{b") == nil)
        #expect(PathGlob(String(repeating: "{a,b}", count: 30)) == nil)
        #expect(PathGlob(String(repeating: "{a,b}", count: 6)) != nil)
        #expect(PathGlob(String(repeating: "{a}", count: 20_000)) == nil)
        #expect(PathGlob("\(String(repeating: "a", count: 2_000)){\(String(repeating: ",", count: 2_000))}") == nil)
    }

    @Test func `patterns and paths with many stars and parts stay quick`() throws {
        let glob = try #require(PathGlob(String(repeating: "**/a/", count: 100) + "b"))
        #expect(!glob.matches(String(repeating: "a/", count: 2000)))
    }

    @Test func `a pattern knows where to look, and how deep`() throws {
        #expect(try #require(PathGlob("dist/en/*.html")).fixedFolder == "dist/en")
        #expect(try #require(PathGlob("*.html")).fixedFolder == "")
        #expect(try #require(PathGlob("/**")).fixedFolder == "/")
        #expect(try #require(PathGlob("dist/*/*.html")).maximumParts == 3)
        #expect(try #require(PathGlob("dist/**")).maximumParts == nil)
    }
}

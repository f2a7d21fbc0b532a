/// A page that no author would write: as much of one thing as fits, made in memory at any size.
struct PathologicalPage: Sendable {
    let name: String
    /// How many of the thing; the benchmark makes one page of as many and one of twice as many.
    let size: Int
    let make: @Sendable (Int) -> Made

    struct Made {
        var bytes: [UInt8]
        var headers: [(String, String)] = []
    }

    init(_ name: String, _ size: Int, _ text: @escaping @Sendable (Int) -> String) {
        self.name = name
        self.size = size
        make = { Made(bytes: Array(text($0).utf8)) }
    }

    init(_ name: String, _ size: Int, bytes: @escaping @Sendable (Int) -> [UInt8]) {
        self.name = name
        self.size = size
        make = { Made(bytes: bytes($0)) }
    }

    init(_ name: String, _ size: Int, headers: @escaping @Sendable (Int) -> [(String, String)]) {
        self.name = name
        self.size = size
        make = { Made(bytes: Array("<!doctype html><title>x</title><p>x".utf8), headers: headers($0)) }
    }

    static var all: [PathologicalPage] {
        markup + unclosed + texts + microdata + rdfa + jsonLD + tags + addresses + encodings
    }
}

infix operator × : MultiplicationPrecedence

/// The text so many times.
func × (text: String, count: Int) -> String {
    String(repeating: text, count: count)
}

/// What a piece makes of each number from 0 on, joined.
func numbered(_ count: Int, _ piece: (Int) -> String) -> String {
    var result = ""
    for i in 0..<count { result += piece(i) }
    return result
}

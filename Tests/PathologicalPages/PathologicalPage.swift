/// A page that no author would write: as much of one thing as fits, made in memory at any size.
public struct PathologicalPage: Sendable {
    public let name: String
    /// How many of the thing. The benchmark also makes a page of twice as many, and one of four times as many.
    public let size: Int
    public let make: @Sendable (Int) -> Made

    public struct Made: Sendable {
        public var bytes: [UInt8]
        public var headers: [(String, String)] = []

        public init(bytes: [UInt8], headers: [(String, String)] = []) {
            self.bytes = bytes
            self.headers = headers
        }

        /// The size of the page and of its header fields, in bytes.
        public var weight: Int { bytes.count + headers.reduce(0) { $0 + $1.0.utf8.count + $1.1.utf8.count } }
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

    /// Pages of one thing, again and again.
    public static var all: [PathologicalPage] {
        markup + unclosed + texts + microdata + rdfa + jsonLD + microformats + tags + addresses + encodings
    }

    /// Graphs of items: every carrier, in every shape, about every topic.
    public static var graphs: [PathologicalPage] {
        ItemGraph.Carrier.allCases.flatMap { carrier in
            ItemGraph.Shape.allCases.flatMap { shape in
                ItemGraph.Topic.all.map { PathologicalPage(carrier, shape, $0) }
            }
        }
    }

    /// A graph of items, written in one way.
    ///
    /// Its size is the number of references, within a small factor.
    public init(_ carrier: ItemGraph.Carrier, _ shape: ItemGraph.Shape, _ topic: ItemGraph.Topic) {
        self.init("\(carrier.rawValue): \(shape.rawValue) of \(topic.name)", 1_000) {
            ItemGraph(shape, topic, size: $0).page(carrier)
        }
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

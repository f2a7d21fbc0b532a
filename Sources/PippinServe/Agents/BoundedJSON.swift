import PippinPage

/// A JSON value made short enough for a reader who takes it in as a whole: ends of long lists and texts are left off, and it is said
/// where. What is left keeps to the schema of the whole.
struct BoundedJSON: Sendable {
    let value: JSONValue
    /// What was left off, a sentence for each place.
    let leftOff: [String]

    /// How long lists and texts may be, from the gentlest cut to the hardest. Texts are cut before addresses, which are of no use when cut.
    private static let cuts: [(elements: Int, characters: Int)] = [
        (100, 4_000), (50, 2_000), (25, 1_000), (12, 500), (6, 300), (3, 200), (1, 100),
    ]
    /// A URL that is no longer stays whole as far as lists can be cut instead.
    private static let wholeWordCharacters = 2_048
    private static let maximumPlaces = 20
    private static let placeCharacters = 120

    /// - Parameter maximumBytes: the longest that the value may be when it is written.
    /// - Returns: nil if it is longer even with its lists and texts cut to almost nothing.
    init?(_ whole: JSONValue, maximumBytes: Int) {
        if whole.bytes().count <= maximumBytes {
            (value, leftOff) = (whole, [])
            return
        }
        for cut in Self.cuts {
            var shortening = Shortening(cut)
            let short = shortening.shortened(whole, "")
            guard short.bytes().count <= maximumBytes else { continue }
            value = short
            leftOff = shortening.sentences
            return
        }
        return nil
    }

    private struct Shortening {
        private enum Loss {
            /// The most elements that a list at the place has lost.
            case elements(Int)
            /// After how many characters a text was cut.
            case text(Int)
        }

        let cut: (elements: Int, characters: Int)
        private var losses: [(place: String, loss: Loss)] = []
        private var known: [String: Int] = [:]

        init(_ cut: (elements: Int, characters: Int)) { self.cut = cut }

        var sentences: [String] {
            var sentences = losses.prefix(BoundedJSON.maximumPlaces).map { place, loss in
                switch loss {
                case .elements(let count):
                    "\(place): the last \(count == 1 ? "element is" : "\(count) elements are") left off."
                case .text(let count): "\(place): cut after \(count) characters."
                }
            }
            if losses.count > BoundedJSON.maximumPlaces {
                sentences.append("Further places: \(losses.count - BoundedJSON.maximumPlaces).")
            }
            return sentences
        }

        private mutating func note(_ place: String, _ loss: Loss) {
            // Names of fields may be a page's.
            let place = String(place.prefix(BoundedJSON.placeCharacters))
            guard let index = known[place] else {
                known[place] = losses.count
                losses.append((place, loss))
                return
            }
            if case (.elements(let before), .elements(let now)) = (losses[index].loss, loss), now > before {
                losses[index].loss = loss
            }
        }

        /// - Parameter place: where the value is, with `[]` for any element of a list.
        mutating func shortened(_ value: JSONValue, _ place: String) -> JSONValue {
            if let text = value.string {
                let isText = text.utf8.contains(UInt8(ascii: " "))
                let maximum = isText ? cut.characters : max(cut.characters, BoundedJSON.wholeWordCharacters)
                guard text.utf8.count > maximum, text.unicodeScalars.count > maximum else { return value }
                note(place, .text(maximum))
                return .string(String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximum))) + "…")
            }
            if let elements = value.array {
                if elements.count > cut.elements { note(place, .elements(elements.count - cut.elements)) }
                return .array(elements.prefix(cut.elements).map { shortened($0, place + "[]") })
            }
            guard let object = value.object else { return value }
            var short = JSONObject()
            for member in object.members {
                short[member.key] = shortened(member.value, place.isEmpty ? member.key : "\(place).\(member.key)")
            }
            return .object(short)
        }
    }
}

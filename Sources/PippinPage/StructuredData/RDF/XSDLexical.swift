/// Recognizes the datatype of a text by its form (XML Schema 1.1 Datatypes, lexical spaces).
enum XSDLexical {
    private static let xsd = RDFTerm.Vocabulary.xsd

    /// The datatype of a `time` element's value; nil if the value has none of the forms.
    static func timeType(_ text: String) -> String? {
        var scan = Scan(text)
        if scan.isDuration() { return xsd + "duration" }
        if scan.matches({ $0.date() && $0.take(UInt8(ascii: "T")) && $0.time() && $0.zone() }) {
            return xsd + "dateTime"
        }
        if scan.matches({ $0.date() && $0.zone() }) { return xsd + "date" }
        if scan.matches({ $0.time() && $0.zone() }) { return xsd + "time" }
        if scan.matches({ $0.yearMonth() && $0.zone() }) { return xsd + "gYearMonth" }
        if scan.matches({ $0.year() && $0.zone() }) { return xsd + "gYear" }
        return nil
    }

    /// The datatype of a `data` or `meter` element's value.
    static func numberType(_ text: String) -> String? {
        var scan = Scan(text)
        if scan.matches({ $0.integer() }) { return xsd + "integer" }
        if scan.matches({ $0.double() }) { return xsd + "double" }
        return nil
    }

    /// Whether a literal is a number by its datatype: XML Schema's numeric types, schema.org's Number, Float and Integer. The text
    /// must have the form of one.
    static func isNumber(_ text: String, datatype: String) -> Bool {
        let name: Substring
        if datatype.hasPrefix(xsd) {
            name = datatype.dropFirst(xsd.utf8.count)
        } else if let bare = SchemaOrgVocabulary.bareName(of: datatype) {
            return ["Number", "Float", "Integer"].contains(bare) && numberType(text.trimmingHTMLSpace()) != nil
        } else {
            return false
        }
        return numericTypes.contains(String(name)) && numberType(text.trimmingHTMLSpace()) != nil
    }

    private static let numericTypes: Set<String> = [
        "decimal", "double", "float", "integer", "long", "int", "short", "byte", "nonNegativeInteger",
        "positiveInteger",
        "nonPositiveInteger", "negativeInteger", "unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte",
    ]

    private struct Scan {
        private let bytes: [UInt8]
        private var position = 0

        init(_ text: String) {
            bytes = Array(text.utf8)
        }

        /// Whether the form covers the whole text.
        mutating func matches(_ form: (inout Scan) -> Bool) -> Bool {
            position = 0
            return form(&self) && position == bytes.count && position > 0
        }

        private var current: UInt8 { position < bytes.count ? bytes[position] : 0 }

        mutating func take(_ byte: UInt8) -> Bool {
            guard current == byte, position < bytes.count else { return false }
            position += 1
            return true
        }

        private mutating func takeSign() {
            if current == UInt8(ascii: "-") || current == UInt8(ascii: "+") { position += 1 }
        }

        /// Reads digits and returns their number.
        private mutating func digits(_ maximum: Int = .max) -> Int {
            let start = position
            while position - start < maximum, current >= UInt8(ascii: "0"), current <= UInt8(ascii: "9") {
                position += 1
            }
            return position - start
        }

        private mutating func number(_ count: Int, in range: ClosedRange<Int>) -> Bool {
            let start = position
            guard digits(count) == count else { return false }
            return range.contains(bytes[start..<position].reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) })
        }

        mutating func year() -> Bool {
            _ = take(UInt8(ascii: "-"))
            return digits() >= 4
        }

        mutating func yearMonth() -> Bool {
            year() && take(UInt8(ascii: "-")) && number(2, in: 1...12)
        }

        mutating func date() -> Bool {
            yearMonth() && take(UInt8(ascii: "-")) && number(2, in: 1...31)
        }

        mutating func time() -> Bool {
            guard number(2, in: 0...24), take(UInt8(ascii: ":")), number(2, in: 0...59), take(UInt8(ascii: ":")),
                number(2, in: 0...60)
            else { return false }
            return take(UInt8(ascii: ".")) ? digits() > 0 : true
        }

        /// Reads an optional time zone.
        mutating func zone() -> Bool {
            if position == bytes.count || take(UInt8(ascii: "Z")) { return true }
            guard take(UInt8(ascii: "-")) || take(UInt8(ascii: "+")) else { return false }
            return number(2, in: 0...14) && take(UInt8(ascii: ":")) && number(2, in: 0...59)
        }

        /// Reads `-?P(nY)?(nM)?(nD)?(T(nH)?(nM)?(n(.n)?S)?)?`. At least one part is required, and one after `T`.
        mutating func isDuration() -> Bool {
            position = 0
            _ = take(UInt8(ascii: "-"))
            guard take(UInt8(ascii: "P")) else { return false }
            var parts = 0
            for unit in [UInt8(ascii: "Y"), UInt8(ascii: "M"), UInt8(ascii: "D")] where part(unit) { parts += 1 }
            if take(UInt8(ascii: "T")) {
                let before = parts
                for unit in [UInt8(ascii: "H"), UInt8(ascii: "M"), UInt8(ascii: "S")] where part(unit) { parts += 1 }
                if parts == before { return false }
            }
            return parts > 0 && position == bytes.count
        }

        private mutating func part(_ unit: UInt8) -> Bool {
            let start = position
            if digits() > 0 {
                if unit == UInt8(ascii: "S"), take(UInt8(ascii: ".")), digits() == 0 {
                    position = start
                    return false
                }
                if take(unit) { return true }
            }
            position = start
            return false
        }

        mutating func integer() -> Bool {
            takeSign()
            return digits() > 0
        }

        mutating func double() -> Bool {
            takeSign()
            let whole = digits()
            let fraction = take(UInt8(ascii: ".")) ? digits() : 0
            guard whole + fraction > 0 else { return false }
            guard take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) else { return true }
            return integer()
        }
    }
}

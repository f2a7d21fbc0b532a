import PippinPage

/// What the operator's fields find in a page, for people: a line for each field, then one for each place that its query found.
///
///     price (number): 12.5
///       line 14: 12.50 € → 12.5
///       line 31: on request: it is not a number
enum FieldListing {
    static func text(of readings: [FieldReading]) -> String {
        readings.map { reading in
            let kind = reading.field.isList ? "all, \(reading.field.kind.rawValue)" : reading.field.kind.rawValue
            let head = "\(reading.field.name) (\(kind)): "
            var lines = [head + (reading.value.map(shown) ?? reading.problem ?? "No value.")]
            lines += reading.places.prefix(maximumPlaces).map(line)
            if reading.places.count > maximumPlaces {
                lines.append("  and \(Wording.count(reading.places.count - maximumPlaces, "place")) more")
            }
            if reading.isCut { lines.append("  The search was ended by a limit; there may be more.") }
            return lines.joined(separator: "\n") + "\n"
        }.joined()
    }

    private static let maximumPlaces = 20

    private static func line(of place: FieldReading.Place) -> String {
        var parts = [place.line.map { "line \($0)" }, place.written].compactMap(\.self)
        if let reason = place.reason { parts.append(reason) }
        let text = "  " + parts.joined(separator: ": ")
        // What is taken as it is written needs no second look.
        guard let value = place.value.map(shown), value != place.written else { return text }
        return "\(text) → \(value)"
    }

    private static func shown(_ value: JSONValue) -> String {
        switch value.content {
        case .string(let text): text
        case .array(let values): values.map(shown).joined(separator: ", ")
        default: value.text()
        }
    }
}

/// Builds the lines of Prometheus' text format (version 0.0.4): HELP and TYPE once per family, before its samples.
public struct PrometheusExposition: Sendable {
    /// What the samples of a family are.
    public enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// The lines so far.
    public private(set) var text = ""

    public init() {}

    private mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n"))\n"
        text += "# TYPE \(name) \(kind.rawValue)\n"
    }

    private mutating func sample(_ name: String, _ labels: [String: String], _ value: Double) {
        text += name
        if !labels.isEmpty {
            let pairs = labels.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }
            text += "{" + pairs.joined(separator: ",") + "}"
        }
        text += " \(Self.number(value))\n"
    }

    /// A family with a sample for each set of labels.
    public mutating func family(_ name: String, _ kind: Kind, _ help: String, _ samples: [([String: String], Double)]) {
        begin(name, kind, help)
        func order(_ labels: [String: String]) -> String {
            labels.sorted { $0.key < $1.key }.map(\.value).joined(separator: "\0")
        }
        let ordered = samples.sorted { order($0.0).utf8.lexicographicallyPrecedes(order($1.0).utf8) }
        for (labels, value) in ordered { sample(name, labels, value) }
    }

    /// A counter without labels.
    public mutating func counter(_ name: String, _ help: String, _ value: Int) {
        begin(name, .counter, help)
        sample(name, [:], Double(value))
    }

    /// A gauge without labels.
    public mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        begin(name, .gauge, help)
        sample(name, [:], value)
    }

    /// A histogram of durations, in seconds.
    public mutating func histogram(_ name: String, _ help: String, _ histogram: TimeHistogram) {
        begin(name, .histogram, help)
        var total = 0
        for (bound, count) in zip(TimeHistogram.bounds, histogram.counts) {
            total += count
            sample(name + "_bucket", ["le": Self.number(bound / .seconds(1))], Double(total))
        }
        sample(name + "_bucket", ["le": "+Inf"], Double(histogram.count))
        sample(name + "_sum", [:], histogram.sum / .seconds(1))
        sample(name + "_count", [:], Double(histogram.count))
    }

    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return value.isNaN ? "NaN" : value > 0 ? "+Inf" : "-Inf" }
        return value == value.rounded() && abs(value) < 1e15 ? "\(Int(value))" : "\(value)"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

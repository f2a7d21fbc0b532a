/// Times as people read them.
public enum DurationWords {
    /// `45 s`, `35 min`, `1 h 30 min`, `26 h`, `3 days 4 h`: the two largest units, no more than is asked.
    public static func text(seconds: Int) -> String {
        let seconds = max(seconds, 0)
        guard seconds >= 120 else { return "\(seconds) s" }
        let minutes = seconds / 60 + (seconds % 60 >= 30 ? 1 : 0)
        guard minutes >= 60 else { return "\(minutes) min" }
        guard minutes >= 48 * 60 else { return joined("\(minutes / 60) h", minutes % 60, "min") }
        let hours = minutes / 60 + (minutes % 60 >= 30 ? 1 : 0)
        return joined("\(hours / 24) days", hours % 24, "h")
    }

    private static func joined(_ first: String, _ rest: Int, _ unit: String) -> String {
        rest == 0 ? first : "\(first) \(rest) \(unit)"
    }
}

import Foundation

/// Whether quiet hours slow down or close a host, or the whole crawl.
struct QuietTimes: Sendable {
    enum Effect {
        case none
        /// No request is made before this time.
        case slowed(until: Duration)
        case closed(until: Duration)
    }

    private struct State {
        /// The minute since 1970 for which `end` was computed. Quiet hours begin and end on whole minutes.
        var minute = Double.nan
        var end: Date?
    }

    private let settings: PolitenessSchedule.Settings
    /// The calendar's time when `now` was zero.
    var calendarStart: Date
    /// By the index of the rules. The first is for the whole crawl.
    private var states: [State]

    init(_ settings: PolitenessSchedule.Settings, calendarStart: Date) {
        self.settings = settings
        self.calendarStart = calendarStart
        states = Array(repeating: State(), count: settings.rules.count)
    }

    /// The calendar's time.
    func date(at now: Duration) -> Date { calendarStart.addingTimeInterval(now / .seconds(1)) }

    /// The end of the quiet hours that close the whole crawl now; nil if it is open.
    mutating func crawlIsClosed(now: Duration) -> Duration? {
        guard let quiet = settings.quiet, quiet.delay == nil else { return nil }
        return end(of: quiet, 0, now: now)
    }

    /// The effect of quiet hours, both of the host and of the whole crawl, on a request that is otherwise due now.
    ///
    /// - Parameters:
    ///   - rules: the index of the host's rules.
    ///   - lastAsked: the time from which a delay counts.
    mutating func effect(rules: Int, lastAsked: Duration?, now: Duration) -> Effect {
        var slowedUntil = now
        for (quiet, index) in [(settings.rules[rules].quiet, rules), (settings.quiet, 0)] {
            guard let quiet, let end = end(of: quiet, index, now: now) else { continue }
            guard let delay = quiet.delay else { return .closed(until: end) }
            if let lastAsked { slowedUntil = max(slowedUntil, min(end, lastAsked + delay)) }
        }
        return slowedUntil > now ? .slowed(until: slowedUntil) : .none
    }

    /// The end of the quiet time around `now`; nil if it is not quiet.
    private mutating func end(of quiet: PolitenessSchedule.Settings.Quiet, _ index: Int, now: Duration) -> Duration? {
        let date = date(at: now)
        let minute = (date.timeIntervalSince1970 / 60).rounded(.down)
        if states[index].minute != minute { states[index] = State(minute: minute, end: quiet.hours.end(at: date)) }
        return states[index].end.map {
            now + .milliseconds(Int64(($0.timeIntervalSince(date) * 1000).rounded(.up)))
        }
    }
}

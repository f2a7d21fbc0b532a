import Foundation
import PippinPage

/// The times at which one of several processes may begin requests to an address that all of them ask. The calendar's time is
/// divided into slots, which the processes have in turn:
///
///     ├── place 0 ──┼── place 1 ──┼── place 2 ──┼── place 0 ── …
///      ▓▓ 50 ms      ▓▓            ▓▓
///
/// A slot is as long as the time between two requests of all processes (at first the address's delay) and 150 ms. A request begins only
/// in its first 50 ms (▓). So the requests of two processes are at least that time and 100 ms apart, as the clock of each shows it. On a loaded machine a margin of 150 ms has
/// held and one of 40 ms has not.
public struct AddressSlots: Sendable, Equatable {
    /// The part of a slot in which a request may begin.
    static let opening = Duration.milliseconds(50)
    /// For clocks that differ, and for the time between a decision and the request.
    static let margin = Duration.milliseconds(100)
    /// More processes than ever share an address.
    static let maximumCount = 1_000_000

    /// The slots of this process, from 0.
    private(set) var places: Set<Int>
    /// The number of all slots.
    let count: Int

    /// Creates slots; nil if there is no such place.
    init?(place: Int, of count: Int) {
        guard (1...Self.maximumCount).contains(count), (0..<count).contains(place) else { return nil }
        places = [place]
        self.count = count
    }

    /// Adds the places of the other; false if it counts differently.
    mutating func add(_ other: AddressSlots) -> Bool {
        guard other.count == count else { return false }
        places.formUnion(other.places)
        return true
    }

    /// Whether all slots are of this process.
    var coverAllTime: Bool { places.count == count }

    /// The time between two requests of this process on average, if one in each slot is made.
    ///
    /// - Parameter interval: between two requests of all processes.
    func share(ofInterval interval: Duration) -> Duration {
        (interval + Self.opening + Self.margin) * count / places.count
    }

    /// The reverse of `share`.
    func interval(ofShare share: Duration) -> Duration {
        share * places.count / count - Self.opening - Self.margin
    }

    /// The time until a request may begin; zero if it may now.
    ///
    /// - Parameters:
    ///   - date: seconds since 1970.
    ///   - delay: between two requests of all processes.
    func wait(at date: Double, delay: Duration) -> Duration {
        func milliseconds(_ duration: Duration) -> Int64 { Int64((duration / .milliseconds(1)).rounded(.up)) }
        let slot = milliseconds(delay) + milliseconds(Self.opening + Self.margin)
        let period = slot * Int64(count)
        let now = Int64(min(max(date, 0), 1e12) * 1000) % period
        var least = period
        for place in places {
            let start = slot * Int64(place)
            if now >= start, now < start + milliseconds(Self.opening) { return .zero }
            let left = start - now
            least = min(least, left >= 0 ? left : left + period)
        }
        return .milliseconds(least)
    }
}

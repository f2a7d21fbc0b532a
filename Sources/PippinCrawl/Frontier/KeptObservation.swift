import Foundation

/// What an observer leaves with a URL. The frontier keeps it with the URL, and removes it when the page is gone. It knows nothing
/// of the bytes.
public struct KeptObservation: Sendable {
    /// What is kept of every URL.
    public let entry: [UInt8]
    /// What is kept of the URLs with the greatest weights only; nil if there is none.
    public let details: [UInt8]?
    public let weight: Int
    /// Whether it stays when a later visit fails for a reason that may pass.
    public let stands: Bool
    /// Whether the visit failed for such a reason. Then an earlier entry that stands stays beside this one.
    public let mayPass: Bool

    /// How many details a frontier keeps at least.
    public static let keptDetails = 400

    /// Creates what is to be kept.
    public init(entry: [UInt8], details: [UInt8]? = nil, weight: Int = 0, stands: Bool, mayPass: Bool) {
        self.entry = entry
        self.details = details
        self.weight = weight
        self.stands = stands
        self.mayPass = mayPass
    }
}

/// What observers have left with the URLs of a job, in this run and in earlier ones.
public struct KeptObservations: Sendable {
    /// An entry of a URL.
    public struct Entry: Sendable {
        public let bytes: [UInt8]
        /// When it was left.
        public let date: Date
        /// The entry of a later visit that failed for a reason that may pass; nil if there was none.
        public let failure: (bytes: [UInt8], date: Date)?

        /// Creates an entry.
        public init(bytes: [UInt8], date: Date, failure: (bytes: [UInt8], date: Date)? = nil) {
            self.bytes = bytes
            self.date = date
            self.failure = failure
        }
    }

    /// The number of URLs with an entry.
    public let count: Int
    /// Calls its first function for each entry, and then its second for the details, the greatest weight first.
    public let read: @Sendable ((Entry) -> Void, ([UInt8]) -> Void) throws -> Void

    /// Creates a reader.
    public init(
        count: Int, read: @escaping @Sendable ((Entry) -> Void, ([UInt8]) -> Void) throws -> Void
    ) {
        self.count = count
        self.read = read
    }
}

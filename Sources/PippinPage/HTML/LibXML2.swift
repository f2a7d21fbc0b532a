import CLibXML2

/// libxml2's own state, which every reader of this target shares.
enum LibXML2 {
    /// Read before every use of libxml2. The library fills its tables (encodings among them) when it is first used, and
    /// versions before 2.12 do so without a lock: of two threads that begin together, one can meet an entry that is not
    /// there yet. Here the first reader fills them while all others wait.
    static let isReady: Void = xmlInitParser()
}

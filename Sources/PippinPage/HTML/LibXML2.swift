import CLibXML2

/// libxml2's global state, shared by all readers of this target.
enum LibXML2 {
    /// Initializes libxml2; access it before every use. The library fills its tables at first use, and before version 2.12
    /// without a lock, so a second thread could see a missing entry. Here the first reader fills them while the others wait.
    static let isReady: Void = xmlInitParser()
}

import PippinPage
import PippinReport

/// The QR code by which a phone opens what a record's app link opens: computers have no such apps.
enum DeepLinkCode {
    /// - Returns: nil if no app opens the record, or its link is too long for a code.
    static func figure(of record: JSONValue) -> HTML? {
        guard let link = ResultMarkup(record, showsPictures: false).appLink, let code = QRCode(link) else {
            return nil
        }
        let side = code.size + 2 * QRCode.quietZone
        // Readers want dark on light, also where the page is dark.
        return """
            <figure class="card qr"><svg viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges" role="img" \
            aria-label="QR code of the deep link"><rect width="\(side)" height="\(side)" fill="#fff"/>\
            <path d="\(code.path)" fill="#000"/></svg><figcaption><strong>Open on a phone</strong>\
            <span class="dim">Point its camera here: it opens this deep link in the app.</span>\
            <code>\(link)</code></figcaption></figure>
            """
    }
}

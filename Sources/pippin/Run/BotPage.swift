import PippinCrawl
import PippinPage
import PippinReport

/// The page about a bot: who it is, why it comes, how to keep it out, and how to verify it.
struct BotPage {
    let agent: CrawlConfiguration.Agent
    let directory: WebURL
    let key: VerificationKey
    let purpose: String
    let addresses: [String]

    /// Whether a text is an IP address, or a range of addresses in CIDR form.
    static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard NetworkAddress(parts[0]) != nil else { return false }
        guard parts.count == 2 else { return true }
        return Int(parts[1]).map { (0...(parts[0].contains(":") ? 128 : 32)).contains($0) && "\($0)" == parts[1] }
            ?? false
    }

    var html: HTML {
        let names = agent.robotsAgents.filter { $0.lowercased() != agent.product.lowercased() }
        let contact = agent.contact ?? ""
        let address = contact.isEmpty || contact.contains("://") ? contact : "mailto:\(contact)"
        return """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(agent.product), a web crawler</title>
            <style>body { max-width: 44rem; margin: 2rem auto; padding: 0 1rem; font: 1rem/1.5 sans-serif } pre, code { overflow-wrap: anywhere; white-space: pre-wrap }</style>
            <h1>\(agent.product)</h1>
            <p>\(agent.product) is a web crawler. \(purpose)</p>
            <h2>Who we are</h2>
            <p>Its requests have the User-Agent <code>\(agent.userAgent)</code>.</p>
            \("<p>Write to <a href=\"\(address)\">\(contact)</a>.</p>" as HTML, if: !contact.isEmpty)
            <h2>How to keep it out</h2>
            <p>It follows robots.txt (RFC 9309), waits between two requests to a host, and stops at 429 and 503. This keeps it out of everything:</p>
            <pre>User-agent: \(agent.product)
            Disallow: /</pre>
            \("<p>Where robots.txt does not name \(agent.product), it goes by the rules for \(names.joined(separator: ", ")), then by those for <code>*</code>.</p>" as HTML, if: !names.isEmpty)
            <p>It keeps to <code>noindex</code>, <code>nofollow</code> and <code>nosnippet</code> of pages and of the field <code>X-Robots-Tag</code>.</p>
            <h2>How to verify it</h2>
            <p>Requests over https to sites that we crawl are signed (RFC 9421, Web Bot Auth), with some bots only where a site asks. A valid signature proves that it was us. Other hosts, to which a redirect or a page's script leads, get requests without one. The public keys are at <a href="\(directory.href)">\(directory.href)</a>; one has the thumbprint <code>\(key.thumbprint)</code>.</p>
            \("<p>Its requests come from these addresses:</p>\n<ul>\(addresses.map { "<li><code>\($0)</code>" as HTML })</ul>" as HTML, if: !addresses.isEmpty)
            </html>

            """
    }
}

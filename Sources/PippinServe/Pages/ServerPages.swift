import Hummingbird
import PippinCrawl
import PippinPage
import PippinReport
import PippinStore

/// What belongs to the server itself: style sheet, script, icon, metrics, sign-in, refusals.
enum ServerPages {
    static let routes: [WebRoute] =
        [
            .page("/style.css", isOpen: true) { _, _ in .text(style, type: "text/css; charset=utf-8") },
            .page("/script.js", isOpen: true) { _, _ in .text(script, type: "text/javascript; charset=utf-8") },
            .page("/icon.svg", isOpen: true) { _, _ in .text(icon, type: "image/svg+xml") },
            .page("/sign-in", isOpen: true) { request, context in try signIn(request, context) },
            .page("/sign-in", .post, isOpen: true) { request, context in try signedIn(request, context) },
            .page("/sign-out", .post, isOpen: true) { request, context in signedOut(request, context) },
            .api(
                "/metrics",
                APIOperation(
                    id: "metrics", summary: "Counters for Prometheus (text format 0.0.4).", type: "text/plain",
                    schema: APISchema.text)
            ) { _, context in .text(try await metrics(context), type: PrometheusText.contentType) },
        ] + health

    static let health: [WebRoute] = [
        .api(
            "/healthz",
            APIOperation(
                id: "health", summary: "Says that the server runs.", type: "text/plain", schema: APISchema.text),
            isOpen: true
        ) { _, _ in .text("ok\n") }
    ]

    // MARK: Files

    private static let style = ReportStyle.sheet
    private static let script = PageScript.text + WatchScript.text

    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path fill="#d0312d" d="M16 9c2-3 9-3.500 11 2.500s-2.500 \
        17.500-7 17.500c-2 0-2.500-1-4-1s-2 1-4 1C7.500 29 3 17.500 5 11.500S14 6 16 9z"/><path fill="#1a7637" d="M16 9c-.5-4 \
        1.500-7 6-7 .5 4-1.500 7-6 7z"/></svg>
        """

    // MARK: Metrics

    private static func metrics(_ context: WebContext) async throws -> String {
        var text = PrometheusExposition()
        text.family(
            "pippin_build_info", .gauge, "The version of the program; always 1.",
            [(["version": CrawlConfiguration.Agent.programVersion], 1)])
        let (documents, bytes, health) = try await context.blocking {
            (
                try context.index.standing().documents, try SearchIndex.bytes(in: context.job.folder),
                try StorageHealth(context.job)
            )
        }
        text.gauge("pippin_index_records", "Records in the search index.", Double(documents))
        text.gauge("pippin_index_bytes", "Size of the search index on disk.", Double(bytes))
        text.gauge(
            "pippin_index_up_to_date", "1 if the index has all changes of the storage.",
            context.keeper.standing == .upToDate ? 1 : 0)
        health.write(to: &text)
        context.metrics.write(to: &text)
        context.connections.write(to: &text)
        context.searches.write(to: &text)
        return text.text
    }

    // MARK: Sign-in

    /// - Parameter wanted: the page that is shown afterwards.
    private static func form(isWrong: Bool = false, wanted: String?) -> WebAnswer {
        let body: HTML = """
            <main id="content" class="narrow">
            <h1>Sign in</h1>
            <p class="lead">This server asks for its token.</p>
            <form class="card form" method="post" action="/sign-in">
            <input type="hidden" name="to" value="\(wanted ?? "/")">
            <label for="token">Token</label>
            <input id="token" name="token" type="password" autocomplete="current-password" required maxlength="512"\
            \(" aria-invalid=\"true\" aria-describedby=\"wrong\"", if: isWrong)>
            \("<p id=\"wrong\" class=\"error\" role=\"alert\">That is not the token.</p>", if: isWrong)
            <button class="primary" type="submit">Sign in</button>
            </form>
            </main>
            """
        return withoutCompression(Layout.page("Sign in", body, status: isWrong ? .forbidden : .ok))
    }

    private static func signIn(_ request: WebRequest, _ context: WebContext) throws -> WebAnswer {
        guard context.settings.token != nil else { return .redirect(to: LocalLink("/")) }
        guard case .everything? = try context.access(request.fields) else { return form(wanted: request.query["to"]) }
        let body: HTML = """
            <main id="content" class="narrow">
            <h1>You are signed in</h1>
            <form class="card form" method="post" action="/sign-out">
            <button type="submit">Sign out</button>
            </form>
            </main>
            """
        return withoutCompression(Layout.page("Signed in", body))
    }

    /// No page has a secret in it today. These are the ones that would be the first to have one.
    private static func withoutCompression(_ page: WebAnswer) -> WebAnswer {
        var page = page
        page.mayBeCompressed = false
        return page
    }

    private static func signedIn(_ request: WebRequest, _ context: WebContext) throws -> WebAnswer {
        guard let token = context.settings.token else { return .redirect(to: LocalLink("/")) }
        let form = try request.form()
        guard token.matches(form["token"] ?? "") else {
            // Only wrong tokens count, so that strangers do not lock the owner out.
            try context.signIns.pass("Sign-ins")
            return Self.form(isWrong: true, wanted: form["to"])
        }
        return session(
            context.sessions.begin(), seconds: BrowserSessions.days * 86_400, request, to: localPage(form["to"]))
    }

    private static func signedOut(_ request: WebRequest, _ context: WebContext) -> WebAnswer {
        if let identifier = BrowserSessions.identifier(in: request.fields) { context.sessions.end(identifier) }
        return session("", seconds: 0, request, to: LocalLink("/sign-in"))
    }

    /// Sets the cookie of the session, and shows a page.
    private static func session(_ value: String, seconds: Int, _ request: WebRequest, to page: LocalLink) -> WebAnswer {
        // The server itself speaks HTTP; a proxy before it may end TLS. Then the browser must never send the cookie without.
        let isSecure =
            request.fields["x-forwarded-proto"]?.lowercased() == "https"
            || request.fields["origin"]?.lowercased().hasPrefix("https://") == true
        var answer = WebAnswer.redirect(to: page)
        answer.fields.append(
            (
                .setCookie,
                "\(BrowserSessions.cookieName)=\(value); Path=/; HttpOnly; SameSite=Strict; Max-Age=\(seconds)"
                    + (isSecure ? "; Secure" : "")
            ))
        return answer
    }

    /// A page of this server; the first one if the text leads elsewhere.
    static func localPage(_ text: String?) -> LocalLink {
        let base = WebURL("http://here.invalid/")
        guard let text, let url = WebURL(text, base: base), url.origin == base?.origin, !url.path.hasPrefix("//")
        else {
            return LocalLink("/")
        }
        return LocalLink(url.pathAndQuery)
    }

    // MARK: Refusals

    /// The page that says why a request is not fulfilled.
    static func refusal(_ refusal: WebRefusal) -> WebAnswer {
        let title = refusal.status.reasonPhrase
        let needsToken = refusal.status == .unauthorized
        let body: HTML = """
            <main id="content" class="narrow">
            <p class="eyebrow">\(refusal.status.code)</p>
            <h1>\(title)</h1>
            <p class="lead">\(refusal.sentence)</p>
            <p class="ways"><a class="button" href="\(needsToken ? LocalLink("/sign-in", ["to": refusal.wanted]).description : "/")">\(needsToken ? "Sign in" : "Search")</a></p>
            </main>
            """
        return Layout.page(title, body, status: refusal.status)
    }
}

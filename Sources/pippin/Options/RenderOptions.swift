import ArgumentParser
import Foundation
import PippinCrawl
import PippinPage
import PippinRender

/// Whether and how a command runs a page's scripts.
struct RenderOptions: ParsableArguments {
    @Flag(name: .customLong("render"), help: "Run the page's scripts first, in a browser without network.")
    var isOn = false

    @Option(name: .customLong("browser"), help: "The browser's program, if it is not Debian's chromium-headless-shell.")
    var browserPath: String?

    func validate() throws {
        guard !isOn, browserPath != nil else { return }
        throw ValidationError("--browser goes with --render.")
    }

    /// Lays the flags over how pages are rendered.
    func lay(over configuration: inout CrawlConfiguration) {
        guard isOn else { return }
        configuration.render.mode = .always
        configuration.hosts.removeRenderModes()
        configuration.lay(browserPath, over: \.render.browserPath)
    }

    /// The browser for a command, which starts with its first page; nil if nothing is rendered. It must be shut down.
    ///
    /// - Parameter takesScreenshots: whether it takes screenshots of pages, too.
    /// - Throws: if it does not start, and the flag asks for it.
    func browser(
        _ configuration: CrawlConfiguration, takesScreenshots: Bool = false
    ) async throws -> Chromium? {
        guard configuration.rendersPages(with: []) else { return nil }
        if isOn, let missing = await Chromium.problem(configuration.render) {
            throw ConfigurationError(file: "--render", problem: missing.problem)
        }
        return Chromium(
            configuration.render, as: configuration.agent, takesScreenshots: takesScreenshots
        ) { writeError("pippin: \($0)") }
    }
}

extension RenderedPage {
    /// What happened while the page was rendered.
    func json(_ verdict: RenderVerdict) -> JSONValue {
        JSONObject.with {
            $0.put("ending", ending.rawValue)
            $0.put("verdict", verdict.code)
            $0.put("objection", verdict.objection)
            $0["elements"] = .integer(elements)
            $0.putFlag("cut", isCut)
            $0["requests"] = .array(requests.map(\.json))
            $0.put("navigations", navigations)
            if !errors.isEmpty { $0["errors"] = .array(errors.map(\.json)) }
        }
    }
}

extension RenderedPage.Request {
    var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("kind", kind.rawValue)
            switch result {
            case .answered(let status, let bytes, let isKept):
                $0["status"] = .integer(status)
                $0["bytes"] = .integer(bytes)
                $0.putFlag("kept", isKept)
            case .failed(let failure):
                if let code = failure.refusalCode {
                    $0.put("refused", code)
                    $0.put("reason", failure.reason)
                } else {
                    $0.put("failed", failure.error?.code ?? failure.code)
                }
            }
        }
    }
}

import Mustache
import PippinReport

/// The templates of all pages. A template is a Swift string in the file of its page, so that the program needs no other file.
///
/// A variable (`{{title}}`) is escaped for texts and quoted attributes. Addresses come from `SafeLink` or `LocalLink`, so that no
/// record decides what a link does. `{{{body}}}` in the frame is the only markup that is not escaped.
enum PageTemplates {
    /// Every template by its name, which is also that of the partial: `{{>result}}`.
    static let sources: [String: String] = [
        "frame": Layout.frame,
        "refusal": ServerPages.refusalTemplate,
        "sign-in": ServerPages.signInTemplate,
        "home": SearchPage.homeTemplate,
        "results": SearchPage.resultsTemplate,
        "field": SearchPage.fieldTemplate,
        "chips": SearchPage.chipsTemplate,
        "explanation": SearchPage.explanationTemplate,
        "record": RecordPage.template,
        "result": ResultModel.template,
        "facts": ResultModel.factsTemplate,
        "tile": ResultModel.tileTemplate,
    ]

    private static let library: MustacheLibrary = {
        MustacheContentTypes.register(ScalarEscaping(), named: contentType)
        var library = MustacheLibrary()
        for (name, source) in sources {
            do {
                // Partials begin with Mustache's own escaping, so each template names ours.
                try library.register("{{% CONTENT_TYPE: \(contentType)}}" + source, named: name)
            } catch {
                preconditionFailure("The template \(name) must be Mustache: \(error)")
            }
        }
        return library
    }()

    private static let contentType = "PIPPIN"

    /// Mustache escapes by characters, which leaves a quotation mark with a combining mark as it is.
    private struct ScalarEscaping: MustacheContentType {
        func escapeText(_ text: String) -> String { HTMLText.escaped(text) }
    }

    static func render(_ name: String, _ model: PageModel) -> String {
        guard let html = library.render(model, withTemplate: name) else {
            preconditionFailure("There is no template \(name)")
        }
        return html
    }
}

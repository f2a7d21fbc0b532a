import Foundation
import Testing

@testable import PippinPage

/// What lies over a page's content when it opens, as far as markup and inline styles say.
@Suite struct PageOverlayTests {
    private static let text =
        "<p>A mug for tea, thrown by hand and fired twice, in four glazes. Each holds a third of a litre, and each was made by one potter from the first lump of clay to the last look at it, which takes three weeks.</p>"

    private static func overlays(_ body: String, text: String = text) -> [PageOverlay] {
        let document = HTMLDocument(utf8: Array("<!doctype html><body>\(text)\(body)</body>".utf8))
        return PageOverlay.all(in: document, visible: VisibleText(document))
    }

    @Test(arguments: [
        "position:fixed;inset:0", "POSITION: Fixed; top:0; right:0; bottom:0; left:0", "position:fixed;inset:0px 0",
        "position:fixed;top:0;left:0;width:100vw;height:100vh;z-index:9999",
        "position:fixed;left:0;right:0;height:100% !important", "position:fixed;min-width:95%;min-height:100dvh",
    ])
    func `what is fixed from edge to edge is an overlay`(style: String) {
        let found = Self.overlays("<div style=\"\(style)\"><p>Our letter</p><button>Subscribe</button></div>")
        #expect(found.map(\.form) == [.fixed] && found.map(\.purpose) == [.other])
        #expect(found.first?.text == "Our letter")
    }

    @Test(arguments: [
        "position:fixed;top:0;left:0;right:0", "position:absolute;inset:0", "position:fixed;width:50%;height:100%",
        "position:fixed;inset:10px", "position:fixed;inset:0;display:none", "position:fixed;inset:0;visibility:hidden",
        "position:fixed;inset:0;opacity:0", "position:fixed;inset:0;z-index:-1",
        "position:fixed;inset:0;pointer-events:none", "position:sticky;inset:0", "position:fixed;inset:",
        "position:fixed;top:0;left:-100%;width:100%;height:100%",
        "position:fixed;inset:0;transform:translateX(-100%)",
    ])
    func `a banner, a background and what is not shown are none`(style: String) {
        #expect(Self.overlays("<div style=\"\(style)\"><p>Our letter</p><button>Subscribe</button></div>").isEmpty)
    }

    @Test func `an open dialog is an overlay, a closed one and one that is not shown are none`() {
        let letter = "<p>Our letter</p><button>Subscribe</button></dialog>"
        #expect(Self.overlays("<dialog open>" + letter).map(\.form) == [.dialog])
        #expect(Self.overlays("<dialog>" + letter).isEmpty)
        #expect(Self.overlays("<div hidden><dialog open>" + letter + "</div>").isEmpty)
        #expect(Self.overlays("<div style=\"display:none\"><dialog open>" + letter + "</div>").isEmpty)
        #expect(Self.overlays("<noscript><dialog open>" + letter + "</noscript>").isEmpty)
    }

    @Test(arguments: [
        "<dialog open id=\"cookie-banner\"><p>Hello</p><button>Yes</button></dialog>",
        "<dialog open><p>We use cookies.</p><button>Fine</button></dialog>",
        "<dialog open><p>Wir verwenden Cookies.</p><button>Gut</button></dialog>",
        "<dialog open><div class=\"CybotCookiebotDialog\">x</div><button>OK</button></dialog>",
        "<dialog open><p>Are you 18+?</p><button>Yes</button></dialog>",
        "<dialog open><form><input type=\"password\" name=\"p\"><button>Log in</button></form></dialog>",
    ])
    func `what the law or the site's nature asks for is marked as such`(overlay: String) {
        #expect(Self.overlays(overlay).map(\.purpose) == [.required])
    }

    @Test func `an overlay that sends to a store is for an app`() {
        let link = "<a href=\"https://apps.apple.com/app/id123456789\">Continue</a>"
        #expect(Self.overlays("<div style=\"position:fixed;inset:0\">\(link)</div>").map(\.purpose) == [.app])
    }

    @Test func `the page itself in a fixed element is no overlay, nor is a picture that shows loading`() {
        #expect(
            Self.overlays("<div style=\"position:fixed;inset:0\">\(Self.text)<button>x</button></div>", text: "")
                .isEmpty)
        #expect(Self.overlays("<div style=\"position:fixed;inset:0\">Loading…</div>").isEmpty)
    }

    @Test(arguments: [
        "<div role=\"dialog\" style=\"position:fixed;inset:0\"><p>Join us</p></div>",
        "<div role=\"alertdialog\" style=\"position:fixed;width:100%;height:100%\">Join us</div>",
        "<section aria-modal=\"true\" style=\"position:fixed;inset:0\">Join us</section>",
        "<div style=\"position:fixed;top:0;left:0;width:100vw;height:100vh\">Join our letter today</div>",
        "<dialog open>Join us</dialog>",
        "<div style=\"position:fixed;inset:0\">Download our new app today, and wait no more</div>",
    ])
    func `a dialog needs no button, and may be longer than the page`(overlay: String) {
        #expect(Self.overlays(overlay).count == 1)
        guard overlay.contains("role") || overlay.contains("modal") else { return }
        let long = overlay.replacing("Join us", with: String(repeating: "Join us now. ", count: 100))
        #expect(Self.overlays(long).count == 1)
    }

    @Test(arguments: [
        "<div style=\"position:fixed;inset:0\">Please wait</div>",
        "<div id=\"preloader\" style=\"position:fixed;inset:0\">Mugs</div>",
        "<div style=\"position:fixed;inset:0\"><i class=\"spinner\"></i>Mugs</div>",
        "<div role=\"status\" style=\"position:fixed;inset:0\">Mugs</div>",
        "<div aria-busy=\"true\" style=\"position:fixed;inset:0\">Mugs</div>",
        "<div style=\"position:fixed;inset:0\"><img src=\"/a.png\"></div>",
        "<div role=\"dialog\" style=\"position:fixed;inset:0\"></div>",
    ])
    func `what shows loading, or nothing, is no overlay`(markup: String) {
        #expect(Self.overlays(markup).isEmpty)
    }

    @Test func `hostile pages have a few overlays at most`() {
        let one = "<div style=\"position:fixed;inset:0\"><button>x</button>Letter"
        #expect(Self.overlays(String(repeating: one + "</div>", count: 5_000)).count <= 10)
        #expect(Self.overlays(String(repeating: one, count: 5_000)).count <= 10)
        // Nested parts without text of their own are looked through a few times, not thousands.
        #expect(Self.overlays(String(repeating: "<div style=\"position:fixed;inset:0\">", count: 5_000)).isEmpty)
    }
}

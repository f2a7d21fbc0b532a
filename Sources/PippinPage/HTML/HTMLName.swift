/// The element and attribute names that Pippin's extractors ask for, as small numbers.
///
/// A document stores names as `UInt16`: those of this list by their number, all others by their place in the document's
/// own table of spellings (see `HTMLDocument.spelling(ofName:)`). Comparing names is comparing numbers.
public enum HTMLName: UInt16, CaseIterable, Sendable {
    /// A name that is not in this list.
    case other = 0

    // Elements.
    case html, head, body, title, base, link, meta, style, script, noscript, template
    case a, area, address, article, aside, audio, blockquote, br, button, canvas, caption, dd, details, dialog, div, dl
    case dt, embed, fieldset, figcaption, figure, footer, form, frame, frameset, h1, h2, h3, h4, h5, h6, header, hr,
        iframe
    case img, input, label, legend, li, main, map, menu, meter, nav, noframes, object, ol, option, output, p, param
    case picture, pre, progress, section, select, source, span, summary, svg, table, tbody, td, textarea, tfoot, th,
        thead
    case time, tr, track, ul, video

    // Elements that only the building of the tree tells apart.
    case annotationXML, applet, b, basefont, bgsound, big, center, code, col, colgroup, desc, em, font, foreignObject,
        hgroup
    case i, image, keygen, listing, malignmark, marquee, math, mglyph, mi, mn, mo, ms, mtext, nobr, noembed, optgroup
    case plaintext, rb, rp, rt, rtc, ruby, s, search, small, strike, strong, sub, sup, tt, u, `var`, wbr, xmp

    // Attributes; `data`, `label`, `style`, `title`, `span`, `summary` and `form` are elements too and share their number.
    case id, name, content, property, value, itemscope, itemtype, itemid, itemprop, itemref, vocab, `typeof`, resource
    case prefix, about, rel, rev, href, src, datatype, inlist, lang, datetime, charset, type, media, hreflang, sizes,
        alt
    case width, height, srcset, action, method, target, required, role, `class`, hidden, data, cite, background,
        codebase
    case longdesc, manifest, poster, profile, ping, formaction, imagesrcset, imagesizes, color, `as`, dir
    case httpEquiv, xmlLang, xmlns, itempropReverse, appArgument, appID, dataSrc, dataHref, ariaHidden
    case encoding, face, size

    /// The name as it is written in a page, lower case.
    public var spelling: String { Self.spellings[Int(rawValue)] }

    /// Every spelling, by raw value.
    static let spellings: [String] = allCases.map { name in
        switch name {
        case .annotationXML: "annotation-xml"
        case .foreignObject: "foreignobject"
        case .httpEquiv: "http-equiv"
        case .xmlLang: "xml:lang"
        case .itempropReverse: "itemprop-reverse"
        case .appArgument: "app-argument"
        case .appID: "app-id"
        case .dataSrc: "data-src"
        case .dataHref: "data-href"
        case .ariaHidden: "aria-hidden"
        default: String(describing: name)
        }
    }

    /// The number of a spelling; `other` is none.
    static let numbers: [String: UInt16] = Dictionary(
        uniqueKeysWithValues: allCases.dropFirst().map { (spellings[Int($0.rawValue)], $0.rawValue) })

    /// Elements that never have content, the retired ones included (WHATWG HTML §13.3, "serializes as void").
    var isVoid: Bool {
        switch self {
        case .area, .base, .basefont, .bgsound, .br, .col, .embed, .frame, .hr, .img, .input, .keygen, .link, .meta,
            .param, .source, .track, .wbr:
            true
        default: false
        }
    }
}

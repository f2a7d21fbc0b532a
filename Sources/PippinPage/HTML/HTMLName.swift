/// The element and attribute names that Pippin uses, as small numbers.
public enum HTMLName: UInt16, CaseIterable, Sendable {
    /// A name that is not in this list.
    case other = 0

    // Elements.
    case html, head, body, title, base, link, meta, style, script, noscript, template
    case a, abbr, area, address, article, aside, audio, blockquote, br, button, canvas, caption, dd, details, dialog,
        div, dl
    case dt, embed, fieldset, figcaption, figure, footer, form, frame, frameset, h1, h2, h3, h4, h5, h6, header, hr,
        iframe
    case img, input, ins, label, legend, li, main, map, menu, meter, nav, noframes, object, ol, option, output, p, param
    case picture, pre, progress, section, select, source, span, summary, svg, table, tbody, td, textarea, tfoot, th,
        thead
    case time, tr, track, ul, video

    // Elements that only `TreeBuilder` needs.
    case annotation, annotationXML, applet, b, basefont, bgsound, big, center, code, col, colgroup, del, desc, em, font,
        foreignObject, hgroup
    case i, image, keygen, listing, malignmark, marquee, math, mglyph, mi, mn, mo, ms, mtext, nobr, noembed, optgroup
    case plaintext, rb, rp, rt, rtc, ruby, s, search, small, strike, strong, sub, sup, tt, u, `var`, wbr, xmp

    // Attributes; `data`, `label`, `style`, `title`, `span`, `summary` and `form` are elements too and share their number.
    case id, name, content, property, value, itemscope, itemtype, itemid, itemprop, itemref, vocab, `typeof`, resource
    case prefix, about, rel, rev, href, src, datatype, inlist, lang, datetime, charset, type, media, hreflang, sizes,
        alt
    case width, height, srcset, action, method, target, required, role, `class`, hidden, data, cite, background,
        codebase
    case longdesc, manifest, poster, profile, ping, formaction, imagesrcset, imagesizes, color, `as`, dir
    case httpEquiv, xmlLang, xmlns, itempropReverse, appArgument, appID, dataSrc, dataHref, dataNosnippet, ariaHidden,
        ariaLabel, ariaModal
    case encoding, face, size

    /// The name in lower case, as in a page.
    public var spelling: String { Self.spellings[Int(rawValue)] }

    /// The spellings, by raw value.
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
        case .dataNosnippet: "data-nosnippet"
        case .ariaHidden: "aria-hidden"
        case .ariaLabel: "aria-label"
        case .ariaModal: "aria-modal"
        default: String(describing: name)
        }
    }

    /// The number of each spelling; `other` has none.
    static let numbers: [String: UInt16] = Dictionary(
        uniqueKeysWithValues: allCases.dropFirst().map { (spellings[Int($0.rawValue)], $0.rawValue) })

    /// Elements that never have content, including obsolete ones (WHATWG HTML §13.3, "serializes as void").
    var isVoid: Bool {
        switch self {
        case .area, .base, .basefont, .bgsound, .br, .col, .embed, .frame, .hr, .img, .input, .keygen, .link, .meta,
            .param, .source, .track, .wbr:
            true
        default: false
        }
    }

    /// Elements of SVG that mean what HTML's of that name mean (SVG 2 §6.5, §15.4, §16.2): a link leads to its `href`, a script runs,
    /// a style sheet is the page's.
    var meansTheSameInSVG: Bool {
        switch self {
        case .a, .script, .style: true
        default: false
        }
    }
}

/// The properties of element names that building the tree needs (WHATWG HTML §13.2.4.2 and §13.2.6).
struct ElementRules: OptionSet {
    let rawValue: UInt32

    /// Only its own end tag closes it.
    static let special = ElementRules(rawValue: 1 << 0)
    /// Formatting: it is opened again after an element around it was closed.
    static let formatting = ElementRules(rawValue: 1 << 1)
    /// Nothing inside it can close elements outside of it. The four rules are for most elements, list items, `p`, and tables.
    static let scopeBorder = ElementRules(rawValue: 1 << 2)
    static let listScopeBorder = ElementRules(rawValue: 1 << 3)
    static let buttonScopeBorder = ElementRules(rawValue: 1 << 4)
    static let tableScopeBorder = ElementRules(rawValue: 1 << 5)
    /// Its end tag may be left out.
    static let impliedEnd = ElementRules(rawValue: 1 << 6)
    static let impliedEndInTemplate = ElementRules(rawValue: 1 << 7)
    /// Begins a block and ends the `p` before it.
    static let block = ElementRules(rawValue: 1 << 8)
    static let heading = ElementRules(rawValue: 1 << 9)
    /// Its text is not markup.
    static let rawText = ElementRules(rawValue: 1 << 10)
    /// `tbody`, `thead`, `tfoot`.
    static let tableBody = ElementRules(rawValue: 1 << 11)
    /// `td`, `th`.
    static let tableCell = ElementRules(rawValue: 1 << 12)
    /// `table`, its bodies and rows: text and other elements inside them are moved before the table.
    static let fosters = ElementRules(rawValue: 1 << 13)
    /// Belongs to the head, wherever the page has it.
    static let metadata = ElementRules(rawValue: 1 << 14)
    /// Closes open elements of SVG and MathML.
    static let endsForeign = ElementRules(rawValue: 1 << 15)
    /// `caption`, `col`, `colgroup`, rows, bodies and cells.
    static let tablePart = ElementRules(rawValue: 1 << 16)

    fileprivate static let anyScopeBorder: ElementRules = [.scopeBorder, .listScopeBorder, .buttonScopeBorder]
}

extension HTMLName {
    var rules: ElementRules { Self.rules[Int(rawValue)] }

    /// The rules by raw value. Names of attributes have none.
    static let rules: [ElementRules] = {
        var rules = Array(repeating: ElementRules(), count: allCases.count)
        func set(_ rule: ElementRules, _ names: [HTMLName]) {
            for name in names { rules[Int(name.rawValue)].formUnion(rule) }
        }
        set(
            .special,
            [
                .address, .applet, .area, .article, .aside, .base, .basefont, .bgsound, .blockquote, .body, .br,
                .button,
                .caption, .center, .col, .colgroup, .dd, .details, .dir, .div, .dl, .dt, .embed, .fieldset, .figcaption,
                .figure, .footer, .form, .frame, .frameset, .h1, .h2, .h3, .h4, .h5, .h6, .head, .header, .hgroup, .hr,
                .html, .iframe, .img, .input, .keygen, .li, .link, .listing, .main, .marquee, .menu, .meta, .nav,
                .noembed, .noframes, .noscript, .object, .ol, .p, .param, .plaintext, .pre, .script, .search, .section,
                .select, .source, .style, .summary, .table, .tbody, .td, .template, .textarea, .tfoot, .th, .thead,
                .title, .tr, .track, .ul, .wbr, .xmp,
            ])
        set(
            .formatting,
            [.a, .b, .big, .code, .em, .font, .i, .nobr, .s, .small, .strike, .strong, .tt, .u])
        set(
            .anyScopeBorder,
            [.applet, .caption, .html, .table, .td, .th, .marquee, .object, .select, .template])
        set(.listScopeBorder, [.ol, .ul])
        set(.buttonScopeBorder, [.button])
        set(.tableScopeBorder, [.html, .table, .template])
        set([.impliedEnd, .impliedEndInTemplate], [.dd, .dt, .li, .optgroup, .option, .p, .rb, .rp, .rt, .rtc])
        set(.impliedEndInTemplate, [.caption, .colgroup, .tbody, .td, .tfoot, .th, .thead, .tr])
        set(
            .block,
            [
                .address, .article, .aside, .blockquote, .center, .details, .dialog, .dir, .div, .dl, .fieldset,
                .figcaption, .figure, .footer, .header, .hgroup, .main, .menu, .nav, .ol, .p, .search, .section,
                .summary, .ul,
            ])
        set(.heading, [.h1, .h2, .h3, .h4, .h5, .h6])
        set(
            .rawText, [.script, .style, .title, .textarea, .xmp, .iframe, .noembed, .noframes, .plaintext])
        set(.tableBody, [.tbody, .thead, .tfoot])
        set(.tableCell, [.td, .th])
        set(.fosters, [.table, .tbody, .thead, .tfoot, .tr])
        set(.metadata, [.base, .basefont, .bgsound, .link, .meta, .noframes, .script, .style, .template, .title])
        set(.tablePart, [.caption, .col, .colgroup, .tbody, .td, .tfoot, .th, .thead, .tr])
        set(
            .endsForeign,
            [
                .b, .big, .blockquote, .body, .br, .center, .code, .dd, .div, .dl, .dt, .em, .embed, .h1, .h2, .h3, .h4,
                .h5, .h6, .head, .hr, .i, .img, .li, .listing, .menu, .meta, .nobr, .ol, .p, .pre, .ruby, .s, .small,
                .span, .strong, .strike, .sub, .sup, .table, .tt, .u, .ul, .var,
            ])
        return rules
    }()
}

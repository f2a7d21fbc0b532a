/// What a page shows of its product, for pages whose markup does not say it: price, whether it can be bought, brand, numbers.
///
/// All of it is found by the names that people gave to elements behind the headline. The price is the first one that is not struck
/// through and in no part about other products. It can be bought if there is a button for it (by its name, its text or where it leads),
/// or if an element is named after its stock or says it (`StockWords`). Brand and numbers stand behind labels too (`Marke: X`). These
/// are guesses, so they are asked for only where nothing states it, and of pages that are about a product.
struct VisibleProduct {
    private(set) var price: SchemaOrg.Price?
    /// A member of schema.org's `ItemAvailability`.
    private(set) var availability: String?
    /// How many elements have a price of their own behind the headline: a list of products has many.
    private(set) var prices = 0
    /// Whether another price stands as the first one does, in an element of the same name in a parent of the same name: entries of a list.
    private(set) var isListed = false
    /// What stands behind a label for brands.
    private(set) var labelledBrand: String?
    /// Short texts in elements named after brands, in the order of the page.
    private(set) var brands: [String] = []
    /// The shop's or maker's numbers, and numbers with a check digit, each with its kind as `Identifiers.add` has it.
    private(set) var numbers: [(text: String, kind: String)] = []

    private struct Hints: OptionSet {
        let rawValue: UInt16
        static let price = Hints(rawValue: 1)
        /// Not what is paid now for one: struck through, a part of it, a sum, a limit of a filter.
        static let otherPrice = Hints(rawValue: 2)
        /// About other products, or of the whole shop.
        static let beside = Hints(rawValue: 4)
        static let cart = Hints(rawValue: 8)
        static let add = Hints(rawValue: 16)
        static let stock = Hints(rawValue: 32)
        static let missing = Hints(rawValue: 64)
        static let cents = Hints(rawValue: 128)
        static let buy = Hints(rawValue: 256)
        static let soldOut = Hints(rawValue: 512)
        static let inStock = Hints(rawValue: 1024)
        static let brand = Hints(rawValue: 2048)
        /// A part number by itself, or one together with what it is of.
        static let partNumber = Hints(rawValue: 4096)
        static let number = Hints(rawValue: 8192)
        static let ofProduct = Hints(rawValue: 16384)
        /// Struck through, or for something else than the product.
        static let struck = Hints(rawValue: 32768)

        /// Of something that puts the product into the cart.
        var buys: Bool { contains(.buy) || isSuperset(of: [.cart, .add]) }
    }

    private static let words = NameWords([
        (
            Hints.price.rawValue,
            """
            price prices pricing preis prix prezzo precio preco cena hinta pris prijs pricenew newprice saleprice currentprice ourprice
            sellprice finalprice pricetag pricevalue pricebox priceblock productprice
            """
        ),
        (
            Hints.otherPrice.rawValue,
            """
            old was list msrp rrp uvp before original previous prev monthly month unit per save saving savings saved discount compare range
            filter min max points total subtotal deposit tax vat alert history loan credit finance from
            """
        ),
        (
            Hints.struck.rawValue,
            """
            strike striked strikethrough through crossed oldprice priceold listprice wasprice shipping delivery installment instalment
            installments
            """
        ),
        (
            Hints.beside.rawValue,
            """
            related recommend recommended recommendation recommendations similar upsell upsells crosssell crosssells cross carousel also viewed
            recently footer header nav navigation menu sidebar comment comments review reviews minicart slider swiper slick owl suggest
            suggestions accessories bundle together teaser breadcrumb breadcrumbs modal popup search
            """
        ),
        (
            Hints.cart.rawValue,
            "cart basket bag trolley warenkorb panier carrito carrinho carrello koszyk koszyka kosik kosika sepet"
        ),
        (Hints.add.rawValue, "add into put btn button submit toevoegen dodaj pridat"),
        (
            Hints.buy.rawValue,
            """
            buy buynow buybutton addtocart addtobasket addtobag add2cart buybox btncart btnbuy buybtn comprar acheter kaufen kopen kupit
            kupi koupit
            """
        ),
        (Hints.stock.rawValue, "stock availability"),
        (Hints.inStock.rawValue, "instock"),
        (Hints.missing.rawValue, "out no not un unavailable"),
        (Hints.soldOut.rawValue, "outofstock soldout nostock notavailable ausverkauft agotado epuise esgotado"),
        (
            Hints.brand.rawValue,
            "brand brands brandname productbrand manufacturer marca marke marque vendor hersteller merk producer producent vyrobce znacka fabricante"
        ),
        (
            Hints.partNumber.rawValue,
            """
            sku productcode productsku articlenumber artikelnummer artnr articlenr refnumber itemnumber itemno prodcode partnumber
            reference referencia referentie productid modelnumber
            """
        ),
        (Hints.number.rawValue, "code number no nr num id ref kod cod"),
        (Hints.ofProduct.rawValue, "product prd prod item article artikel part element art goods"),
        (Hints.cents.rawValue, "cents cent decimal decimals fraction centimes"),
    ])

    /// Bytes of an element that is nothing but a price.
    private static let maximumPriceBytes = 80
    /// Elements that are asked for a price.
    private static let maximumCandidates = 400

    /// Brands and numbers that are kept.
    private static let maximumTexts = 10

    private let document: HTMLDocument
    private var beside = InheritedMark()
    private var struck = InheritedMark()

    /// Elements behind the headline that are looked at: of a page that says it is about a product, and of others.
    static let elementsOfProduct = 4_000
    static let elementsOfOthers = 600

    /// The heading that names the page, else its first `h1`; nil for a page without either.
    ///
    /// - Parameter title: what the page is called. A shop's menus and banners have headings, too.
    static func headline(of document: HTMLDocument, title: String?) -> HTMLDocument.Index? {
        let title = FoldedName((title ?? "").prefix(300))
        for name in [HTMLName.h1, .h2] {
            for heading in document.elements(named: name).prefix(maximumHeadings) {
                let text = FoldedName(document.visibleText(of: heading, maximumBytes: 600))
                let (short, long) = text.count < title.count ? (text, title) : (title, text)
                if short.count >= 4, 2 * short.count >= long.count, long.contains(short) { return heading }
            }
        }
        return document.elements(named: .h1).first
    }

    private static let maximumHeadings = 12

    /// - Parameters:
    ///   - headline: what is looked at begins behind it.
    ///   - elements: how many elements behind it are looked at.
    ///   - needsPrice: whether nothing is wanted of a page without an element that is named after a price, as most pages are.
    ///   - visible: the document's text.
    init(
        _ document: HTMLDocument, behind headline: HTMLDocument.Index?, elements: Int, needsPrice: Bool,
        visible: VisibleText, limits: ReadingLimits
    ) {
        self.document = document
        var steps = InterruptibleSteps(limits)
        let headline = headline ?? 0
        let part = document.elements.indices.dropFirst(headline + 1).prefix(elements)
        if needsPrice, !part.contains(where: { steps.isInterrupted() || names(of: $0).contains(.price) }) { return }
        var canBeBought = false
        var isGone = false
        var firstPrice = headline
        var left = Self.maximumCandidates
        var end = 0
        for element in part {
            if steps.isInterrupted() || left == 0 { break }
            let hints = names(of: element)
            if !canBeBought, isButton(element, hints), !isBeside(element), isEnabled(element) { canBeBought = true }
            guard !hints.isEmpty else { continue }
            if hints.contains(.price), hints.isDisjoint(with: [.otherPrice, .struck]), element >= end {
                left -= 1
                if let found = readPrice(element), !isBeside(element), !isStruck(element) {
                    prices += 1
                    if price == nil {
                        firstPrice = element
                    } else if stands(element, like: firstPrice) {
                        isListed = true
                    }
                    price = price ?? found
                    end = document.descendants(of: element).upperBound
                }
            }
            if hints.buys, isControl(element), !leadsToCart(element) {
                canBeBought = canBeBought || !isBeside(element) && isEnabled(element)
            }
            if hints.contains(.brand), brands.count < Self.maximumTexts, !isBeside(element),
                let brand = shortText(element)
            {
                if !brands.contains(brand) { brands.append(brand) }
            }
            if hints.contains(.partNumber) || hints.isSuperset(of: [.number, .ofProduct]), !hints.contains(.price),
                !isBeside(element), let number = partNumber(element)
            {
                add(number, "sku")
            }
            if hints.contains(.soldOut) || hints.isSuperset(of: [.stock, .missing]) {
                isGone = isGone || !isBeside(element) && isShown(element)
            } else if hints.contains(.inStock) {
                canBeBought = canBeBought || !isBeside(element) && isShown(element)
            }
        }
        let said = readStock(visible, in: headline..<headline + elements + 1, &steps)
        canBeBought = canBeBought || said.isThere
        isGone = isGone || said.isGone
        // Of a page that says both, one is about something else.
        if let labelled = said.labelled {
            availability = labelled
        } else if canBeBought != isGone {
            availability = canBeBought ? "InStock" : "OutOfStock"
        }
    }

    // MARK: Names

    private func names(of element: HTMLDocument.Index) -> Hints { Self.names(of: element, in: document) }

    private static func names(of element: HTMLDocument.Index, in document: HTMLDocument) -> Hints {
        var hints: Hints = []
        for name in [HTMLName.class, .id, .itemprop, .name] {
            guard let value = document.bytes(of: name, on: element) else { continue }
            NameWords.forEachWord(in: value.prefix(300)) { hash, _ in
                hints.formUnion(Hints(rawValue: words.meaning(of: hash)))
                return true
            }
        }
        return hints
    }

    private mutating func isBeside(_ element: HTMLDocument.Index) -> Bool {
        guard let parent = document.parent(of: element) else { return false }
        // Not `self`, of which the closure would have a copy, and the marks with it.
        return beside.covers(parent, in: document) { [document] element in
            switch document.elements[element].name {
            case .html, .body, .main: false
            case .nav, .footer, .aside, .header: true
            default: Self.names(of: element, in: document).contains(.beside)
            }
        }
    }

    /// Whether it is struck through, no price of the product, or not shown; also by what it stands in.
    private mutating func isStruck(_ element: HTMLDocument.Index) -> Bool {
        struck.covers(element, in: document) { [document] element in
            switch document.elements[element].name {
            case .s, .del, .strike: return true
            case .html, .body, .main: return false
            default: break
            }
            var hints = Self.names(of: element, in: document)
            // `<ul class="price-list">` has no list price.
            if [.ul, .ol, .dl].contains(document.elements[element].name) { hints.subtract(.otherPrice) }
            if hints.contains(.struck) || hints.isSuperset(of: [.price, .otherPrice])
                || !Self.isShown(element, in: document)
            {
                return true
            }
            let style = document.bytes(of: .style, on: element)
            return style.map { String(decoding: $0.prefix(500), as: UTF8.self).has("line-through") } ?? false
        }
    }

    private func isShown(_ element: HTMLDocument.Index) -> Bool { Self.isShown(element, in: document) }

    private static func isShown(_ element: HTMLDocument.Index, in document: HTMLDocument) -> Bool {
        if document.has(.hidden, on: element) { return false }
        guard let style = document.bytes(of: .style, on: element) else { return true }
        return InlineStyle(style).hiding.isDisjoint(with: [.notDisplayed, .offScreen])
    }

    private func isControl(_ element: HTMLDocument.Index) -> Bool {
        switch document.elements[element].name {
        case .button, .a, .form, .input: true
        default:
            document.bytes(of: .role, on: element)?.equalsIgnoringCase("button") == true
                || (1...40).contains(document.textBytes(of: element).count)
        }
    }

    private func isEnabled(_ element: HTMLDocument.Index) -> Bool {
        isShown(element)
            && !document.attributes(of: element).contains {
                $0.name == "disabled" || $0.name == "aria-disabled" && $0.value == "true"
            }
    }

    /// Bytes of a button's text, and of what it says of itself otherwise.
    private static let maximumButtonBytes = (text: 60, attribute: 400)

    /// Whether it is a button that buys, by its text, its script, or the address that it asks for: `/cart/add`.
    private func isButton(_ element: HTMLDocument.Index, _ hints: Hints) -> Bool {
        var text: [UInt8] = []
        var isNamed = hints.contains(.add)
        let name = document.elements[element].name
        switch name {
        case .button, .a, .form, .input: break
        default: return false
        }
        for (attribute, value) in document.attributes(of: element)
        where value.utf8.count <= Self.maximumButtonBytes.attribute {
            switch attribute {
            case "action" where name == .form, "href" where name == .a:
                if Self.hints(in: value.utf8).isSuperset(of: [.cart, .add]) { return true }
            case "onclick", "data-action": if name != .form, Self.hints(in: value.utf8).buys { return true }
            case "type" where name == .input: isNamed = isNamed || ["submit", "button"].contains(value.asciiLowercased)
            case "value" where name == .input: text = Array(value.utf8.prefix(Self.maximumButtonBytes.text))
            case "role": isNamed = isNamed || value.asciiLowercased == "button"
            default: break
            }
        }
        if name == .button || name == .a {
            let bytes = document.textBytes(of: element)
            guard bytes.count <= 4 * Self.maximumButtonBytes.text else { return false }
            text = Array(document.visibleText(of: element, maximumBytes: Self.maximumButtonBytes.text).utf8)
        }
        guard name != .form, !text.isEmpty, isNamed || name == .button || name == .a else { return false }
        return StockWords.buys(
            String(decoding: text, as: UTF8.self), isButton: name != .a || isNamed) && !leadsToCart(element)
    }

    private static func hints(in value: some Sequence<UInt8>) -> Hints {
        var hints: Hints = []
        NameWords.forEachWord(in: value) { hash, _ in
            hints.formUnion(Hints(rawValue: words.meaning(of: hash)))
            return true
        }
        return hints
    }

    /// Whether it is a link to the cart, and not one that puts something there.
    private func leadsToCart(_ element: HTMLDocument.Index) -> Bool {
        guard document.elements[element].name == .a, let address = document.bytes(of: .href, on: element) else {
            return false
        }
        let path = address.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard path.count == address.count, let last = path.split(separator: UInt8(ascii: "/")).last else {
            return false
        }
        var isCart = false
        NameWords.forEachWord(in: last.prefix(100)) { hash, _ in
            isCart = Hints(rawValue: Self.words.meaning(of: hash)).contains(.cart)
            return isCart
        }
        return isCart
    }

    /// Whether an element and its parent have the classes of another one and its parent, and the parents are two.
    private func stands(_ element: HTMLDocument.Index, like other: HTMLDocument.Index) -> Bool {
        guard let parent = document.parent(of: element), let otherParent = document.parent(of: other),
            parent != otherParent
        else { return false }
        return [(element, other), (parent, otherParent)].allSatisfy {
            document.bytes(of: .class, on: $0) == document.bytes(of: .class, on: $1)
        }
    }

    // MARK: Stock

    /// What the page's text says of the product's stock.
    private struct SaidStock {
        /// Behind a label like “Availability”.
        var labelled: String?
        var isThere = false
        var isGone = false
    }

    /// Reads `Availability: in stock` in one block or two, and blocks that say nothing but `In stock`.
    private mutating func readStock(
        _ visible: VisibleText, in part: Range<HTMLDocument.Index>, _ steps: inout InterruptibleSteps
    ) -> SaidStock {
        var said = SaidStock()
        var isLabelled = false
        for block in visible.blocks where block.element >= part.lowerBound {
            if steps.isInterrupted() || block.element >= part.upperBound || said.labelled != nil { break }
            guard block.range.count <= 2 * Self.maximumLabelBytes else {
                isLabelled = false
                continue
            }
            let text = String(decoding: visible.bytes[block.range], as: UTF8.self)
            let wasLabelled = isLabelled
            let (isLabel, value) = StockWords.labelled(text)
            isLabelled = isLabel && value.isEmpty
            guard !block.isBeside, !(isLabel && value.isEmpty),
                let stock = StockWords.stock(in: isLabel ? value : text, isLabelled: isLabel || wasLabelled),
                !isBeside(block.element), !names(of: block.element).contains(.beside), isShown(block.element)
            else { continue }
            if isLabel || wasLabelled {
                said.labelled = stock == .there ? "InStock" : "OutOfStock"
            } else if stock == .there {
                said.isThere = true
            } else if !isChoice(block.element) {
                said.isGone = true
            }
        }
        return said
    }

    /// Whether an element may be one of several sizes or colors.
    private func isChoice(_ element: HTMLDocument.Index) -> Bool {
        switch document.elements[element].name {
        case .li, .option, .label, .td: true
        default: false
        }
    }

    // MARK: Brand and numbers

    /// Elements inside of one that is asked for its text.
    private static let maximumParts = 50

    /// The brand behind a label that a site has put into its markup: `X` of `More of the brand: X`.
    static func withoutLabel(_ brand: String) -> String {
        guard let colon = brand.firstIndex(of: ":"),
            let label = brand[..<colon].split(separator: " ").last, brandLabels.contains(label.lowercased())
        else { return brand }
        let name = String(brand[brand.index(after: colon)...]).trimmingHTMLSpace()
        return name.isEmpty ? brand : name
    }

    /// The text of an element that has little, or what its picture shows.
    private func shortText(_ element: HTMLDocument.Index) -> String? {
        guard document.textBytes(of: element).count <= 200, document.descendants(of: element).count <= Self.maximumParts
        else { return nil }
        let text = document.visibleText(of: element).collapsingHTMLSpace().trimmingHTMLSpace()
        if !text.isEmpty { return text.utf8.count <= 60 ? text : nil }
        if let content = document.value(of: .content, on: element), !content.isEmpty { return content }
        for inner in document.descendants(of: element) where document.elements[inner].name == .img {
            return document.value(of: .alt, on: inner)
        }
        return nil
    }

    /// `46286401` of `Product code: 46286401`.
    private func partNumber(_ element: HTMLDocument.Index) -> String? {
        guard let text = shortText(element) else { return nil }
        guard let word = (text.split(separator: ":").last ?? text[...]).split(whereSeparator: \.isWhitespace).last
        else {
            return nil
        }
        // A label stands before it, or nothing.
        let label = text.dropLast(word.count)
        guard !label.utf8.contains(where: \.isASCIIDigit), label.utf8.count <= 30 else { return nil }
        return Self.partNumber(word)
    }

    /// A word with digits; without brackets and number signs around it.
    private static func partNumber(_ text: some StringProtocol) -> String? {
        let word = text.drop { "#(№ ".contains($0) }.prefix { !"),; ".contains($0) }
        guard word.count == text.drop(while: { "#(№ ".contains($0) }).prefix(while: { !"),;".contains($0) }).count,
            (3...32).contains(word.utf8.count), word.utf8.contains(where: \.isASCIIDigit),
            // A rating, a share, a price.
            !word.unicodeScalars.contains(where: { $0 == "%" || $0.properties.generalCategory == .currencySymbol }),
            !word.utf8.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") })
                || word.utf8.allSatisfy(\.isASCIIDigit)
        else { return nil }
        return SchemaOrg.partNumber(String(word))
    }

    private mutating func add(_ number: String, _ kind: String) {
        guard numbers.count < Self.maximumTexts, !numbers.contains(where: { $0.text == number && $0.kind == kind })
        else {
            return
        }
        numbers.append((number, kind))
    }

    // MARK: Labels

    /// How shops label the brand, in the languages whose shops were looked at.
    private static let brandLabels: Set<String> = [
        "brand", "brand name", "manufacturer", "marca", "marke", "hersteller", "marque", "fabricant", "fabricante",
        "produttore", "merk",
        "fabrikant", "märke", "varumärke", "tillverkare", "mærke", "merke", "producent", "merkki", "tuotemerkki",
        "valmistaja", "značka",
        "výrobca", "výrobce", "márka", "gyártó", "marka", "producător", "brend", "proizvođač", "znamka",
        "blagovna znamka", "zīmols",
        "ražotājs", "prekės ženklas", "gamintojas", "kaubamärk", "tootja", "üretici", "бренд", "марка",
        "торговая марка", "производитель",
        "торгова марка", "виробник", "μάρκα", "κατασκευαστής", "מותג", "יצרן", "العلامة التجارية", "الماركة", "ماركة",
        "برند", "品牌", "廠牌",
        "ブランド", "メーカー", "브랜드", "제조사", "แบรนด์", "ยี่ห้อ", "thương hiệu", "merek", "jenama",
    ]
    /// How they label their own number for it.
    private static let numberLabels: Set<String> = [
        "sku", "item number", "item no.", "item no", "item code", "item #", "ebay item number", "product code",
        "product number",
        "product id", "article number", "article no.", "art. no.", "art.-nr.", "art.-nr", "art.nr.", "art. nr.",
        "artikelnummer",
        "artikel-nr.", "artikelnr.", "artikel-nummer", "bestellnummer", "bestell-nr.", "código", "código de producto",
        "código do produto",
        "referencia", "referência", "ref.", "ref", "référence", "réf.", "codice", "codice prodotto", "codice articolo",
        "cod produs",
        "cod. produs", "kod produktu", "numer katalogowy", "nr katalogowy", "nr ref.", "numer referencyjny", "kód",
        "kód produktu",
        "kód zboží", "kód tovaru", "cikkszám", "termékkód", "šifra", "šifra izdelka", "šifra artikla",
        "šifra proizvoda", "tuotenumero",
        "tuotekoodi", "varenummer", "varenr.", "artnr", "tootekood", "prekės kodas", "preces kods", "ürün kodu",
        "stok kodu", "код",
        "код товара", "артикул", "код товару", "код продукта", "κωδικός", "κωδικός προϊόντος", "מק\"ט", "מק״ט",
        "رقم المنتج", "商品番号",
        "商品编号", "商品編號", "商品貨號", "상품번호", "제품번호", "kode produk", "mã sản phẩm",
    ]
    private static let checkedLabels = [
        "gtin", "ean", "upc", "isbn", "isbn-13", "isbn-10", "barcode", "ean code", "ean-code", "ean13",
    ]
    /// Bytes of a label, and of what stands behind it.
    private static let maximumLabelBytes = 60

    /// Reads `LABEL: VALUE` in one block, or in two that follow each other, as cells and definition lists have them.
    mutating func readLabels(_ visible: VisibleText, limits: ReadingLimits) {
        var steps = InterruptibleSteps(limits)
        var label: String?
        for block in visible.blocks where !block.isBeside {
            if steps.isInterrupted() { return }
            guard block.range.count <= 2 * Self.maximumLabelBytes else {
                label = nil
                continue
            }
            let text = String(decoding: visible.bytes[block.range], as: UTF8.self)
            let colon = text.firstIndex { $0 == ":" || $0 == "：" }
            let name = String(text[..<(colon ?? text.endIndex)]).trimmingHTMLSpace()
            let folded = name.utf8.count <= Self.maximumLabelBytes ? name.lowercased() : ""
            let isLabel =
                Self.brandLabels.contains(folded) || Self.numberLabels.contains(folded)
                || Self.checkedLabels.contains(folded)
            let value = colon.map { text[text.index(after: $0)...].drop { $0 == " " } } ?? ""
            if isLabel, !value.isEmpty { take(String(value), behind: folded) }
            if let label, !isLabel { take(text, behind: label) }
            // A tab or a heading may be a label's word, too.
            label = isLabel && value.isEmpty && (colon != nil || isCell(block.element)) ? folded : nil
        }
    }

    private func isCell(_ element: HTMLDocument.Index) -> Bool {
        switch document.elements[element].name {
        case .th, .td, .dt: true
        default: false
        }
    }

    private mutating func take(_ value: String, behind label: String) {
        guard value.utf8.count <= Self.maximumLabelBytes else { return }
        if Self.brandLabels.contains(label) {
            labelledBrand = labelledBrand ?? value
        } else if Self.checkedLabels.contains(label) {
            add(value, label.hasPrefix("isbn") ? "isbn" : "gtin")
        } else if let number = Self.partNumber(value) {
            add(number, "sku")
        }
    }

    // MARK: Prices

    /// The price that an element consists of; nil if it holds other text, or two prices that are no range.
    private func readPrice(_ element: HTMLDocument.Index) -> SchemaOrg.Price? {
        guard let text = text(of: element), let price = SchemaOrg.price(text),
            price.amount.map({ $0 != "0" }) ?? (price.low != nil)
        else { return nil }
        // A sign or code of a currency, or a short word for it, and little else.
        let rest = text.unicodeScalars.filter { !$0.properties.isWhitespace && !Self.isOfNumber($0) }
        guard (1...14).contains(rest.count) else { return nil }
        // Two prices side by side: which is paid?
        let digits = { (text: String) in text.unicodeScalars.count { $0.properties.generalCategory == .decimalNumber } }
        if let amount = price.amount, digits(text) > digits(amount) { return nil }
        return price
    }

    private static func isOfNumber(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .decimalNumber || ".,'’-–".unicodeScalars.contains(scalar)
    }

    /// Its text in one line, with a mark before cents that are written small; nil if it is long or empty.
    private func text(of element: HTMLDocument.Index) -> String? {
        let node = document.elements[element]
        guard Int(node.textEnd) - Int(node.textStart) <= 4 * Self.maximumPriceBytes,
            document.descendants(of: element).count <= Self.maximumParts
        else { return nil }
        var bytes: [UInt8] = []
        var position = Int(node.textStart)
        for inner in document.descendants(of: element) {
            let part = document.elements[inner]
            switch part.name {
            case .s, .del, .strike, .script, .style, .template: return nil
            default: break
            }
            guard part.name == .sup || names(of: inner).contains(.cents), Int(part.textStart) >= position else {
                continue
            }
            bytes += document.text[position..<Int(part.textStart)]
            position = Int(part.textStart)
            let cents = document.text[position..<Int(part.textEnd)].filter { !$0.isHTMLSpace }
            if bytes.last(where: { !$0.isHTMLSpace })?.isASCIIDigit == true, cents.count == 2,
                cents.allSatisfy(\.isASCIIDigit)
            {
                bytes.append(UInt8(ascii: "."))
            }
        }
        bytes += document.text[position..<Int(node.textEnd)]
        let text = String(decoding: bytes, as: UTF8.self).collapsingHTMLSpace().trimmingHTMLSpace()
        return text.isEmpty || text.utf8.count > Self.maximumPriceBytes ? nil : text
    }
}

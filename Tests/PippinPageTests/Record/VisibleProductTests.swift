import PippinTestSupport
import Testing

@testable import PippinPage

/// What is read of a product in what its page shows, and what is not.
@Suite struct VisibleProductTests {
    private func record(_ body: String, head: String = "<meta property='og:type' content='product'>") throws
        -> DeepLinkRecord
    {
        try RecordBuilderTests.record(
            "<title>Kettle, 1 l | Shop</title>\(head)<body><h1>Kettle, 1 l</h1>\(body)</body>")
    }

    @Test(
        arguments: [
            ("<span class='price'>19,90 €</span>", "19.90"), ("<b class='product-price'>$ 1,299.00</b>", "1299.00"),
            ("<div class='price'>63<sup>07</sup> Lei</div>", "63.07"), ("<p id='priceBox'>131 990 тг.</p>", "131990"),
            ("<div class='price'>5<span class='cents'>49</span>€</div>", "5.49"),
            ("<span itemprop='price'>£12</span>", "12"),
            // Not what is paid now for one.
            ("<s class='price'>30 €</s><span class='price'>20 €</span>", "20"),
            ("<span class='old-price'>30 €</span><span class='price'>20 €</span>", "20"),
            ("<del><span class='price'>30 €</span></del><span class='price'>20 €</span>", "20"),
            ("<span class='price-per-month'>3 €</span><span class='price'>20 €</span>", "20"),
            ("<span class='price' style='display:none'>1 €</span><span class='price'>20 €</span>", "20"),
            ("<div class='related-products'><span class='price'>7 €</span></div><span class='price'>20 €</span>", "20"),
            ("<nav><span class='price'>7 €</span></nav><span class='price'>20 €</span>", "20"),
            (
                "<div class='old-price'><span class='price'>30 €</span></div><div class='new-price'><span class='price'>20 €</span></div>",
                "20"
            ),
            ("<div class='shipping'><span class='price'>4,90 €</span></div><span class='price'>20 €</span>", "20"),
            ("<p class='line-through'><span class='price'>30 €</span></p><span class='price'>20 €</span>", "20"),
            (
                "<span class='price' style='text-decoration: line-through'>30 €</span><span class='price'>20 €</span>",
                "20"
            ),
            ("<ul class='price-list'><li class='price'>20 €</ul>", "20"),
            ("<ul class='product-list'><li><span class='price'>20 €</span></ul>", "20"),
            // Which of two?
            ("<span class='price'>881,00 169,00 Kn</span>", nil), ("<span class='price'>30 €<s>40 €</s></span>", nil),
            // No price.
            ("<span class='price'>ask us</span>", nil), ("<span class='price'>2024</span>", nil),
            ("<span class='price'>0 €</span>", nil),
            ("<span class='prize'>20 €</span>", nil),
            ("<span class='price'>from the 20 € gift card to the 50 € one, all of them</span>", nil),
        ] as [(String, String?)])
    func `the price is the first that is paid`(body: String, price: String?) throws {
        let record = try record(body)
        #expect(record.offers.first?.price == price)
        // What is only shown is not said in structured form.
        #expect(try record.structuredDataScore == self.record("").structuredDataScore)
        #expect(record.provenance.contains { $0.field == "offers" && $0.source == .visibleText } == (price != nil))
    }

    @Test func `what markup states is not read in the text`() throws {
        let stated = try record(
            "<span class='price'>20 €</span><button class='add-to-cart'>Buy</button>",
            head:
                #"<script type='application/ld+json'>{"@context":"https://schema.org","@type":"Product","name":"Kettle","#
                + #""offers":{"@type":"Offer","price":"18","priceCurrency":"EUR"}}</script>"#)
        #expect(stated.offers == [.init(price: "18", currency: "EUR", availability: "InStock", raw: "18")])
        #expect(stated.provenance.contains { $0.field == "offers" && $0.source == .schemaOrg })
    }

    @Test(
        arguments: [
            ("<button class='btn add-to-cart'>Kaufen</button>", "InStock"),
            ("<form action='/c' class='addToCart'></form>", "InStock"),
            ("<div class='buy-now'>Buy</div>", "InStock"),
            ("<p class='in-stock'>yes</p><p class='instock'>yes</p>", "InStock"),
            ("<p class='stock out-of-stock'>gone</p>", "OutOfStock"),
            ("<span class='soldOut sold soldout'>gone</span>", "OutOfStock"),
            ("<div class='minicart'><button class='add-to-cart'>+</button></div>", nil),
            ("<p class='cart'>Cart</p>", nil),
            ("<p class='soldout' hidden>gone</p>", nil),
            ("<button class='add-to-cart' disabled>Sold out</button>", nil),
            ("<button class='add-to-cart' aria-disabled='true'>Sold out</button>", nil),
            ("<a class='btn btn-cart' href='/cart'>View</a>", nil),
            ("<a class='btn btn-cart' href='/cart/add?id=7'>Buy</a>", "InStock"),
            ("<p class='out-of-stock'>gone</p><button class='add-to-cart'>of another</button>", nil),
            // What a button says, where it leads, what it runs.
            ("<button>Legg i handlekurv</button>", "InStock"), ("<a href='#'>カートに入れる</a>", "InStock"),
            ("<input type=submit value='Dodaj do koszyka'>", "InStock"), ("<button>Kaufen</button>", "InStock"),
            ("<form action='/cart/add'></form>", "InStock"), ("<a href='/?add-to-cart=7'>+</a>", "InStock"),
            ("<a href='#' onclick='buyNow(7)'>+</a>", "InStock"),
            ("<a href='/buy'>Kaufen</a>", nil), ("<a href='/how-to-buy-and-add'>How</a>", nil),
            ("<button disabled>Add to cart</button>", nil), ("<nav><button>Add to cart</button></nav>", nil),
            ("<div class='related'><button>Add to cart</button></div>", nil), ("<p>Add to cart</p>", nil),
            // What the page says.
            ("<p>✓ Auf Lager, in 2 Tagen bei Ihnen</p>", "InStock"), ("<p>12 in stock</p>", "InStock"),
            ("<p>Ausverkauft!</p>", "OutOfStock"), ("<p>Agotado</p>", "OutOfStock"), ("<p>品切れ</p>", "OutOfStock"),
            ("<p>In stock markets of today</p>", nil), ("<p>Available</p>", nil),
            ("<ul><li>Sold out</ul>", nil), ("<p hidden>Sold out</p>", nil), ("<footer><p>Sold out</p></footer>", nil),
            ("<div class='related'><p>Sold out</p></div><button>Add to cart</button>", "InStock"),
            ("<p>Sold out</p><button>Add to cart</button>", nil),
            // Behind a label, it alone counts.
            ("<dl><dt>Razpoložljivost:</dt><dd>Dobavljivo</dd></dl>", "InStock"),
            ("<p>Наличие: нет в наличии</p><button>В корзину</button>", "OutOfStock"),
            ("<p>Stock: 5</p>", "InStock"), ("<p>Stock: 0</p>", "OutOfStock"), ("<p>Stock: see below</p>", nil),
        ] as [(String, String?)])
    func `a button or a name says whether it can be bought`(body: String, availability: String?) throws {
        #expect(try record("<span class='price'>20 €</span>" + body).offers.first?.availability == availability)
    }

    @Test func `a page that does not say it is about a product needs a price and a way to buy`() throws {
        let price = "<span class='price'>20 €</span>"
        let button = "<button class='add-to-cart'>Buy</button>"
        #expect(try record(price, head: "").offers.isEmpty)
        #expect(try record(price + button, head: "").offers.first?.price == "20")
        #expect(try record(price + button, head: "<meta property='og:type' content='article'>").offers.isEmpty)
        let recipe =
            #"<script type='application/ld+json'>{"@context":"https://schema.org","@type":"Recipe","name":"Kettle"}</script>"#
        #expect(try record(price + button, head: recipe).offers.isEmpty)
        // Others beside it, and the price without tax.
        let related = (1...5).map { "<div class='card'><p class='price'>\($0) €</p></div>" }.joined()
        let pair = "<div class='prices'><b class='price'>20 €</b><b class='price'>24 €</b></div>"
        #expect(try record(pair + button + related, head: "").offers.first?.price == "20")
        // Lists of products.
        let cards = (1...12).map { "<div><span class='price'>\($0) €</span>\(button)</div>" }.joined()
        #expect(try record(cards, head: "").offers.isEmpty)
        let list = String(repeating: "<div>\(price)\(button)</div>", count: 30)
        #expect(try record(list, head: "").offers.isEmpty)
    }

    @Test func `what is sold and is no product has a button, too`() throws {
        func availability(_ type: String) throws -> String? {
            let offer = #""offers":{"@type":"AggregateOffer","lowPrice":"5","priceCurrency":"EUR"}"#
            let head =
                #"<script type='application/ld+json'>{"@context":"https://schema.org","@type":"\#(type)","name":"Kettle","#
                + offer + "}</script>"
            return try record("<a class='btn'>Comprar entradas</a>", head: head).offers.first?.availability
        }
        #expect(try availability("Event") == "InStock")
        #expect(try availability("Course") == "InStock")
        #expect(try availability("Article") == nil)
    }

    @Test func `a product begins at the heading that names it`() throws {
        let menu = "<h1>Categories</h1>" + String(repeating: "<div><b></b></div>", count: 400)
        let product = "<h1>Kettle, 1 l</h1><p class='price'>20 €</p><button>Add to cart</button>"
        let page = "<title>Kettle, 1 l | Shop</title><body>\(menu)\(product)</body>"
        #expect(try RecordBuilderTests.record(page).offers.first?.price == "20")
    }

    @Test func `brand and numbers stand behind labels, or in elements named after them`() throws {
        let price = "<span class='price'>20 €</span>"
        let table = try record(
            price
                + "<table><tr><th>Marke</th><td>Kessel & Co</td></tr><tr><td>Art.-Nr.:</td><td>KX-100</td></tr></table>"
                + "<p>EAN: 4006381333931</p><p>EAN: 4006381333932</p>")
        #expect(table.brand == "Kessel & Co")
        #expect(table.identifiers == .init(sku: ["KX-100"], gtin: ["4006381333931"]))
        #expect(table.provenance.contains { $0.field == "brand" && $0.source == .visibleText })
        let named = try record(price + "<p class='product-code'>Product code: 46286401</p><a class='brand'>Kettle</a>")
        #expect(named.brand == "Kettle" && named.identifiers == .init(sku: ["46286401"]))
        // The title does not name it.
        #expect(try record(price + "<a class='brand'>Our brands</a>").brand == nil)
        let russian = try record(price + "<dl><dt>Бренд:</dt><dd>Чайник</dd><dt>Артикул</dt><dd>№ 77-1</dd></dl>")
        #expect(russian.brand == "Чайник" && russian.identifiers == .init(sku: ["77-1"]))
        #expect(try record(price + "<ul><li>Description</li><li>Brand</li><li>Reviews (3)</li></ul>").brand == nil)
        #expect(
            try record("<b class='product-price-num'>$19.99</b><b class='product-rating-num'>4.5</b>").identifiers
                .isEmpty)
        for (stated, brand) in [
            ("Magic: The Gathering", "Magic: The Gathering"), ("Ver mais artigos da Marca: Panasonic", "Panasonic"),
        ] {
            let head = "<meta property='og:type' content='product'><meta property='product:brand' content='\(stated)'>"
            #expect(try record(price, head: head).brand == brand)
        }
        #expect(try record(price + "<p>SKU: see below</p><p>Ref.: 12</p><p>Code 5 of 6: 77</p>").identifiers.isEmpty)
    }

    @Test func `pages made to be slow take no longer than others`() throws {
        let many = String(repeating: "<div class='price'><div class='price'>", count: 20_000)
        #expect(try record(many).offers.isEmpty)
        let deep =
            String(repeating: "<div class='price brand sku'>", count: 400)
            + String(repeating: "<p></p>", count: 100_000)
        #expect(try record(deep).offers.isEmpty)
        let buttons = String(repeating: "<a href='/cart/x' onclick='x'><button>Add to x</button></a>", count: 20_000)
        #expect(try record("<span class='price'>20 €</span>" + buttons).offers.first?.availability == nil)
        let labels = String(repeating: "<p>Brand:</p>", count: 50_000)
        #expect(try record("<span class='price'>20 €</span>" + labels).brand == nil)
    }
}

/// What shops write beside a price of what can be bought and of what is gone, and on the buttons that buy it, in the languages of
/// their shops.
///
/// A text counts only as a whole: without marks before it (`✓ In stock`), numbers (`12 in stock`) and what stands behind a mark
/// (`Auf Lager, in 2 Tagen bei Ihnen`). So no sentence about stocks is read.
enum StockWords {
    enum Stock { case there, gone }

    /// Bytes of a text that may say it.
    private static let maximumBytes = 120

    private static func names(_ text: String) -> Set<FoldedName> {
        Set(text.split { $0 == "," || $0 == "\n" }.map { FoldedName($0) }.filter { !$0.isEmpty })
    }

    // MARK: Stock

    /// The part of a text in front of a label's colon, if it is a label of stocks, and what stands behind it.
    static func labelled(_ text: String) -> (isLabel: Bool, value: String) {
        guard text.utf8.count <= maximumBytes else { return (false, "") }
        let colon = text.firstIndex { $0 == ":" || $0 == "：" }
        guard labels.contains(FoldedName(text[..<(colon ?? text.endIndex)])) else { return (false, "") }
        return (true, colon.map { String(text[text.index(after: $0)...]).trimmingHTMLSpace() } ?? "")
    }

    /// What a text says of a stock; nil if it says anything else.
    ///
    /// - Parameter isLabelled: whether it stands behind a label. Then it may say no more than `Available` or `5`.
    static func stock(in text: String, isLabelled: Bool) -> Stock? {
        guard text.utf8.count <= maximumBytes else { return nil }
        let phrase = phrase(text)
        let name = FoldedName(phrase)
        if name.isEmpty {
            let digits = text.filter(\.isWholeNumber)
            guard isLabelled, !digits.isEmpty, digits.count <= 6 else { return nil }
            return digits.contains { $0.wholeNumberValue != 0 } ? .there : .gone
        }
        if goneWords.contains(name) { return .gone }
        if thereWords.contains(name) || isLabelled && availableWords.contains(name) { return .there }
        return nil
    }

    /// Without what stands in front of the first letter, and behind the first mark, number or line.
    private static func phrase(_ text: String) -> Substring {
        let start = text.firstIndex(where: \.isLetter) ?? text.endIndex
        let rest = text[start...]
        let end = rest.firstIndex { character in
            switch character {
            case "(", "[", ",", ".", "!", ":", ";", "|", ">", "–", "—", "•", "·", "（", "，", "。", "！", "+": true
            default: character.isNumber
            }
        }
        let phrase = rest[..<(end ?? rest.endIndex)]
        // A dash between words, not one within them.
        return phrase.firstRange(of: " - ").map { phrase[..<$0.lowerBound] } ?? phrase
    }

    private static let labels = names(
        """
        availability, stock, stock status, stock level, verfügbarkeit, lagerbestand, lagerstatus, lieferstatus, disponibilité,
        disponibilidad, existencias, disponibilità, disponibilidade, estoque, beschikbaarheid, voorraad, tilgængelighed,
        lagerstatus, tilgjengelighet, tillgänglighet, saatavuus, varastotilanne, dostępność, stan magazynowy, dostupnost,
        dostupnosť, elérhetőség, készlet, raktárkészlet, disponibilitate, stoc, наличност, наличие, наявність, raspoloživost,
        zaloga, razpoložljivost, prieinamumas, pieejamība, saadavus, laoseis, διαθεσιμότητα, απόθεμα, stok durumu, stok, التوفر,
        זמינות, מלאי, موجودی, ketersediaan, tình trạng, 在庫, 在庫状況, 库存, 庫存, 재고
        """)

    /// These say that something is in stock by themselves.
    private static let thereWords = names(
        """
        in stock, in stock now, in stock online, item in stock, auf lager, artikel auf lager, vorrätig, sofort lieferbar,
        sofort verfügbar, sofort versandfertig, en stock, produit en stock, disponible en stock, hay stock, en existencia,
        stock disponible, disponibilità immediata, em estoque, em stock, op voorraad, direct leverbaar, på lager, i lager,
        finns i lager, varastossa, heti saatavilla, w magazynie, na stanie, skladem, na skladě, skladom, na sklade, raktáron,
        készleten, în stoc, in stoc, в наличност, na stanju, na zalihi, na zalogi, yra sandėlyje, turime sandėlyje, ir noliktavā,
        laos olemas, άμεσα διαθέσιμο, σε απόθεμα, в наличии, есть в наличии, в наявності, є в наявності, stokta, stokta var,
        متوفر في المخزون, קיים במלאי, במלאי, موجود در انبار, stok tersedia, còn hàng, มีสินค้า, พร้อมส่ง, 在庫あり, 有货, 有貨,
        现货, 現貨, 有庫存, 재고 있음, स्टॉक में
        """)

    /// These say it behind a label; elsewhere they may be about a visit, a download or a job.
    private static let availableWords = names(
        """
        available, available now, yes, lieferbar, verfügbar, ja, disponible, oui, sí, disponibile, disponível, leverbaar,
        tilgængelig, tilgjengelig, tillgänglig, saatavilla, dostępny, dostępne, dostępna, produkt dostępny, dostupné, dostupný,
        ano, elérhető, disponibil, наличен, dostupno, raspoloživo, dobavljivo, pieejams, laos, saadaval, διαθέσιμο, доступно,
        есть, на складе, mevcut, متوفر, موجود, tersedia, còn
        """)

    private static let goneWords = names(
        """
        out of stock, currently out of stock, temporarily out of stock, not in stock, sold out, unavailable, not available,
        currently unavailable, no longer available, item unavailable, nicht auf lager, nicht vorrätig, nicht verfügbar,
        nicht lieferbar, derzeit nicht verfügbar, zur zeit nicht verfügbar, derzeit nicht lieferbar, zurzeit nicht lieferbar,
        nicht mehr verfügbar, nicht mehr lieferbar, ausverkauft, vergriffen, épuisé, rupture de stock, en rupture de stock,
        en rupture, indisponible, produit indisponible, actuellement indisponible, agotado, producto agotado, sin stock,
        no disponible, sin existencias, esgotado, produto esgotado, indisponível, produto indisponível, fora de estoque,
        sem estoque, sem stock, esaurito, prodotto esaurito, non disponibile, uitverkocht, niet op voorraad, niet leverbaar,
        tijdelijk uitverkocht, udsolgt, ikke på lager, utsolgt, slutsåld, slut i lager, ej i lager, loppuunmyyty, ei varastossa,
        loppu varastosta, brak w magazynie, brak towaru, niedostępny, produkt niedostępny, wyprzedane, vyprodáno, není skladem,
        nedostupné, vypredané, nie je skladom, elfogyott, nincs készleten, nincs raktáron, stoc epuizat, indisponibil,
        nu este în stoc, изчерпан, няма в наличност, rasprodano, nije dostupno, nema na stanju, razprodano, ni na zalogi,
        išparduota, izpārdots, läbi müüdud, εξαντλημένο, μη διαθέσιμο, нет в наличии, нет на складе, распродано, товар закончился,
        немає в наявності, tükendi, stokta yok, غير متوفر, نفدت الكمية, אזל המלאי, אזל מהמלאי, לא במלאי, ناموجود, habis,
        stok habis, hết hàng, สินค้าหมด, 品切れ, 在庫なし, 在庫切れ, 売り切れ, 完売, 缺货, 缺貨, 售罄, 售完, 已售完, 無庫存, 품절,
        일시품절, 재고 없음, स्टॉक में नहीं
        """)

    // MARK: Buttons

    /// Whether a text is that of something that buys.
    ///
    /// - Parameter isButton: whether it stands on a button. A link may be called `Buy` in a menu, too.
    static func buys(_ text: String, isButton: Bool) -> Bool {
        let name = FoldedName(phrase(text))
        return cartWords.contains(name) || isButton && buyWords.contains(name)
    }

    private static let cartWords = names(
        """
        add to cart, add to bag, add to basket, add to trolley, add to shopping cart, add item to cart, buy it now,
        in den warenkorb, in den warenkorb legen, in den einkaufswagen, zum warenkorb hinzufügen, jetzt kaufen, ajouter au panier,
        ajouter à mon panier, mettre au panier, acheter maintenant, añadir al carrito, agregar al carrito, añadir a la cesta,
        añadir a la bolsa, agregar al carro, agregar a la bolsa, comprar ahora, aggiungi al carrello, metti nel carrello,
        aggiungi alla borsa, acquista ora, compra ora, adicionar ao carrinho, colocar no carrinho, adicionar à sacola,
        adicionar ao cesto, comprar agora, in winkelwagen, in winkelmand, in winkelmandje, in mijn winkelwagen,
        toevoegen aan winkelwagen, voeg toe aan winkelwagen, bestel nu, koop nu, læg i kurv, tilføj til kurv, læg i indkøbskurv,
        køb nu, legg i handlekurv, legg i handlekurven, kjøp nå, lägg i varukorg, lägg i varukorgen, lägg i kundvagn,
        lägg i kundvagnen, köp nu, lisää ostoskoriin, lisää koriin, osta nyt, dodaj do koszyka, do koszyka, kup teraz, do košíku,
        přidat do košíku, vložit do košíku, koupit nyní, do košíka, pridať do košíka, vložiť do košíka, kosárba, kosárba teszem,
        kosárba rakom, adaugă în coș, adaugă în coşul de cumpărături, cumpără acum, добави в количката, купи сега,
        dodaj u košaricu, u košaricu, dodaj u korpu, u korpu, kupi odmah, dodaj v košarico, v košarico, į krepšelį,
        įdėti į krepšelį, pievienot grozam, ielikt grozā, lisa ostukorvi, lisa korvi, προσθήκη στο καλάθι, στο καλάθι,
        αγορά τώρα, в корзину, добавить в корзину, положить в корзину, купить сейчас, купить в один клик, купить в 1 клик,
        до кошика, у кошик, додати в кошик, додати до кошика, sepete ekle, hemen al, şimdi al, أضف إلى السلة,
        أضف إلى عربة التسوق, اشتر الآن, הוסף לסל, הוספה לסל, הוסף לעגלה, קנה עכשיו, افزودن به سبد خرید, خرید آنلاین,
        tambah ke keranjang, masukkan ke keranjang, beli sekarang, tambah ke troli, thêm vào giỏ, thêm vào giỏ hàng, mua ngay,
        หยิบใส่ตะกร้า, ใส่ตะกร้า, เพิ่มลงตะกร้า, ซื้อเลย, カートに入れる, カートに追加, 買い物かごに入れる, 今すぐ購入, 今すぐ買う,
        加入购物车, 加入購物車, 放入購物車, 加到購物車, 立即购买, 立即購買, 立刻購買, 直接購買, 马上抢, 장바구니 담기,
        장바구니에 담기, 바로구매, 바로 구매하기, 구매하기, कार्ट में जोड़ें, अभी खरीदें
        """)

    private static let buyWords = names(
        """
        buy, buy now, purchase, order now, buy tickets, get tickets, kaufen, bestellen, tickets kaufen, acheter, commander,
        réserver, comprar, comprar entradas, comprar ingressos, acquista, compra, ordina, kopen, køb, kjøp, köp, osta, kup,
        kupuję, kup bilet, koupit, kúpiť, kúpit, vásárlás, megveszem, megrendelem, cumpără, купи, kupi, naroči, naruči, poruči,
        pirkti, pirkt, αγορά, αγόρασε, купить, заказать, купити, замовити, satın al, شراء, קנה, קנייה, خرید, beli, mua, mua hàng,
        ซื้อ, สั่งซื้อ, 購入, 購入する, 购买, 購買, 抢购, 搶購, 구매, 장바구니
        """)
}

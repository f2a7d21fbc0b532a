extension SchemaOrg {
    /// The members of `ItemAvailability`.
    static let availabilities = [
        "BackOrder", "Discontinued", "InStock", "InStoreOnly", "LimitedAvailability", "MadeToOrder", "OnlineOnly",
        "OutOfStock", "PreOrder", "PreSale", "Reserved", "SoldOut",
    ]

    /// The members of `OfferItemCondition`.
    static let itemConditions = ["NewCondition", "UsedCondition", "RefurbishedCondition", "DamagedCondition"]

    /// The members of `MerchantReturnEnumeration`.
    static let returnPolicyCategories = [
        "MerchantReturnFiniteReturnWindow", "MerchantReturnNotPermitted", "MerchantReturnUnlimitedWindow",
        "MerchantReturnUnspecified",
    ]

    /// The members of `ReturnFeesEnumeration`.
    static let returnFees = [
        "FreeReturn", "OriginalShippingFees", "RestockingFees", "ReturnFeesCustomerResponsibility",
        "ReturnShippingFees",
    ]

    /// The member of `OfferItemCondition` in a text: `NewCondition`, `https://schema.org/UsedCondition`, `new`.
    static func itemCondition(_ text: String) -> String? {
        member(text, of: itemConditions) ?? member(text + "Condition", of: itemConditions)
    }

    /// The enumerations that offers name a member of, by property (schema.org 30.0).
    public static let enumerations: [String: (name: String, members: [String])] = [
        "availability": ("ItemAvailability", availabilities),
        "itemCondition": ("OfferItemCondition", itemConditions),
    ]

    /// The member of an enumeration that a text names as the vocabulary writes it: bare, with its address (also `www.` and
    /// http) or with a prefix; nil for other spellings. Letter case in the member's name does not count.
    public static func exactMember(_ text: String, of members: [String]) -> String? {
        let text = text.trimmingHTMLSpace()
        var name = text[...]
        for prefix in ["https://", "http://", "www.", "schema.org/", "schema:"] where name.hasPrefix(prefix) {
            name = name.dropFirst(prefix.utf8.count)
        }
        let lower = String(name).asciiLowercased
        return members.first { $0.asciiLowercased == lower }
    }

    /// The member of `ItemAvailability` in a text: `InStock`, `http://schema.org/InStock`, `in stock`, `schema:InStock`, or a
    /// word of Facebook's catalogue. Nil for other text.
    public static func availability(_ text: String) -> String? {
        if let member = member(text, of: availabilities) { return member }
        switch folded(text) {
        case "available", "instocknow", "yes": return "InStock"
        case "oos", "unavailable", "notavailable": return "OutOfStock"
        case "availablefororder", "onbackorder": return "BackOrder"
        case "limitedstock", "lowstock": return "LimitedAvailability"
        default: return nil
        }
    }

    /// Whether people can get the offered thing, now or later.
    public static func canBeHad(_ availability: String) -> Bool {
        !["Discontinued", "OutOfStock", "SoldOut"].contains(availability)
    }

    /// A member's name as words: `SoldOut` becomes `Sold out`.
    public static func words(ofMember name: String) -> String {
        var words = ""
        for character in name {
            if character.isUppercase, !words.isEmpty {
                words += " " + character.lowercased()
            } else {
                words.append(character)
            }
        }
        return words
    }

    /// The member of an enumeration that a text names; nil if none. The name may be bare or follow the vocabulary's address or
    /// prefix, in any letter case, with spaces, hyphens or underscores between its words.
    public static func member(_ text: String, of members: [String]) -> String? {
        let name = folded(text)
        guard !name.isEmpty else { return nil }
        return members.first { member in
            member.utf8.count == name.utf8.count && zip(member.utf8, name.utf8).allSatisfy { $0.asciiLowercased == $1 }
        }
    }

    /// The text after the last `/`, `#` or `:`, in lower case, without spaces, hyphens and underscores.
    private static func folded(_ text: String) -> String {
        var bytes = bytes(of: text)[...]
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        if let mark = bytes.lastIndex(where: { $0 == 0x2F || $0 == 0x23 || $0 == 0x3A }) {
            bytes = bytes[(mark + 1)...]
        }
        // Somebody made an address of `in stock`.
        if bytes.contains(UInt8(ascii: "%")) { bytes = bytes.split(separator: "%20".utf8).joined().map { $0 }[...] }
        return String(
            decoding: bytes.filter { $0 != 0x20 && $0 != 0x2D && $0 != 0x5F && $0 >= 0x20 }.map(\.asciiLowercased),
            as: UTF8.self)
    }

    /// The name at the end of an address of the vocabulary: `https://schema.org/LikeAction/` gives `LikeAction`.
    static func bareName(_ text: String) -> String {
        var bytes = text.utf8.prefix(maximumValueBytes).trimmingHTMLSpace()
        while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        if let mark = bytes.lastIndex(where: { $0 == 0x2F || $0 == 0x23 || $0 == 0x3A }) {
            bytes = bytes[bytes.index(after: mark)...]
        }
        return String(decoding: Array(bytes), as: UTF8.self)
    }

    /// Whether a `PriceTypeEnumeration` is a price that people pay, and not one for comparison.
    static func isPaidPrice(_ text: String) -> Bool {
        !["listprice", "msrp", "srp", "strikethroughprice", "regularprice", "minimumadvertisedprice", "invoiceprice"]
            .contains(folded(text))
    }

    /// Reads `true`, `True`, `http://schema.org/True`, `yes`, `1`, and their opposites; nil for other text.
    public static func boolean(_ text: String) -> Bool? {
        switch folded(text) {
        case "true", "yes", "y", "1", "on": true
        case "false", "no", "n", "0", "off": false
        default: nil
        }
    }
}

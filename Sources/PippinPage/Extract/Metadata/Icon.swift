extension HTMLMetadata {
    /// An icon of the page.
    public struct Icon: Sendable {
        /// The kind of icon, by `rel`.
        public enum Kind: String, Sendable {
            case icon
            case appleTouchIcon = "apple-touch-icon"
            case maskIcon = "mask-icon"
        }
        /// One size of an icon.
        public struct Size: Sendable, Hashable {
            /// Width in pixels.
            public let width: Int
            /// Height in pixels.
            public let height: Int

            /// The sizes in a text such as `32x32 180x180 any`, and whether `any` is among them.
            static func read(_ text: String) -> (sizes: [Size], isAny: Bool) {
                var sizes: [Size] = []
                var isAny = false
                for token in text.utf8.split(whereSeparator: \.isHTMLSpace).prefix(32) {
                    let parts = token.split(whereSeparator: { $0 | 0x20 == 0x78 })
                    if parts.count == 2, ASCIIText.isNumber(parts[0]), ASCIIText.isNumber(parts[1]),
                        let width = ASCIIText.leadingNumber(String(parts[0]) ?? ""),
                        let height = ASCIIText.leadingNumber(String(parts[1]) ?? "")
                    {
                        sizes.append(Size(width: width, height: height))
                    } else if Array(token)[...].equalsIgnoringCase("any") {
                        isAny = true
                    }
                }
                return (sizes, isAny)
            }

            /// The side that icons are compared by; 0 if they state no size. Scalable ones come after those of 48 pixels and more,
            /// which everything can show.
            static func side(of sizes: [Size], isAny: Bool) -> Int {
                max(sizes.lazy.map { min($0.width, $0.height) }.max() ?? 0, isAny ? 47 : 0)
            }
        }

        /// The kind of icon.
        public let kind: Kind
        /// The icon's address, resolved.
        public let url: WebURL
        /// The declared sizes, without `any`.
        public let sizes: [Size]
        /// Whether `sizes` contains `any`, so that the icon is scalable.
        let isAnySize: Bool
        /// The declared media type.
        public let type: String?
        let place: SourcePlace?

        /// The line in the page, 1-based; nil if unknown.
        public var line: Int? { place?.line }

        init(_ tag: LinkTag, _ url: WebURL) {
            kind =
                tag.relations.contains(.appleTouchIcon)
                ? .appleTouchIcon : tag.relations.contains(.maskIcon) ? .maskIcon : .icon
            self.url = url
            (sizes, isAnySize) = Size.read(tag.sizes ?? "")
            type = tag.type.map(\.asciiLowercased)
            place = tag.place
        }

        /// Of the largest size that is stated; 0 without one.
        var side: Int { Size.side(of: sizes, isAny: isAnySize) }

        var json: JSONValue {
            JSONObject.with {
                $0.put("kind", kind.rawValue)
                $0.put("url", url)
                $0.put("sizes", sizes.map { "\($0.width)x\($0.height)" })
                $0.putFlag("isAnySize", isAnySize)
                $0.put("type", type)
            }
        }
    }
}

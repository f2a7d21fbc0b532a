extension String {
    /// The text without what could command a terminal: C0 and C1 controls, and the marks that turn the direction of writing,
    /// become `�`.
    public var safeForTerminal: String {
        guard unicodeScalars.contains(where: Self.isControl) else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { Self.isControl($0) ? "\u{FFFD}" : $0 }))
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0x202A...0x202E).contains(scalar.value)
            || (0x2066...0x2069).contains(scalar.value)
    }
}

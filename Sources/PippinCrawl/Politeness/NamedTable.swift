/// Values by name, each with a number that stays the same until its name is removed. Lines hold the numbers.
struct NamedTable<Value: Sendable>: Sendable {
    private(set) var numbers: [String: Int] = [:]
    private var values: [Value] = []
    private var free: [Int] = []

    var count: Int { numbers.count }

    func number(of name: String) -> Int? { numbers[name] }

    /// Adds a value and returns its number.
    mutating func add(_ value: Value, name: String) -> Int {
        let number = free.popLast() ?? values.count
        if number == values.count { values.append(value) } else { values[number] = value }
        numbers[name] = number
        return number
    }

    /// Frees the number of a name. Its value stays until the number is used again, because lines may still hold the number.
    mutating func remove(_ name: String) {
        if let number = numbers.removeValue(forKey: name) { free.append(number) }
    }

    /// The value in its place: a copy would count references for everything that it holds.
    subscript(number: Int) -> Value {
        _read { yield values[number] }
        _modify { yield &values[number] }
    }
}

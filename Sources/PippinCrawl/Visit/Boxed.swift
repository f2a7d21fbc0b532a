/// Keeps an optional value in an allocation of its own. Visits are passed from task to task, and what an observer is shown is
/// large, while most crawls have none.
@propertyWrapper
struct Boxed<Value: Sendable>: Sendable {
    private final class Box: Sendable {
        let value: Value

        init(_ value: Value) { self.value = value }
    }

    private var box: Box?

    /// Boxes a value; nil needs no allocation.
    init(wrappedValue: Value?) { box = wrappedValue.map { Box($0) } }

    /// The value. Setting it makes a new box, so copies keep theirs.
    var wrappedValue: Value? {
        get { box?.value }
        set { box = newValue.map { Box($0) } }
    }
}

import Glibc

/// A growing array of numbers for graphs: in memory, or in a file that is mapped into memory. A mapped array may be larger than the
/// memory: the system keeps what is used, and writes the rest to the file. The file has no name, so it is gone with the process.
///
/// It is a class, because a copy of such an array is never meant. Only growing fails: a file's room is taken then.
final class NumberArray<Element: BitwiseCopyable>: RandomAccessCollection {
    private let place: NumberPlace
    private var descriptor: Int32 = -1
    private var elements: UnsafeMutablePointer<Element>?
    private(set) var count = 0
    private(set) var capacity = 0

    init(_ place: NumberPlace = .memory, reserving capacity: Int = 0) throws {
        self.place = place
        try reserve(capacity)
    }

    convenience init(_ place: NumberPlace = .memory, repeating element: Element, count: Int) throws {
        try self.init(place, reserving: count)
        elements?.initialize(repeating: element, count: count)
        self.count = count
    }

    deinit {
        switch place {
        case .memory: free(elements)
        case .disk: unmap()
        }
    }

    var startIndex: Int { 0 }
    var endIndex: Int { count }

    subscript(index: Int) -> Element {
        get {
            precondition(index >= 0 && index < count, "an index of the array")
            return elements.unsafelyUnwrapped[index]
        }
        set {
            precondition(index >= 0 && index < count, "an index of the array")
            elements.unsafelyUnwrapped[index] = newValue
        }
    }

    func append(_ element: Element) throws {
        if count == capacity { try reserve(Swift.max(1024, 2 * capacity)) }
        count += 1
        self[count - 1] = element
    }

    func removeLast(_ number: Int) { count -= number }

    /// Calls `body` with the elements.
    func withElements<Value>(_ body: (UnsafeMutableBufferPointer<Element>) -> Value) -> Value {
        body(UnsafeMutableBufferPointer(start: elements, count: count))
    }

    /// - Throws: `NumberPlace.NoRoom`.
    func reserve(_ wanted: Int) throws {
        guard wanted > capacity else { return }
        let bytes = wanted * MemoryLayout<Element>.stride
        switch place {
        case .memory:
            guard let grown = realloc(elements, bytes) else {
                throw NumberPlace.NoRoom(bytes: bytes, errorNumber: ENOMEM)
            }
            elements = grown.bindMemory(to: Element.self, capacity: wanted)
        case .disk(let folder):
            if descriptor < 0 { descriptor = try place.file(in: folder) }
            let error = posix_fallocate(descriptor, 0, off_t(bytes))
            guard error == 0 else { throw NumberPlace.NoRoom(bytes: bytes, errorNumber: error) }
            let grown = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
            guard let grown, grown != MAP_FAILED else { throw NumberPlace.NoRoom(bytes: bytes, errorNumber: errno) }
            if let elements { munmap(elements, capacity * MemoryLayout<Element>.stride) }
            elements = grown.bindMemory(to: Element.self, capacity: wanted)
        }
        capacity = wanted
    }

    private func unmap() {
        if let elements { munmap(elements, capacity * MemoryLayout<Element>.stride) }
        if descriptor >= 0 { close(descriptor) }
    }
}

/// Where the numbers of a graph are.
enum NumberPlace: Sendable {
    case memory
    /// In files without a name in this folder.
    case disk(folder: String)

    /// Memory or disk have no room for an array.
    struct NoRoom: Error {
        let bytes: Int
        let errorNumber: Int32
    }

    fileprivate func file(in folder: String) throws -> Int32 {
        var template = Array((folder + "/numbers-XXXXXX").utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else { throw NoRoom(bytes: 0, errorNumber: errno) }
        unlink(template)
        fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        return descriptor
    }
}

import CFaultyDisk
import Foundation
import Synchronization

/// A folder on a disk that may fail and lose power, for everything that this process writes there: SQLite's files as well as ours.
final class FaultyDisk: Sendable {
    /// What becomes of an operation.
    enum Verdict {
        case happens
        /// It fails with an `errno`; a write may have happened to half of its bytes.
        case fails(Int32)
        case isShort
    }

    /// Decides about each operation, by its number from 1.
    typealias Judge = @Sendable (UInt64) -> Verdict

    let folder: URL
    private let judge: Judge
    // `unsafe` because the C side locks; it is freed once, when nobody writes any more.
    nonisolated(unsafe) private var disk: OpaquePointer?

    /// Watches a folder until `end`.
    init(folder: URL, judge: @escaping Judge) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        self.judge = judge
        disk = pippin_disk_watch(
            folder.path,
            { context, number in
                guard let context else { return 0 }
                switch Unmanaged<FaultyDisk>.fromOpaque(context).takeUnretainedValue().judge(number) {
                case .happens: return 0
                case .fails(let number): return number
                case .isShort: return -ENOSPC
                }
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// How many writes there were to where a file's descriptor stood, with the one that is judged now. SQLite makes none.
    var appends: Int { Int(pippin_disk_appends(disk)) }

    /// What was written and would be lost without power now.
    var unsynced: (bytes: Int, names: Int) {
        var (bytes, names): (UInt64, UInt64) = (0, 0)
        pippin_disk_unsynced(disk, &bytes, &names)
        return (Int(bytes), Int(names))
    }

    /// Copies the folder as it is at this moment, which is what a killed process leaves.
    ///
    /// - Parameter seed: if given, the power is cut: what was not synced is lost, in part or in whole.
    /// - Returns: how many writes were lost.
    @discardableResult
    func copy(to copy: URL, cuttingPower seed: UInt64?) throws -> Int {
        try FileManager.default.copyItem(at: folder, to: copy)
        guard let seed else { return 0 }
        let lost = pippin_disk_cut_power(disk, copy.path, seed)
        guard lost >= 0 else { throw CocoaError(.fileWriteUnknown) }
        return Int(lost)
    }

    /// Ends watching. Nobody may write any more.
    func end() {
        if let disk { pippin_disk_end(disk) }
        disk = nil
    }

    deinit { end() }
}

import HeapModule
import PippinPage

// Where hosts are, and whose turn it is to be looked up.

extension PolitenessSchedule {
    /// Leave for the request of a turn that has started; nil for a host whose turn it is not.
    func permit(host name: String) -> TurnPermit? {
        guard let slot = hosts[name], slots[slot].inFlight > 0 else { return nil }
        return TurnPermit(host: name, addresses: .success([]))
    }
}

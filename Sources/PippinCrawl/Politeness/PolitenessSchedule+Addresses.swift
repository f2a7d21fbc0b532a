import HeapModule
import PippinPage

// What failures at an address lead to: it rests as a host in trouble does (`HostBreaker`).

extension PolitenessSchedule {
    /// A request to the address has ended: it answered, or a connection brought nothing.
    mutating func judge(_ address: Int, asking slot: Int, failed: Bool, now: Duration) {
        if failed {
            // One name that fails again and again is the host's own trouble.
            guard addressSlots[address].lastFailing != slot || !addressSlots[address].breaker.isClosed else { return }
            addressSlots[address].lastFailing = slot
            let isLast = addressSlots[address].breaker.failuresInARow + 1 >= Self.maximumFailuresInARow
            addressSlots[address].breaker.failed(
                isTrouble: false, atLeast: isLast ? settings.maximumWait + .seconds(1) : .zero,
                firstRest: settings.rest, now: now)
            guard case .open(let until) = addressSlots[address].breaker.state else { return }
            addressSlots[address].openAt = max(addressSlots[address].openAt, until)
        } else {
            addressSlots[address].lastFailing = nil
            guard addressSlots[address].breaker.failuresInARow > 0 else { return }
            let wasClosed = addressSlots[address].breaker.isClosed
            addressSlots[address].breaker.succeeded()
            guard !wasClosed, addressSlots[address].breaker.isClosed else { return }
            // The probe was given more time than it needed.
            addressSlots[address].openAt = addressSlots[address].startedAt + addressSlots[address].delay
        }
        if !addressSlots[address].waiting.isEmpty { enqueueAddress(address) }
    }

    /// A request to the address starts. A probe gets the time of a whole rest before the next one, unless it is answered.
    mutating func open(_ address: Int, now: Duration) {
        addressSlots[address].breaker.began()
        let isProbe = addressSlots[address].breaker.state == .halfOpen
        let rest = isProbe ? addressSlots[address].breaker.rest(first: settings.rest) : .zero
        addressSlots[address].openAt = now + max(addressSlots[address].delay, rest)
        addressSlots[address].startedAt = now
        addressSlots[address].lastStart = lastStart
    }

    /// Until when an address rests, when that is longer than a run waits; nil else. An address that is left stays so until then,
    /// also when the rest of its time is short: `enqueueAddress` counts on it.
    func longRest(of address: Int, now: Duration) -> Duration? {
        guard case .open(let until) = addressSlots[address].breaker.state, until > now,
            addressSlots[address].isLeft || until - now > settings.maximumWait
        else { return nil }
        return until
    }

    /// Why, and until when, a host on an address that rests for long is left.
    mutating func suspend(_ slot: Int, at address: Int, until: Duration) -> Decision {
        note(
            .addressRests(addressSlots[address].name, failures: addressSlots[address].breaker.failuresInARow), of: slot)
        return .suspend(host: slots[slot].name, until: until)
    }
}

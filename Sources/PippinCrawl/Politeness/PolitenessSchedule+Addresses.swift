import HeapModule
import PippinPage

// The effect of failures at an address: it rests like a host in trouble (`HostBreaker`).

extension PolitenessSchedule {
    /// Records the end of a request to the address: it answered, or a connection failed.
    mutating func judge(_ address: Int, asking slot: Int, failed: Bool, now: Duration) {
        if failed {
            // Repeated failures of one host are the host's own trouble, not the address's.
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
            // The answered probe needed less time than it was given.
            addressSlots[address].openAt = addressSlots[address].startedAt + addressSlots[address].delay
        }
        if !addressSlots[address].waiting.isEmpty { enqueueAddress(address) }
    }

    /// Starts a request to the address. After a probe, the address waits for a whole rest before the next request, unless the
    /// probe is answered.
    mutating func open(_ address: Int, now: Duration) {
        addressSlots[address].breaker.began()
        let isProbe = addressSlots[address].breaker.state == .halfOpen
        let rest = isProbe ? addressSlots[address].breaker.rest(first: settings.rest) : .zero
        addressSlots[address].openAt = now + max(addressSlots[address].delay, rest)
        addressSlots[address].startedAt = now
        addressSlots[address].lastStart = lastStart
        keepToSlots(address, from: addressSlots[address].openAt)
    }

    /// Moves the time at which an address opens into one of its slots (`AddressSlots`).
    ///
    /// - Parameter time: the earliest time.
    mutating func keepToSlots(_ address: Int, from time: Duration) {
        guard let slots = addressSlots[address].slots, addressSlots[address].openAt <= time else { return }
        let date = calendarStart.timeIntervalSince1970 + time / .seconds(1)
        let wait = slots.wait(at: date, delay: addressSlots[address].delay)
        if wait > .zero { addressSlots[address].openAt = time + wait }
    }

    /// The end of the address's rest if it is longer than a run waits; otherwise nil. An address that is left stays so until
    /// the end of its rest, even if little of it remains: `enqueueAddress` relies on it.
    func longRest(of address: Int, now: Duration) -> Duration? {
        guard case .open(let until) = addressSlots[address].breaker.state, until > now,
            addressSlots[address].isLeft || until - now > settings.maximumWait
        else { return nil }
        return until
    }

    /// Leaves a host because its address rests for long. The decision has the end of the rest; the reason is noted as the
    /// host's trouble.
    mutating func suspend(_ slot: Int, at address: Int, until: Duration) -> Decision {
        note(
            .addressRests(addressSlots[address].name, failures: addressSlots[address].breaker.failuresInARow), of: slot)
        return .suspend(host: slots[slot].name, until: until)
    }
}

import HeapModule

// The line of hosts that may be asked, and the hosts that are remembered.

extension PolitenessSchedule {
    /// Puts the host into the line at the time from which it may be asked, or removes it if nothing of it can start.
    mutating func refresh(_ slot: Int, now: Duration) {
        guard slots[slot].hasRoom, slots[slot].queued > 0 else {
            slots[slot].dueAt = nil
            slots[slot].ticket = 0
            return
        }
        // The host comes back into the line after the look-up.
        guard !isLookedUp(slot) else { return }
        var time = slots[slot].openAt
        if slots[slot].ready.isEmpty, let delayed = slots[slot].delayed.min { time = max(time, delayed.due) }
        if let dueAt = slots[slot].dueAt {
            // A host that may already be asked keeps its place when it gets more work.
            guard dueAt < time || dueAt > max(time, now) else { return }
        }
        // A new entry never comes before hosts that wait already.
        enqueue(slot, at: max(time, now))
    }

    mutating func enqueue(_ slot: Int, at time: Duration) {
        sequence += 1
        slots[slot].dueAt = time
        slots[slot].ticket = sequence
        insert(Due(time: time, ticket: sequence, place: .host(slot)))
    }

    /// Puts an address into the main line. One entry stands for all hosts that wait for the address.
    mutating func enqueueAddress(_ address: Int) {
        // If the address rests for longer than the run waits, its hosts are left at once.
        let time = addressSlots[address].isLeft ? .zero : addressSlots[address].openAt
        guard addressSlots[address].ticket == 0 || time < addressSlots[address].standsAt else { return }
        sequence += 1
        addressSlots[address].ticket = sequence
        addressSlots[address].standsAt = time
        insert(Due(time: time, ticket: sequence, place: .address(address)))
    }

    mutating func insert(_ entry: Due) {
        due.insert(entry)
        // Outdated entries are dropped when they come up. If there are very many, they are dropped here to save memory.
        if due.count > 64 + 8 * (hosts.count + addresses.count + domains.count) {
            due = Heap(due.unordered.filter(isCurrent))
        }
    }

    // MARK: Memory

    /// Marks that the host's clock must be stored, because the next run cannot learn the change politely by itself. A mere
    /// request is not marked: a resumed run pauses before it asks a known host again, and storing each request would be
    /// expensive.
    mutating func markChanged(_ slot: Int) {
        guard settings.notesChangedClocks, !slots[slot].isChanged else { return }
        slots[slot].isChanged = true
        changedSlots.append(slot)
    }

    mutating func forgetIdleHosts(now: Duration) {
        guard hosts.count >= hostsToForgetAt else { return }
        for (name, slot) in hosts where slots[slot].isForgettable(now: now) {
            forgetAddress(of: slot)
            hosts[name] = nil
            freeSlots.append(slot)
        }
        for (name, address) in addresses
        where addressSlots[address].hosts == 0 && addressSlots[address].openAt <= now
            && addressSlots[address].breaker.isClosed
        {
            addresses[name] = nil
            addressSlots[address].ticket = 0
            addressSlots[address].waiting = Heap()
            freeAddressSlots.append(address)
        }
        forgetIdleDomains(now: now)
        hostsToForgetAt = max(Self.rememberedHosts, 2 * hosts.count)
    }
}

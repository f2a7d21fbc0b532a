import HeapModule

// Who stands where in the line of those that may be asked, and who is remembered.

extension PolitenessSchedule {
    /// Puts the host into the line at the time from which it may be asked, or takes it out when nothing of it can start.
    mutating func refresh(_ slot: Int, now: Duration) {
        guard slots[slot].hasRoom, slots[slot].queued > 0 else {
            slots[slot].dueAt = nil
            slots[slot].ticket = 0
            return
        }
        // It comes back into the line when the answer is there.
        guard !isLookedUp(slot) else { return }
        var time = slots[slot].openAt
        if slots[slot].ready.isEmpty, let delayed = slots[slot].delayed.min { time = max(time, delayed.due) }
        if let dueAt = slots[slot].dueAt {
            // A host that may be asked already keeps its place when more work comes for it.
            guard dueAt < time || dueAt > max(time, now) else { return }
        }
        // Nobody gets a place before those who wait already.
        enqueue(slot, at: max(time, now))
    }

    mutating func enqueue(_ slot: Int, at time: Duration) {
        sequence += 1
        slots[slot].dueAt = time
        slots[slot].ticket = sequence
        insert(Due(time: time, ticket: sequence, place: .host(slot)))
    }

    /// One entry in the line speaks for all hosts that wait for an address.
    mutating func enqueueAddress(_ address: Int) {
        // Hosts whose address rests for longer than the run waits are left at once.
        let time = addressSlots[address].isLeft ? .zero : addressSlots[address].openAt
        guard addressSlots[address].ticket == 0 || time < addressSlots[address].standsAt else { return }
        sequence += 1
        addressSlots[address].ticket = sequence
        addressSlots[address].standsAt = time
        insert(Due(time: time, ticket: sequence, place: .address(address)))
    }

    mutating func insert(_ entry: Due) {
        due.insert(entry)
        // Skipped entries are dropped when they come up; a flood of them would only cost memory.
        if due.count > 64 + 8 * (hosts.count + addresses.count + domains.count) {
            due = Heap(due.unordered.filter(isCurrent))
        }
    }

    // MARK: Memory

    /// Something was learnt of the host that the next run cannot find out politely by itself. That it was asked is not noted:
    /// a run that goes on pauses before it asks again whom it knows, and each request would cost a write.
    mutating func markChanged(_ slot: Int) {
        guard settings.notesChangedClocks, !slots[slot].isChanged else { return }
        slots[slot].isChanged = true
        changedSlots.append(slot)
    }

    mutating func forgetIdleHosts(now: Duration) {
        guard hosts.count >= hostsToForgetAt else { return }
        for (name, slot) in hosts {
            let host = slots[slot]
            // What a host's robots.txt asked for is remembered as long as its rules are.
            guard host.isIdle, host.openAt <= now, host.crawlDelay == nil, host.breaker.isClosed, !host.isChanged,
                !isLookedUp(slot)
            else { continue }
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

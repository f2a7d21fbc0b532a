import Foundation
import PippinCrawl
import PippinPage

/// Judges a job in shards: besides requests and records, whether each shard asks only its hosts, and whether every link that was read
/// was followed, whichever shards it crossed.
final class ClusterAuditor: Auditor {
    private var consumer = IndexConsumer(name: "the commits", seesAll: false)
    /// How many shards the job has.
    private var count: Int
    /// The first process after each shard's last commit.
    private var committed: [Int: Int] = [:]
    private var bytes: [UInt8] = []

    init(web: SimulatedWeb, shards count: Int) {
        self.count = count
        super.init(web: web)
    }

    // MARK: Processes

    /// - Returns: the number of the process.
    func began(shard: Shard) -> Int {
        lives.append(Life(shard: shard))
        return lives.count - 1
    }

    func ended(_ number: Int, _ end: SimulatedProcess<PlayedDriver.Telling>.End, fault: Plan.Fault?) {
        let shard = lives[number].shard.map { "shard \($0.number) of \($0.count)" } ?? ""
        var words = "killed"
        switch end {
        case .finished(let telling):
            lives[number].finished = true
            lives[number].didAll = telling.ending == "finished" && telling.queued == 0
            if telling.ending == "time" { meet(.timeOver) }
            if fault == .powerCutAtEnd { meet(.powerLostAtEnd) }
            if telling.ending == "addresses" { meet(.addressesFound) }
            if !telling.of(.foreign).isEmpty { meet(.mail) }
            words = "\(telling.ending), \(telling.queued) queued"
        case .failed(let error):
            words = "failed: \(error)"
            switch fault {
            case .diskFails, .diskIsFull, .killHalfway: meet(.diskFailed)
            default: violate("turn failed: \(shard): \(error)")
            }
        case .killed: meet(.killed)
        case .lostPower(let writes):
            lives[number].lostPower = true
            meet(.powerLost)
            meet(.writesLost, writes)
            words = "lost power, and \(writes) writes"
        case .hung:
            words = "hangs"
            violate("turn hangs: \(shard) waits for ever")
        }
        trace.append("process \(number), \(shard): \(words)" + (fault.map { ", fault \($0)" } ?? ""))
    }

    /// A shard's disk was lost: what no commit has may be read again, and rests that hosts asked for are forgotten.
    func lost(shard number: Int, of count: Int) {
        meet(.diskLost)
        trace.append("the disk of shard \(number) is lost")
        let shard = Shard(number, of: count)
        for life in lives.indices.dropFirst(committed[number] ?? 0) where lives[life].shard == shard {
            lives[life].didAll = false
        }
        // As if a process had done nothing but lose it. The shard may have been another's until now.
        lives.append(Life(shard: shard, lostPower: true))
        consumer.forgetLines()
    }

    /// The job has other shards, which tell everything anew.
    func moved(into count: Int) {
        meet(.moved)
        (self.count, committed) = (count, [:])
        trace.append("the job moves")
        consumer.forgetLines()
    }

    func neverEnds(night: Int) {
        if violations.isEmpty { violate("never ends: night \(night + 1) has work after eight hours") }
    }

    // MARK: Commits

    func committed(_ telling: PlayedDriver.Telling, of number: Int, at time: Duration) {
        trace.append("shard \(number) committed on day \(SimulatedWeb.days(time)): \(telling.lines.count) lines")
        var last: [String: Int64] = [:]
        for line in telling.lines {
            if line.sequence < last[line.kind] ?? 0 { violate("out of order: \(line.kind) \(line.sequence)") }
            last[line.kind] = line.sequence
        }
        for line in telling.of(.record) + telling.of(.deletion) { consumer.take(Data(line.json.utf8)) }
        bytes += telling.lines.flatMap { Array($0.json.utf8) }
        take(consumer.violations)
        let isCommitted = { (url: String) in
            Shard.number(ofHost: WebURL(url)?.politenessHost ?? "", among: self.count) == number
        }
        for url in asked.filter(isCommitted).sorted() {
            judge(url, answers[url] ?? [], record: consumer.index[url])
            asked.remove(url)
        }
        committed[number] = lives.count
    }

    // MARK: The end

    func auditAll() {
        guard violations.isEmpty else { return auditRequests() }
        for (url, numbers) in answers.sorted(by: { $0.key < $1.key }) {
            judge(url, numbers, record: consumer.index[url])
        }
        for url in consumer.index.keys.sorted() where answers[url] == nil {
            violate("record of nothing: \(url) was never answered")
        }
        auditRequests()
        for entry in entries where lives[entry.process].shard?.owns(entry.host) == false {
            violate("other shard: \(entry.url) was asked by process \(entry.process)")
        }
        auditReach()
    }

    /// Whether what was linked was visited.
    private func auditReach() {
        for (url, numbers) in answers.sorted(by: { $0.key < $1.key }) {
            for number in numbers where entries[number].status == 200 && lives[entries[number].process].didAll {
                guard case .page = web.truth(of: url, at: entries[number].start) else { continue }
                for link in web.links(of: url) where answers[link] == nil {
                    guard let host = web.host(of: link), isHealthy(host) else { continue }
                    violate("never visited: \(link), which \(url) links to, read at \(entries[number].start)")
                    return
                }
            }
        }
    }

    func report() -> SimulationReport {
        meet(.recordDeleted, consumer.deletions)
        return report(lines: consumer.lines, bytes: bytes)
    }
}

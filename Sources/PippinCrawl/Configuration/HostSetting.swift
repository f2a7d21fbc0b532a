/// A setting that counts for a host, as the operator would write it, with the places that it comes from.
public struct HostSetting: Sendable, Equatable {
    /// The key in a sheet: `max_depth`.
    public let name: String
    /// The value: `3`, `10s`, `*/print/*`.
    public let value: String
    /// The keys in the configuration: `hosts.*.example.org`, `scope.max_depth`. More than one if they add up.
    public let places: [String]
}

extension CrawlConfiguration {
    /// The settings of a host that sheets can change; none if no sheet fits the host.
    public func settings(of host: String) -> [HostSetting] {
        guard let sheet = hosts.sheet(for: host) else { return [] }
        return HostSheet.Key.allCases.compactMap { key in
            let own = hosts.pattern(of: key, for: host).map { "hosts.\($0)" }
            func setting(_ value: String, _ general: String) -> HostSetting {
                HostSetting(name: key.rawValue, value: value, places: [own ?? general])
            }
            /// A setting to which a sheet only adds. Nil if there is nothing to tell.
            func sum(_ texts: [String], _ generalTexts: [String], _ general: String) -> HostSetting? {
                let all = generalTexts + texts
                let places = (generalTexts.isEmpty ? [] : [general]) + (texts.isEmpty ? [] : [own].compactMap(\.self))
                return all.isEmpty
                    ? nil : HostSetting(name: key.rawValue, value: all.joined(separator: ", "), places: places)
            }
            switch key {
            case .delay: return setting(DurationText.describe(delay(of: host)), "politeness.delay")
            case .maximumCrawlDelay:
                let limit = sheet.maximumCrawlDelay ?? politeness.maximumCrawlDelay
                return setting(DurationText.describe(limit), "politeness.max_crawl_delay")
            case .connections:
                return setting(
                    "\(sheet.connections ?? politeness.connectionsPerHost)", "politeness.connections_per_host")
            case .quietHours:
                return sum(
                    sheet.quietHours.periods.map(\.text), politeness.quietHours.periods.map(\.text),
                    "politeness.quiet_hours")
            case .quietDelay:
                // Beside the hours that it is for. Without one, nothing is asked in quiet hours.
                return sum(
                    sheet.quietDelay.map { [DurationText.describe($0)] } ?? [],
                    politeness.quietDelay.map { [DurationText.describe($0)] } ?? [], "politeness.quiet_delay")
            case .maximumDepth: return setting("\(sheet.maximumDepth ?? scope.maximumDepth)", "scope.max_depth")
            case .maximumPages:
                return setting("\(sheet.maximumPages ?? scope.maximumPagesPerHost)", "scope.max_pages_per_host")
            case .include:
                let include = sheet.include ?? scope.include
                return setting(include.isEmpty ? "all" : include.joined(separator: ", "), "scope.include")
            case .exclude: return sum(sheet.exclude ?? [], scope.exclude, "scope.exclude")
            case .render: return setting(renderMode(of: host).rawValue, "render.mode")
            case .recrawl:
                let recrawl = recrawl(of: host)
                let texts = [recrawl.minimumInterval, recrawl.defaultInterval, recrawl.maximumInterval]
                    .map(DurationText.describe)
                return setting("\(texts[0]) to \(texts[2]), first \(texts[1])", "recrawl")
            case .records: return setting(records(of: host).rawValue, "records")
            }
        }
    }
}

import Foundation
import PippinPage

// The report of a whole site as JSON. Docs/ReportCard.md documents the form. The keys are in the same order as there.

extension SiteReport {
    /// The report as a JSON object.
    public var json: JSONValue {
        var object = JSONObject()
        object["schemaVersion"] = .integer(Self.schemaVersion)
        object.put("finishedAt", InternetTime.text(crawl.finishedAt))
        object.put("ending", crawl.ending.rawValue)
        object["complete"] = .bool(isComplete)
        object["totals"] = JSONObject.with {
            $0.put("pages", pages)
            if earlierPages > 0 {
                $0.put("earlier", earlierPages)
                $0.put("oldest", oldest.map(InternetTime.text))
            }
            $0.put("indexable", indexable)
            $0.put("deepLinked", deepLinked)
            $0.put("verified", verified)
            $0.put("unchecked", unchecked)
            $0["grades"] = Self.json(grades)
            $0.put("broken", brokenCount)
            $0.put("redirects", redirects)
            $0.put("duplicates", duplicates)
            $0.put("orphans", orphans.count)
            $0.put("withoutDeepLinks", withoutDeepLinks.count)
        }
        object["seeds"] = .array(
            crawl.seeds.map { seed in
                JSONObject.with {
                    $0.put("url", seed.url)
                    $0.put("kind", seed.kind)
                    $0["visited"] = .bool(seed.wasVisited)
                    $0.put("failure", seed.failure)
                    $0.put("reason", seed.reason)
                }
            })
        object["checks"] = .array(checks.map { json(of: $0) })
        object["hosts"] = .array(hosts.map(Self.json))
        if let usageJSON { object["usage"] = usageJSON }
        object["worstPages"] = .array(worst.map { json(of: $0) })
        object["withoutDeepLinks"] = .array(withoutDeepLinks.urls.map { .string($0) })
        object["notVerified"] = .array(unverified.map(Self.json))
        object["orphans"] = .array(orphans.urls.map { .string($0) })
        object["broken"] = .array(
            broken.map { page in
                JSONObject.with {
                    $0.put("url", page.url)
                    $0.put("why", page.why)
                    $0.put("seenAt", earlierTime(page.seenAt))
                    $0.put("linkedFrom", page.linkedFrom)
                    $0.putFlag("inSitemap", page.isInSitemap)
                }
            })
        object["depths"] = .array(
            depths.map { depth in
                JSONObject.with {
                    if let links = depth.links { $0.put("links", links) } else { $0["links"] = .null }
                    $0.put("pages", depth.pages)
                }
            })
        object["sameTitle"] = .array(sameTitle.map(Self.json))
        object["sameDescription"] = .array(sameDescription.map(Self.json))
        object["sameContent"] = .array(sameContent.map(Self.json))
        object["notCovered"] = .array(
            notCovered.map { gap in
                JSONObject.with {
                    $0.put("code", gap.code)
                    $0.put("count", gap.count)
                    $0.put("message", gap.message)
                }
            })
        return .object(object)
    }

    private static func json(_ grades: ReportCard.Counts) -> JSONValue {
        ["error": .integer(grades.error), "warning": .integer(grades.warning), "info": .integer(grades.info)]
    }

    /// When something was seen; nil if this run has seen it.
    private func earlierTime(_ date: Date) -> String? { isEarlier(date) ? InternetTime.text(date) : nil }

    private func json(of total: CheckTotal) -> JSONValue {
        JSONObject.with {
            $0.put("check", total.check.id)
            $0.put("group", total.check.group.rawValue)
            $0.put("title", total.check.title)
            $0.put("problem", total.check.problem)
            $0.put("outcome", total.pages.gravest.rawValue)
            $0["pages"] = Self.json(total.pages)
            $0.put("hosts", total.hosts)
            $0.put("why", total.check.why)
            $0.put("examples", total.examples) { example in
                JSONObject.with {
                    $0.put("url", example.url)
                    $0.put("outcome", example.outcome.rawValue)
                    $0.put("message", example.sentence)
                    $0.put("judgedAt", earlierTime(example.judgedAt))
                    if let place = example.place { $0["place"] = place.json }
                    if let remedy = example.remedy {
                        $0["remedy"] = JSONObject.with {
                            $0.put("text", remedy.text)
                            $0.put("code", remedy.code)
                        }
                    }
                }
            }
        }
    }

    private static func json(_ host: HostTotal) -> JSONValue {
        JSONObject.with {
            $0.put("host", host.host)
            $0.put("pages", host.pages)
            $0.put("oldest", host.oldest.map(InternetTime.text))
            $0["grades"] = json(host.grades)
            $0.put("deepLinked", host.deepLinked)
            $0.put("verified", host.verified)
            $0.put("orphans", host.orphans)
            var checks = JSONObject()
            for check in host.checks { checks[check.id] = .integer(check.pages) }
            $0["checks"] = .object(checks)
        }
    }

    private func json(of page: PageTotal) -> JSONValue {
        JSONObject.with {
            $0.put("url", page.url)
            $0.put("title", page.title)
            $0.put("judgedAt", earlierTime(page.judgedAt))
            $0["checks"] = Self.json(page.checks)
            $0.put("failed", page.failed)
            if let depth = page.depth { $0.put("depth", depth) }
            $0.put("card", page.card.map { "pages/\($0)" })
        }
    }

    private static func json(_ unverified: Unverified) -> JSONValue {
        JSONObject.with {
            $0.put("status", unverified.status.rawValue)
            $0.put("reason", unverified.reason)
            $0.put("count", unverified.count)
            $0.put("examples", unverified.examples) { example in
                ["page": .string(example.page), "link": .string(example.link)]
            }
        }
    }

    private static func json(_ alike: Alike) -> JSONValue {
        JSONObject.with {
            $0.put("value", alike.value)
            $0.put("count", alike.count)
            $0.put("pages", alike.urls)
        }
    }
}

extension Finding.Place {
    var json: JSONValue {
        JSONObject.with {
            $0.put("source", source.rawValue)
            $0.put("name", name)
            $0.put("line", line)
            $0.put("column", column)
        }
    }
}

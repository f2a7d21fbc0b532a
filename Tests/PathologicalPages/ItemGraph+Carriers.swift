extension ItemGraph {
    /// How a graph is written.
    public enum Carrier: String, CaseIterable, Sendable {
        /// One script with a `@graph`.
        case jsonLD = "JSON-LD"
        /// A script for each node.
        case scripts = "JSON-LD scripts"
        /// JSON-LD in which a node contains what it refers to, the first time.
        case nested = "JSON-LD nested"
        /// Microdata that refers to nodes by `itemid`.
        case microdata
        /// Microdata that contains nodes by `itemref`.
        case itemref
        case rdfa = "RDFa"
        /// RDFa in which each property of a node is a list, shared by all nodes that refer to the same others.
        case lists = "RDFa lists"
        /// Microdata of Google's vocabulary before schema.org.
        case old = "data-vocabulary"
        /// RDFa of Google's vocabulary before schema.org.
        case oldRDFa = "data-vocabulary RDFa"
        /// Each node in another syntax; the first one in all of them.
        case mixed
    }

    public func page(_ carrier: Carrier) -> String {
        let start = "<!doctype html><html lang=en><title>Name</title><h1>Name</h1><p>Some text.</p>"
        return start + body(carrier)
    }

    private func body(_ carrier: Carrier) -> String {
        switch carrier {
        case .jsonLD:
            return script(
                "{\"@context\":\"https://schema.org\",\"@graph\":[\(nodes.indices.map(json).joined(separator: ","))]}")
        case .scripts:
            return nodes.indices.map { script(withContext(json($0))) }.joined()
        case .nested:
            var written: Set<Int> = []
            var text = ""
            for index in nodes.indices where !written.contains(index) {
                text += script(withContext(nested(index, &written, depth: 0)))
            }
            return text
        case .microdata: return nodes.indices.map { microdata($0, "http://schema.org/", "") }.joined()
        case .old: return nodes.indices.map { microdata($0, "http://data-vocabulary.org/", "") }.joined()
        case .itemref: return itemrefs()
        case .rdfa:
            return "<div vocab=http://schema.org/>" + nodes.indices.map { rdfa($0) }.joined() + "</div>"
        case .oldRDFa:
            return "<div vocab=http://rdf.data-vocabulary.org/#>"
                + nodes.indices.map { rdfa($0) }.joined() + "</div>"
        case .lists:
            return "<div vocab=http://schema.org/>" + rdfaWithLists() + "</div>"
        case .mixed:
            var text = ""
            for index in nodes.indices {
                if index == 0 || index % 3 == 0 { text += script(withContext(json(index))) }
                if index == 0 || index % 3 == 1 { text += microdata(index, "http://schema.org/", "") }
                if index == 0 || index % 3 == 2 {
                    text += "<div vocab=http://schema.org/>" + rdfa(index) + "</div>"
                }
            }
            return text
        }
    }

    // MARK: JSON-LD

    private func script(_ text: String) -> String { "<script type=application/ld+json>\(text)</script>" }

    private func withContext(_ object: String) -> String {
        "{\"@context\":\"https://schema.org\"," + object.dropFirst()
    }

    private func members(of node: Node, _ value: (Value) -> String) -> String {
        var order: [String] = []
        var values: [String: [String]] = [:]
        for property in node.properties {
            if values[property.name] == nil { order.append(property.name) }
            values[property.name, default: []].append(value(property.value))
        }
        return order.map { ",\"\($0)\":[\((values[$0] ?? []).joined(separator: ","))]" }.joined()
    }

    private func start(_ index: Int) -> String {
        "{\"@id\":\"#\(index)\",\"@type\":[\(nodes[index].types.map { "\"\($0)\"" }.joined(separator: ","))]"
    }

    private func json(_ index: Int) -> String {
        start(index)
            + members(of: nodes[index]) {
                switch $0 {
                case .text(let text): "\"\(text)\""
                case .node(let other): "{\"@id\":\"#\(other)\"}"
                }
            } + "}"
    }

    private func nested(_ index: Int, _ written: inout Set<Int>, depth: Int) -> String {
        guard depth < 25, written.insert(index).inserted else { return "{\"@id\":\"#\(index)\"}" }
        return start(index)
            + members(of: nodes[index]) {
                switch $0 {
                case .text(let text): "\"\(text)\""
                case .node(let other): nested(other, &written, depth: depth + 1)
                }
            } + "}"
    }

    // MARK: Microdata

    private func microdata(_ index: Int, _ vocabulary: String, _ attributes: String) -> String {
        let node = nodes[index]
        let types = node.types.map { vocabulary + $0 }.joined(separator: " ")
        var text = "<div itemscope itemid=#\(index) itemtype='\(types)'\(attributes)>"
        for property in node.properties {
            switch property.value {
            case .text(let value): text += "<b itemprop=\(property.name)>\(value)</b>"
            case .node(let other): text += "<link itemprop=\(property.name) href=#\(other)>"
            }
        }
        return text + "</div>"
    }

    /// A node that others refer to stands alone, with the names of all properties that lead to it.
    private func itemrefs() -> String {
        var names: [Int: [String]] = [:]
        var targets: [Int: [Int]] = [:]
        for (index, node) in nodes.enumerated() {
            for property in node.properties {
                guard case .node(let other) = property.value else { continue }
                if names[other, default: []].contains(property.name) == false {
                    names[other, default: []].append(property.name)
                }
                targets[index, default: []].append(other)
            }
        }
        var text = ""
        for (index, node) in nodes.enumerated() {
            text +=
                "<div id=i\(index) itemscope itemtype='\(node.types.map { "http://schema.org/" + $0 }.joined(separator: " "))'"
            if let names = names[index] { text += " itemprop='\(names.joined(separator: " "))'" }
            if let targets = targets[index] { text += " itemref='\(targets.map { "i\($0)" }.joined(separator: " "))'" }
            text += ">"
            for case (let name, .text(let value)) in node.properties.map({ ($0.name, $0.value) }) {
                text += "<b itemprop=\(name)>\(value)</b>"
            }
            text += "</div>"
        }
        return text
    }

    // MARK: RDFa

    private func rdfa(_ index: Int) -> String {
        let node = nodes[index]
        var text = "<div resource=#\(index) typeof='\(node.types.joined(separator: " "))'>"
        for property in node.properties {
            switch property.value {
            case .text(let value): text += "<b property=\(property.name)>\(value)</b>"
            case .node(let other): text += "<link property=\(property.name) href=#\(other)>"
            }
        }
        return text + "</div>"
    }

    /// Nodes that refer to the same others name one list of them.
    private func rdfaWithLists() -> String {
        var text = ""
        var lists: [[Int]: Int] = [:]
        for (index, node) in nodes.enumerated() {
            text += "<div resource=#\(index) typeof='\(node.types.joined(separator: " "))'>"
            var order: [String] = []
            var members: [String: [Int]] = [:]
            for property in node.properties {
                switch property.value {
                case .text(let value): text += "<b property=\(property.name)>\(value)</b>"
                case .node(let other):
                    if members[property.name] == nil { order.append(property.name) }
                    members[property.name, default: []].append(other)
                }
            }
            for name in order {
                let list = lists[members[name] ?? []] ?? lists.count
                lists[members[name] ?? []] = list
                text += "<link property=\(name) resource=_:l\(list)-0>"
            }
            text += "</div>"
        }
        for (members, list) in lists.sorted(by: { $0.value < $1.value }) {
            for (position, member) in members.enumerated() {
                let rest = position + 1 < members.count ? "_:l\(list)-\(position + 1)" : "rdf:nil"
                text += "<div resource=_:l\(list)-\(position)><link property=rdf:first href=#\(member)>"
                text += "<link property=rdf:rest resource=[\(rest)]></div>"
            }
        }
        return text
    }
}

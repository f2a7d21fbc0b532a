extension AppleAppSiteAssociation {
    /// The file as it was understood.
    public var json: JSONValue {
        JSONObject.with {
            $0.put("kind", "apple-app-site-association")
            $0["byteCount"] = .integer(byteCount)
            $0["isUsable"] = .bool(trouble == nil)
            if let envelope {
                $0["signed"] = JSONObject.with {
                    $0.put("form", envelope.form.rawValue)
                    $0["signatures"] = .integer(envelope.signatureCount)
                    $0.put("signers", envelope.signerNames)
                    $0["verified"] = false
                }
            }
            if let appLinks { $0["applinks"] = appLinks.json }
            for (key, apps) in [
                ("webcredentials", webCredentials), ("activitycontinuation", activityContinuation),
                ("appclips", appClips),
            ] {
                if let apps { $0[key] = .array(apps.map { .string($0) }) }
            }
            $0.put("notes", notes) { $0.associationJSON }
        }
    }
}

extension ParseNote {
    /// As `json`, with the severity of an association file's remark.
    var associationJSON: JSONValue {
        JSONObject.with {
            $0.put("severity", associationSeverity?.rawValue)
            $0.put("code", code.rawValue)
            $0.put("message", message)
            $0.put("line", line)
            $0.put("column", column)
            if further > 0 { $0["further"] = .integer(further) }
        }
    }
}

extension JSONObject {
    mutating func put(_ place: TextPlace) {
        self["line"] = .integer(place.line)
        self["column"] = .integer(place.column)
    }
}

extension AppleAppSiteAssociation.UniversalLinks {
    var json: JSONValue {
        JSONObject.with {
            $0.putFlag("dictionaryForm", hasDictionaryForm)
            $0.put("entries", entries) { $0.json }
            if !substitutionVariables.isEmpty {
                $0["substitutionVariables"] = JSONObject.with {
                    for variable in substitutionVariables {
                        $0[variable.name] = .array(variable.values.map { .string($0) })
                    }
                }
            }
        }
    }
}

extension AppleAppSiteAssociation.Entry {
    var json: JSONValue {
        JSONObject.with {
            $0["appIDs"] = .array(appIDs.map { .string($0) })
            $0.put("form", form.rawValue)
            $0.put("components", components) { $0.json }
            $0.put(place)
        }
    }
}

extension AppleAppSiteAssociation.Component {
    var json: JSONValue {
        JSONObject.with {
            $0.put("path", path)
            switch query {
            case .whole(let pattern): $0.put("query", pattern)
            case .items(let items):
                $0["query"] = JSONObject.with { for item in items { $0[item.name] = .string(item.pattern) } }
            case nil: break
            }
            $0.put("fragment", fragment)
            $0.putFlag("exclude", excludes)
            if !caseSensitive { $0["caseSensitive"] = false }
            if !percentEncoded { $0["percentEncoded"] = false }
            $0.put("comment", comment)
            $0.put("defect", defect)
            $0.put(place)
        }
    }
}

extension AssociationTrace {
    public var json: JSONValue {
        JSONObject.with {
            $0.put("url", url)
            $0.put("outcome", outcome.rawValue)
            $0.put("reason", reason)
            $0["apps"] = .array(apps.map { $0.json })
            $0.put("entries", entries) { $0.json }
        }
    }
}

extension AssociationTrace.AppVerdict {
    var json: JSONValue {
        JSONObject.with {
            $0.put("applicationIdentifier", appID)
            $0.put("outcome", outcome.rawValue)
            $0.put("pattern", pattern)
            $0["entry"] = .integer(entry)
            $0["component"] = .integer(component)
            $0.put(place)
            $0.put("remarks", remarks)
        }
    }
}

extension AssociationTrace.Entry {
    var json: JSONValue {
        JSONObject.with {
            $0["appIDs"] = .array(appIDs.map { .string($0) })
            $0.put("outcome", outcome.rawValue)
            $0.put("reason", reason)
            $0.put(place)
            $0.put("components", components) { component in
                JSONObject.with {
                    $0.put("pattern", component.pattern)
                    $0.put("outcome", component.outcome.rawValue)
                    $0.put("comment", component.comment)
                    $0.put("reason", component.reason)
                    $0.put(component.place)
                    $0.put("parts", component.parts) { $0.json }
                }
            }
        }
    }
}

extension AssociationTrace.Part {
    var json: JSONValue {
        JSONObject.with {
            $0.put("name", name)
            $0.put("pattern", pattern)
            $0.put("value", value)
            $0["matched"] = .bool(isMatched)
            $0.put("remark", remark)
        }
    }
}

import Foundation

/// `Docs/card.schema.json` and `Docs/site-report.schema.json`, with Python's jsonschema as an independent judge: it shares no code with
/// Pippin.
public enum ReportSchema: String, Sendable {
    case card = "card.schema.json"
    case siteReport = "site-report.schema.json"

    private static let script = """
        import json, pathlib, sys
        from jsonschema import Draft202012Validator
        path = pathlib.Path(sys.argv[1])
        schemas = {name: json.loads((path.parent / name).read_text(encoding="utf-8")) for name in [path.name, "record.schema.json"]}
        for schema in schemas.values():
            Draft202012Validator.check_schema(schema)

        # A schema may name parts of the one beside it: both become one, so that any version of jsonschema finds them.
        def joined(node, file):
            if isinstance(node, list):
                return [joined(each, file) for each in node]
            if not isinstance(node, dict):
                return node
            return {key: pointer(value, file) if key == "$ref" else joined(value, file) for key, value in node.items()}

        def pointer(value, file):
            other, name = value.split("#/$defs/")
            return f"#/$defs/{other or file}:{name}"

        whole = joined(schemas[path.name], path.name)
        whole["$defs"] = {f"{file}:{name}": joined(node, file) for file, schema in schemas.items() for name, node in schema["$defs"].items()}
        validator = Draft202012Validator(whole)

        def objects(node):
            if isinstance(node, dict):
                yield node
            for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else []:
                yield from objects(each)

        failed = False
        documents = [json.loads(line) for line in sys.stdin.buffer.read().split(b"\\n") if line.strip()]
        for number, document in enumerate(documents):
            for error in validator.iter_errors(document):
                print(f"{number}: {document.get('url')}: {error.json_path}: {error.message[:300]}")
                failed = True
            for each in list(objects(document)) if sys.argv[2] == "strict" else []:
                each["stray"] = 1
                if validator.is_valid(document):
                    print(f"{number}: a stray key is taken beside {list(each)[:6]}")
                    failed = True
                del each["stray"]
        if not failed:
            print(len(documents))
        sys.exit(1 if failed else 0)
        """

    /// The verdict on documents, one a line: status 0 and how many there are if all keep to the schema, else status 1 and what is wrong.
    ///
    /// - Parameter isStrict: whether the schema must also refuse a key that it does not know in each object of the documents.
    public func verdict(of lines: [UInt8], isStrict: Bool = false) throws -> PythonJudge.Verdict {
        let schema = Repository.root.appending(path: "Docs/\(rawValue)")
        return try PythonJudge(importing: "jsonschema").run(
            Self.script, [schema.path(), isStrict ? "strict" : "plain"], input: lines)
    }
}

import Foundation

/// `Docs/record.schema.json`, with Python's jsonschema as an independent judge: it shares no code with Pippin.
public enum RecordSchema {
    private static let script = """
        import json, sys
        from jsonschema import Draft202012Validator
        with open(sys.argv[1], encoding="utf-8") as file:
            schema = json.load(file)
        Draft202012Validator.check_schema(schema)
        validator = Draft202012Validator(schema)

        def resolved(node):
            while "$ref" in node:
                node = schema["$defs"][node["$ref"].rsplit("/", 1)[1]]
            return node

        # Every key and every value of a list of values that the schema knows, by path; with a document, those it has.
        def parts(node, path, document=None, isAll=True):
            node = resolved(node)
            for value in node.get("enum", []):
                if isAll or document == value:
                    yield f"{path}={value}"
            for number, branch in enumerate(node.get("oneOf", [])):
                if isAll or Draft202012Validator({**branch, "$defs": schema["$defs"]}).is_valid(document):
                    yield from parts(branch, f"{path}|{number}", document, isAll)
            for key, member in node.get("properties", {}).items():
                if isAll or isinstance(document, dict) and key in document:
                    yield f"{path}.{key}"
                    yield from parts(member, f"{path}.{key}", None if isAll else document[key], isAll)
            if "items" in node:
                for element in [None] if isAll else document if isinstance(document, list) else []:
                    yield from parts(node["items"], f"{path}[]", element, isAll)

        failed = False
        documents = [json.loads(line) for line in sys.stdin.buffer.read().split(b"\\n") if line.strip()]
        for number, document in enumerate(documents):
            for error in validator.iter_errors(document):
                print(f"{number}: {document.get('uniqueIdentifier')}: {error.json_path}: {error.message}")
                failed = True
        if sys.argv[2] == "all":
            known, used = set(), set()
            def kind(document):
                return "deletion" if "deleted" in document else "record" if "url" in document else "popularity"

            for name in ["record", "deletion", "popularity"]:
                known |= set(parts(schema["$defs"][name], name))
                for document in documents:
                    if name == kind(document):
                        used |= set(parts(schema["$defs"][name], name, document, False))
            for part in sorted(known - used):
                print(f"no document has {part}")
                failed = True
        if not failed:
            print(len(documents))
        sys.exit(1 if failed else 0)
        """

    /// The verdict on records and deletions, one JSON document a line: status 0 and how many there are if all keep to the schema,
    /// else status 1 and what is wrong, each line beginning with the number of the document, from 0.
    ///
    /// - Parameter isWhole: whether the documents must also have every key, and every value of each list of values, that the
    ///   schema knows.
    public static func verdict(of lines: [UInt8], isWhole: Bool = false) throws -> PythonJudge.Verdict {
        let schema = Repository.root.appending(path: "Docs/record.schema.json")
        return try PythonJudge(importing: "jsonschema").run(
            script, [schema.path(), isWhole ? "all" : "some"], input: lines)
    }
}

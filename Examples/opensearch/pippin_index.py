#!/usr/bin/env python3
"""Pippin's records in OpenSearch: an index template, a loader that follows a job, and the queries of `pippin search`.

README.md says how to begin. Python 3.9 and its standard library are all that it needs.
"""
import argparse
import json
import sys

from connection import Busy, Connection, Failure
from load import Loader
from query import Query, typed
from template import STEMMERS, template


def main(arguments=None):
    options = _options().parse_args(arguments)
    try:
        return options.run(options)
    except (Failure, Busy) as error:
        print(f"pippin_index: {error}", file=sys.stderr)
        return 6


def _template(options):
    body = template(options.index, options.languages, options.icu, dict(options.compounds), options.shards,
                    options.replicas)
    if options.print:
        print(json.dumps(body, indent=2))
    else:
        _connection(options).ask("PUT", f"/_index_template/{options.index}", body)
        count = len(options.languages)
        print(f"Template {options.index}: {count} languages. Indices that are made from now on have it.")
    return 0


def _load(options):
    export = [options.pippin, "export"]
    export += ["--storage", options.storage] if options.storage else []
    loader = Loader(
        _connection(options), options.index, export, options.cursor_file or f"{options.index}.cursor", options.batch,
        options.batch_bytes, options.give_up_after, options.rejected)
    try:
        counts = loader.run()
    finally:
        print(", ".join(f"{count} {name}" for name, count in loader.counts.items() if count) or "nothing new")
    return 1 if counts["rejected"] else 0


def _search(options):
    query = Query(" ".join(options.query))
    for note in query.notes:
        print(f"Note: {note}", file=sys.stderr)
    connection = None if options.print else _connection(options)
    languages = options.languages or (_languages(connection, options.index) if connection else ["en"])
    body = query.body(languages, options.size, options.offset, options.fuzzy)
    if options.print:
        print(json.dumps(body, indent=2, ensure_ascii=False))
        return 0
    path = f"/{options.index}/_search"
    answer = connection.ask("POST", path, body)
    if not answer["hits"]["total"]["value"] and query.words and not options.fuzzy:
        answer = connection.ask("POST", path, query.body(languages, options.size, options.offset, True))
        print("Note: No record has these words; near ones count.", file=sys.stderr)
    _show(answer, options)
    return 0


def _suggest(options):
    answer = _connection(options).ask("POST", f"/{options.index}/_search", typed(" ".join(options.query), options.size))
    _show(answer, options)
    return 0


def _show(answer, options):
    if options.json:
        print(json.dumps(answer, ensure_ascii=False))
        return
    for hit in answer["hits"]["hits"]:
        record = hit["_source"]
        print(f"{hit['_score']:.2f}  {record.get('title') or record['url']}\n      {record['url']}")
    print(f"{answer['hits']['total']['value']} hits")
    for word in answer.get("suggest", {}).get("didYouMean", []):
        others = [option["text"] for option in word["options"] if option["text"] != word["text"].lower()]
        if others:
            print(f"Did you mean: {others[0]}")
    for name, facet in answer.get("aggregations", {}).items():
        buckets = facet["buckets"]
        named = buckets.items() if isinstance(buckets, dict) else (
            (bucket.get("key_as_string", bucket["key"]), bucket) for bucket in buckets)
        shown = [f"{value} {bucket['doc_count']}" for value, bucket in named if bucket["doc_count"]]
        if shown:
            print(f"{name}: {', '.join(shown[:8])}")


def _languages(connection, index):
    """The languages of the index's template, those of most records first."""
    mappings = connection.ask("GET", f"/{index}/_mapping")
    known = {language for found in mappings.values()
             for language in found["mappings"].get("_meta", {}).get("languages", [])}
    if not known:
        return []
    aggregation = {"lang": {"terms": {"field": "languages", "size": 100}}}
    answer = connection.ask("POST", f"/{index}/_search", {"size": 0, "aggs": aggregation})
    counts = dict.fromkeys(known, 0)
    for bucket in answer["aggregations"]["lang"]["buckets"]:
        language = bucket["key"].split("-")[0]
        if language in counts:
            counts[language] += bucket["doc_count"]
    return sorted((language for language in counts if counts[language]), key=lambda language: -counts[language])


def _connection(options):
    return Connection(options.url, options.ca_file, options.netrc_file, options.auth_env, options.timeout)


def _codes(text):
    codes = text.split(",") if text else []
    for code in codes:
        if code not in STEMMERS:
            raise argparse.ArgumentTypeError(f"{code} is none of {','.join(STEMMERS)}")
    return codes


def _compound(text):
    code, _, path = text.partition("=")
    if code not in STEMMERS or not path:
        raise argparse.ArgumentTypeError("write it like de=analysis/german-words.txt")
    return code, path


def _options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    cluster = argparse.ArgumentParser(add_help=False)
    cluster.add_argument("--url", default="http://127.0.0.1:9200", help="address of the cluster")
    cluster.add_argument("--index", default="pages", help="name of the index")
    cluster.add_argument("--ca-file", help="certificate authorities, in PEM")
    cluster.add_argument("--netrc-file", help="credentials, in the form of a .netrc")
    cluster.add_argument("--auth-env", help="environment variable with user:password or an Authorization value")
    cluster.add_argument("--timeout", type=float, default=60, help="seconds to wait for an answer")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    make = commands.add_parser("template", parents=[cluster], help="puts the index template")
    make.add_argument("--languages", type=_codes, default=list(STEMMERS), help="codes, with commas: en,de")
    make.add_argument("--icu", action="store_true", help="the cluster has the plugin analysis-icu")
    make.add_argument("--compounds", type=_compound, action="append", default=[], metavar="LANGUAGE=PATH",
                      help="word list below the configuration of each node, by which compounds are taken apart")
    make.add_argument("--shards", type=int)
    make.add_argument("--replicas", type=int)
    make.add_argument("--print", action="store_true", help="print it, and ask no cluster")
    make.set_defaults(run=_template)

    load = commands.add_parser("load", parents=[cluster], help="brings the index up to date with a job")
    load.add_argument("--storage", help="folder of the job; else the one of crawl-config.yaml")
    load.add_argument("--pippin", default="pippin", help="the program")
    load.add_argument("--cursor-file", help="what the index has acknowledged (INDEX.cursor)")
    load.add_argument("--batch", type=int, default=1000, help="changes between two writes of the cursor")
    load.add_argument("--batch-bytes", type=int, default=5_000_000, help="bytes of a request")
    load.add_argument("--give-up-after", type=float, default=600, help="seconds to wait for a busy index")
    load.add_argument("--rejected", help="file that refused documents are added to")
    load.set_defaults(run=_load)

    for name, run, about in (("search", _search, "asks a query"), ("suggest", _suggest, "records for what is typed")):
        command = commands.add_parser(name, parents=[cluster], help=about)
        command.add_argument("query", nargs="+")
        command.add_argument("--size", type=int, default=10)
        command.add_argument("--json", action="store_true", help="the answer as it came")
        command.set_defaults(run=run)
        if name == "search":
            command.add_argument("--offset", type=int, default=0)
            command.add_argument("--languages", type=_codes, help="stems to try; else of most records")
            command.add_argument("--fuzzy", action="store_true", help="near words count, too")
            command.add_argument("--print", action="store_true", help="print the request, and ask no cluster")
    return parser


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Holds the analyzers of Examples/opensearch against Lucene itself, on which OpenSearch stands.

    Scripts/lucene/analyzers.py

Needs a Java (17 or newer) and Debian's liblucene8-java. Takes the analyzers of the template, gives each filter
the name that it has in Lucene, and compares the words of texts with what they must be.
"""
import glob
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Examples" / "opensearch"))
from template import STEMMERS, template  # noqa: E402

# Not the plugin's: Debian's ICU for Java does not read the tables of its Lucene.
JARS = ["lucene-core-8.*.jar", "lucene-analyzers-common-8.*.jar"]
# Names of OpenSearch, and those of Lucene for the same.
NAMES = {
    "cjk_width": "cjkWidth", "asciifolding": "asciiFolding", "cjk_bigram": "cjkBigram", "reverse": "reverseString",
    "snowball": "snowballPorter", "dictionary_decompounder": "dictionaryCompoundWord",
}

# analyzer, text, its words
PLAIN = [
    ("default", "Häuser ＡＢＣ Smørrebrød", "hauser abc smorrebrod"),
    ("default", "東京タワー", "東京 京タ タワ ワー"),
    ("default", "Straße wi-fi", "strasse wi fi"),
    ("host_backwards", "Shop.Example", "elpmaxe.pohs"),
    ("type_words", "NewsArticle video.movie", "news article video movie"),
    ("type_words_en", "MusicRecordings", "music record"),
    ("stemmed_en", "Apples pies running", "appl pie run"),
    ("stemmed_de", "Häuser Bücher Bäume", "haus buch baum"),
    ("stemmed_fr", "L'été qu’elles mangeaient", "ete elle mang"),
    ("stemmed_it", "dell'anno ragazze", "anno ragazz"),
    ("stemmed_ca", "l'aigua dels arbres", "aigu del arbr"),
    ("stemmed_es", "manzanas niños", "manzan nin"),
    ("stemmed_pt", "casas livros", "cas livr"),
    ("stemmed_nl", "huizen boeken", "huiz boek"),
    ("stemmed_sv", "böckerna husen", "bock hus"),
    ("stemmed_da", "bøgerne husene", "bog hus"),
    ("stemmed_no", "bøkene husene", "bok hus"),
    ("stemmed_fi", "talossa kirjat", "talo kirj"),
    ("stemmed_ru", "яблоки книгами", "яблок книг"),
    ("stemmed_ro", "cărțile mere", "cart mer"),
    ("stemmed_hu", "házak könyvek", "haz konyv"),
    ("stemmed_en", "東京 apples", "東京 appl"),
]
WORD_LIST = "kartoffel\ngulasch\nsuppe\n"
COMPOUND = [
    ("stemmed_de", "Kartoffelgulasch", "kartoffelgulasch kartoffel gulasch"),
    ("stemmed_de", "Kartoffelsuppen", "kartoffelsupp kartoffel supp"),
]


def line(analysis, folder, name, text):
    """One request of Analyzers.java."""
    analyzer = analysis["analyzer"][name]
    cells = [folder, analyzer["tokenizer"]]
    for char_filter in analyzer.get("char_filter", []):
        given = analysis["char_filter"][char_filter]
        # Spaces part the parameters.
        cells.append(f"patternReplace pattern={given['pattern']} replacement={given['replacement'].replace(' ', '␠')}")
    cells.append("")
    for filter_ in analyzer["filter"]:
        given = dict(analysis["filter"].get(filter_, {"type": filter_}))
        kind = given.pop("type")
        if kind == "elision":
            path = pathlib.Path(folder) / f"{filter_}.txt"
            path.write_text("\n".join(given["articles"]) + "\n", encoding="utf-8")
            given = {"articles": path.name, "ignoreCase": "true"}
        elif kind == "dictionary_decompounder":
            given = {"dictionary": given["word_list_path"], "minSubwordSize": given["min_subword_size"],
                     "onlyLongestMatch": str(given["only_longest_match"]).lower()}
        cells.append(" ".join([NAMES.get(kind, kind)] + [f"{key}={value}" for key, value in given.items()]))
    return "\t".join(cells + ["", text])


def main():
    jars = [found for pattern in JARS for found in glob.glob(f"/usr/share/java/{pattern}")]
    if len(jars) != len(JARS):
        sys.exit("analyzers: install liblucene8-java")
    cases, lines = [], []
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "words.txt").write_text(WORD_LIST, encoding="utf-8")
        for group, options in ((PLAIN, {}), (COMPOUND, {"compounds": {"de": "words.txt"}})):
            analysis = template("pages", list(STEMMERS), **options)["template"]["settings"]["analysis"]
            for name, text, expected in group:
                cases.append((name, text, expected))
                lines.append(line(analysis, folder, name, text))
        source = pathlib.Path(__file__).with_name("Analyzers.java")
        # Lucene 8 looks into classes that Java 17 keeps to itself, and warns of it.
        run = subprocess.run(["java", "-cp", ":".join(jars), str(source)], input="\n".join(lines) + "\n",
                             capture_output=True, encoding="utf-8")
    if run.returncode != 0:
        sys.exit(f"analyzers: {run.stderr}")
    failures = 0
    for (name, text, expected), found in zip(cases, run.stdout.splitlines(), strict=True):
        if found != expected:
            failures += 1
            print(f"{name}: {text}: {found}, and not {expected}")
    print(f"{len(cases) - failures} passed, {failures} failed")
    sys.exit(1 if failures else 0)


main()

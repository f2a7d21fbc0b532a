"""The index template: what `pages.json` says, and a field with stems for each language."""
import copy
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent

# Languages with the Snowball stemmer of each: those that Pippin's own index has.
STEMMERS = {
    "ca": "Catalan", "da": "Danish", "de": "German", "en": "English", "es": "Spanish", "fi": "Finnish",
    "fr": "French", "hu": "Hungarian", "it": "Italian", "nl": "Dutch", "no": "Norwegian", "pt": "Portuguese",
    "ro": "Romanian", "ru": "Russian", "sv": "Swedish",
}

# Words that lose their vowel before another one and are written together with it: l'été, dell'anno.
ELIDED = {
    "ca": "d l m n s t",
    "fr": "l m t qu n s j d c jusqu quoiqu lorsqu puisqu",
    "it": "c l all dall dell nell sull coll pell gl agl dagl degl negl sugl un m t s v d",
}

# Fields of running text that get a field for each language.
STEMMED = ["title", "alternateNames", "keywords", "categories", "types", "contentDescription", "snippet", "text"]


def template(index, languages, icu=False, compounds=None, shards=None, replicas=None):
    """The body of `PUT _index_template/NAME`.

    languages: codes of STEMMERS. icu: with the tokenizer and the folding of the plugin analysis-icu. compounds: for some
    of the languages, the path of a word list below the configuration of each node, by which compounds are taken apart.
    """
    body = json.loads((FOLDER / "pages.json").read_text(encoding="utf-8"))
    settings, mappings = body["settings"], body["mappings"]
    for name, value in (("number_of_shards", shards), ("number_of_replicas", replicas)):
        if value is not None:
            settings["index"][name] = value
    analysis = settings["analysis"]
    analysis["filter"] = {}
    tokenizer = "standard"
    before, after = ["cjk_width", "lowercase"], ["asciifolding", "cjk_bigram"]
    if icu:
        # Words of Thai, Lao, Khmer, Burmese, Chinese and Japanese by ICU's dictionaries, and one form for each letter.
        tokenizer, before, after = "icu_tokenizer", ["icu_normalizer"], ["icu_folding"]
    analysis["analyzer"]["default"] = {"type": "custom", "tokenizer": tokenizer, "filter": before + after}
    for language in languages:
        filters = list(before)
        if language in ELIDED:
            analysis["filter"][f"elided_{language}"] = {
                "type": "elision", "articles_case": True, "articles": ELIDED[language].split(),
            }
            filters.append(f"elided_{language}")
        if language in (compounds or {}):
            analysis["filter"][f"parts_{language}"] = {
                "type": "dictionary_decompounder", "word_list_path": compounds[language],
                "min_subword_size": 4, "only_longest_match": True,
            }
            filters.append(f"parts_{language}")
        analysis["filter"][f"stem_{language}"] = {"type": "snowball", "language": STEMMERS[language]}
        # Stemmers know their letters, so folding comes behind them.
        filters += [f"stem_{language}"] + after
        stemmed = {"type": "custom", "tokenizer": tokenizer, "filter": filters}
        analysis["analyzer"][f"stemmed_{language}"] = stemmed
        # Names of types are words without spaces.
        words = {"char_filter": analysis["analyzer"]["type_words"]["char_filter"]}
        analysis["analyzer"][f"type_words_{language}"] = {**stemmed, **words}
        for name in STEMMED:
            analyzer = f"{'type_words' if name == 'types' else 'stemmed'}_{language}"
            mappings["properties"][name].setdefault("fields", {})[language] = {"type": "text", "analyzer": analyzer}
    mappings["_meta"] = {"languages": list(languages)}
    return {"index_patterns": [index, f"{index}-*"], "template": copy.deepcopy(body)}

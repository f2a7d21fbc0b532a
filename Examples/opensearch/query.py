"""Queries of people, in the language of `pippin search`, as queries of OpenSearch.

`Query(text)` reads the text, `body()` makes the request. `Docs/Search.md` has the language, README.md what differs.
"""
import datetime
import functools
import json
import pathlib
import re

from template import STEMMED

FOLDER = pathlib.Path(__file__).resolve().parent

# How much a word counts in each field, as in Pippin's own index.
FIELDS = {
    "title": 6, "alternateNames": 4, "authors.name": 4, "artists.name": 4, "partOf.name": 4, "brand": 4,
    "organization.name": 4, "event.venue": 4, "apps": 4, "keywords": 2.2, "categories": 2.2, "types.words": 2.2,
    "containerTitle": 2, "domainIdentifier.words": 2, "snippet": 1.6, "contentDescription": 1, "text": 1,
    "images.alt": 1, "event.address": 1, "organization.address.*": 1,
}
# A word with the same stem counts so much beside the word itself, and so does one that begins with it.
STEM, PREFIX = 0.75, 0.6
# Languages that a query is tried in.
MOST_LANGUAGES = 4

MOST_CHARACTERS, MOST_WORDS, MOST_EXCLUDED, MOST_FILTERS = 1_000, 16, 10, 10

FILTERS = ["site", "type", "title", "author", "app", "lang", "has", "rating", "after", "before"]
FEATURES = [
    "deeplink", "verified", "image", "audio", "video", "rating", "price", "event", "recipe", "author", "date",
    "call", "directions", "play", "search",
]
SPELLINGS = {
    "language": "lang", "host": "site", "since": "after", "until": "before", "is": "has", "deep-link": "deeplink",
    "deeplinks": "deeplink", "link": "deeplink", "picture": "image", "images": "image", "photo": "image",
    "stars": "rating", "ratings": "rating", "offer": "price", "offers": "price", "phone": "call",
    "telephone": "call", "address": "directions", "map": "directions", "music": "audio", "events": "event",
}

QUOTES = '"“”„«»‟＂'
PART = re.compile(
    rf"(?P<minus>[-−–](?=\S))?"
    rf"(?:(?P<key>\w[\w-]*):[{QUOTES}](?P<value>[^{QUOTES}]*)[{QUOTES}]?"
    rf"|[{QUOTES}](?P<phrase>[^{QUOTES}]*)[{QUOTES}]?"
    rf"|(?P<word>[^\s{QUOTES}]+))"
)
LETTER = re.compile(r"\w")


class Query:
    """One query, read. What of it is not used is in `notes`."""

    def __init__(self, text):
        self.notes = []
        if len(text) > MOST_CHARACTERS:
            self.notes.append(f"The query is cut after {MOST_CHARACTERS} characters.")
            text = text[:MOST_CHARACTERS]
        self.text = text
        self.address = text.strip() if re.fullmatch(r"\s*https?://\S+\s*", text, re.IGNORECASE) else None
        # Each a list of which one must hold; a word is (text, is it a phrase?), a filter the clause of OpenSearch.
        self.words, self.excluded, self.filters = [], [], []
        self.isOpen = False
        if not self.address:
            self._read()

    def _read(self):
        last, joins, words = None, False, 0
        for part in PART.finditer(self.text):
            written = part.group("word")
            if written == "OR" and last is not None and self.text[part.end() :].strip():
                joins = True
                continue
            kept = None
            key, value = part.group("key"), part.group("value")
            if written and re.fullmatch(r"\w[\w-]*:.+", written) and not part.group("minus"):
                key, value = written.split(":", 1)
            name = SPELLINGS.get(key.lower(), key.lower()) if key else None
            if name in FILTERS and not part.group("minus"):
                clause = self._filter(name, value.lower())
                if clause is None:
                    self.notes.append(f"The filter {part.group()[:60]} cannot be used.")
                elif len(self.filters) >= MOST_FILTERS and not joins:
                    self.notes.append(f"Only the first {MOST_FILTERS} filters count.")
                else:
                    kept = (self.filters, clause)
            else:
                phrase = part.group("phrase") if written is None and key is None else None
                found = phrase if phrase is not None else written or f"{key}:{value}"
                if not LETTER.search(found):
                    continue
                if part.group("minus"):
                    if len(self.excluded) < MOST_EXCLUDED:
                        self.excluded.append(found)
                    continue
                words += len(found.split()) or 1
                if words > MOST_WORDS:
                    self.notes.append(f"Only the first {MOST_WORDS} words are searched.")
                    break
                kept = (self.words, (found, phrase is not None))
                self.isOpen = phrase is None and part.end() == len(self.text)
            if kept is None:
                continue
            into, item = kept
            if joins and last is into:
                into[-1].append(item)
            else:
                into.append([item])
            joins, last = False, into

    # Filters

    def _filter(self, name, value):
        value = value.strip()
        if not value:
            return None
        if name == "site":
            host = re.sub(r"^https?://", "", value).split("/")[0].split(":")[0].removeprefix("www.")
            backwards = host[::-1]
            field = "domainIdentifier.backwards"
            return any_of([{"term": {field: backwards}}, {"prefix": {field: backwards + "."}}]) if host else None
        if name == "type":
            names = type_names(re.sub(r"[\W_]", "", value))
            return {"terms": {"types.name": names}} if names else None
        if name == "title":
            return {"match_phrase": {"title": value}} if LETTER.search(value) else None
        if name == "author":
            return {"match": {"authors.name": {"query": value, "operator": "and"}}} if LETTER.search(value) else None
        if name == "app":
            exact = ["storeIdentifier", "bundleIdentifier", "packageName"]
            return nested(
                any_of(
                    [{"term": {f"deepLinks.{key}": {"value": value, "case_insensitive": True}}} for key in exact]
                    # ClownFair is `app:clownfair` and app:"clown fair".
                    + [
                        {"match": {"deepLinks.appName": {"query": name, "operator": "and"}}}
                        for name in sorted({value, "".join(LETTER.findall(value))})
                        if name
                    ]
                )
            )
        if name == "lang":
            tag = value.replace("_", "-")
            exact = {"term": {"languages": {"value": tag, "case_insensitive": True}}}
            if not re.fullmatch(r"[a-z]{2,3}(-[a-z0-9]+)*", tag):
                return None
            if "-" in tag:
                return exact
            return any_of([exact, {"prefix": {"languages": {"value": tag + "-", "case_insensitive": True}}}])
        if name == "has":
            value = SPELLINGS.get(value, value)
            return feature(value) if value in FEATURES else None
        if name == "rating":
            read = re.fullmatch(r"(>=|<=|>|<|=)?([0-9]+(?:[.,][0-9]+)?)", value)
            stars = float(read.group(2).replace(",", ".")) if read else 9
            return rating(read.group(1) or ">=", stars) if stars <= 5 else None
        day = first_day(value)
        return dated({"gte" if name == "after" else "lt": day}) if day else None

    # Requests

    def clause(self, languages=(), fuzzy=False):
        """The query without its ranking: a `bool`."""
        must = [any_of([self._word(word, languages, fuzzy) for word in words]) for words in self.words]
        if must and self.isOpen:
            # The last word may be one that is being typed.
            open_word = self.words[-1][-1][0]
            must[-1] = any_of([must[-1], multi(open_word, plain(PREFIX), type="bool_prefix", operator="and")])
        clause = {"filter": [any_of(filters) for filters in self.filters]}
        if self.address:
            exact = [{"term": {key: self.address}} for key in ("url", "uniqueIdentifier")]
            clause["must"] = [{"constant_score": {"filter": any_of(exact)}}]
        elif must:
            clause["should"] = must
            # All of three words, and most of more: those with all of them stand first.
            clause["minimum_should_match"] = len(must) if len(must) <= 3 else len(must) * 3 // 4
        else:
            # Filters alone have no score, and what is known of the records orders them.
            clause["must"] = [{"match_all": {}}]
        if self.excluded:
            clause["must_not"] = [multi(text, plain(), type="phrase") for text in self.excluded]
        return {"bool": clause}

    @staticmethod
    def _word(word, languages, fuzzy):
        text, is_phrase = word
        if is_phrase:
            return multi(text, plain(), type="phrase")
        options = {"fuzziness": "AUTO:4,7", "prefix_length": 1} if fuzzy else {}
        stems = [field for language in languages for field in stemmed(language)]
        found = multi(text, plain() + stems, type="best_fields", operator="and", tie_breaker=0.3, **options)
        joined = "".join(LETTER.findall(text))
        if joined == text:
            return found
        # wi-fi: also `wi fi` and `wifi`.
        return any_of([multi(text, plain(), type="phrase"), multi(joined, plain(), type="best_fields")])

    def body(self, languages=(), size=10, offset=0, fuzzy=False, facets=True, today=None):
        """The body of a request to `_search`: hits with highlights, facets of all hits, and what else may be meant."""
        today = today or datetime.date.today()
        languages = list(languages)[:MOST_LANGUAGES]
        body = {
            "query": ranked(self.clause(languages, fuzzy), today),
            "size": size,
            "from": offset,
            "track_total_hits": True,
            "highlight": {
                "encoder": "html",
                "pre_tags": ["<mark>"],
                "post_tags": ["</mark>"],
                "require_field_match": False,
                "fields": {
                    "title": {"number_of_fragments": 0},
                    "snippet": {"number_of_fragments": 0},
                    "text": {"number_of_fragments": 1, "fragment_size": 200},
                },
            },
        }
        if facets:
            body["aggs"] = aggregations()
        words = " ".join(text for group in self.words for text, is_phrase in group if not is_phrase)
        if words:
            body["suggest"] = {
                "didYouMean": {
                    "text": words,
                    "phrase": {
                        "field": "spelling", "size": 3, "max_errors": 2,
                        "direct_generator": [{"field": "spelling", "suggest_mode": "always", "prefix_length": 1}],
                    },
                }
            }
        return body


def typed(text, size=8):
    """The body of a request for suggestions while somebody types: records by the beginnings of their titles."""
    return {
        "query": ranked(
            multi(
                text[:MOST_CHARACTERS],
                ["title^6", "alternateNames^4", "containerTitle^2"],
                type="bool_prefix",
                operator="and",
                fuzziness="AUTO:4,7",
                prefix_length=1,
            ),
            datetime.date.today(),
        ),
        "size": size,
        "_source": ["title", "url", "thumbnailURL", "deepLinks"],
    }


# Parts of queries


def any_of(clauses):
    return clauses[0] if len(clauses) == 1 else {"bool": {"should": clauses, "minimum_should_match": 1}}


def nested(query):
    return {"nested": {"path": "deepLinks", "query": query}}


def multi(text, fields, **options):
    return {"multi_match": {"query": text, "fields": fields, **options}}


def plain(factor=1):
    """All fields without stems."""
    return [f"{field}^{weight * factor:g}" for field, weight in FIELDS.items()]


def stemmed(language):
    """The fields with stems of a language, each with its weight."""
    return [f"{field}.{language}^{FIELDS.get(field, FIELDS['categories']) * STEM:g}" for field in STEMMED]


def exists(*fields):
    return any_of([{"exists": {"field": field}} for field in fields])


# Sources of deep links beside `association`, which vouches for a whole host (Docs/Record.md).
SOURCES = [
    "page-url", "smart-app-banner", "twitter-card", "app-links", "alternate", "schema-org", "app-meta",
    "web-manifest", "intent-link", "page-link", "script", "store-link",
]


@functools.cache
def feature(name):
    """What `has:` asks for."""
    into_app = {"bool": {"must_not": [{"term": {"deepLinks.platform": "web"}}]}}
    fields = {
        "image": ["images.url", "thumbnailURL"], "audio": ["audio.url"], "video": ["video.url"],
        "rating": ["rating.value"], "price": ["offers", "priceRange"], "event": ["event"], "recipe": ["recipe"],
        "author": ["authors"], "date": ["publishedAt", "modifiedAt", "event.startDate"],
    }
    if name in fields:
        return exists(*fields[name])
    if name == "deeplink":
        # An association opens this very page only by a pattern.
        says = any_of([{"terms": {"deepLinks.sources": SOURCES}}, exists("deepLinks.verification.pattern")])
        return nested({"bool": {"filter": [into_app, exists("deepLinks.url"), says]}})
    if name == "verified":
        return nested({"bool": {"filter": [into_app, {"term": {"deepLinks.verification.status": "verified"}}]}})
    return {"term": {"actions.type": name}}


SCALES = [1, 3, 4, 5, 6, 10, 20, 100]


def rating(sign, stars):
    """Ratings out of 5, whatever the page's scale is: usual scales by value, others by the place between their ends."""

    def steps(best):
        value, digit = stars * best / 5, 0.05 * best / 5
        if sign == "=":
            return {"gte": value - digit, "lt": value + digit}
        return {{">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}[sign]: value}

    scale = [
        {"bool": {"filter": [{"term": {"rating.best": best}}, {"range": {"rating.value": steps(best)}}]}}
        for best in SCALES
    ]
    other = {"must_not": [{"terms": {"rating.best": SCALES}}], "filter": [{"range": {"rating.normalized": steps(1)}}]}
    return any_of(scale + [{"bool": other}])


def first_day(text):
    """The first day of a year, a month or a day; nothing else is a date."""
    if not re.fullmatch(r"[0-9]{4}(-[0-9]{2}(-[0-9]{2})?)?", text):
        return None
    try:
        return datetime.date.fromisoformat(text + "-01-01"[len(text) - 4 :]).isoformat()
    except ValueError:
        return None


def dated(bounds):
    """The day of a record: published, else changed, else when the event begins."""
    fields = ["publishedAt", "modifiedAt", "event.startDate"]
    return any_of(
        [
            {
                "bool": {
                    "filter": [{"range": {field: bounds}}],
                    "must_not": [exists(other) for other in fields[:place]],
                }
            }
            for place, field in enumerate(fields)
        ]
    )


@functools.cache
def _types():
    """Types by their names as filters: each with all below it."""
    known = json.loads((FOLDER / "types.json").read_text(encoding="utf-8"))
    below = {parent: children.split() for parent, children in known["below"].items()}
    types = set(below) | {child for children in below.values() for child in children}
    names = {}

    def add(name, found):
        names.setdefault(name, set()).add(found)

    for type_ in types:
        # `NewsArticle` is also found as `article` and `news`.
        parts = [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+", type_)]
        for count in range(1, len(parts)):
            add("".join(parts[:count]), type_.lower())
            add("".join(parts[-count:]), type_.lower())
        seen, upcoming = {type_}, [type_]
        while upcoming:
            for child in below.get(upcoming.pop(), []):
                if child not in seen:
                    seen.add(child)
                    upcoming.append(child)
        for found in seen:
            add(type_.lower(), found.lower())
    return names, {name: meant.lower() for name, meant in known["called"].items()}


def type_names(written):
    """All names of types that `type:` asks for, as `types.name` has them."""
    names, called = _types()
    if not written:
        return []
    if written not in names:
        written = called.get(written, written)
    # Types of Open Graph stand in their families: video.movie, music.song.
    others = [f"{family}{written}" for family in ("video", "music")]
    return sorted(names.get(written, set()) | {written, *others})


def ranked(query, today):
    """Orders what matches equally well by what is known of the records, with the weights of Pippin's own index."""
    return {
        "function_score": {
            "query": query,
            "functions": [
                {"filter": {"match_all": {}}, "weight": 1},
                {"field_value_factor": {"field": "popularity", "factor": 0.35, "missing": 0}},
                {"field_value_factor": {"field": "structuredDataScore", "factor": 0.08, "missing": 0}},
                {"filter": feature("verified"), "weight": 0.10},
                {
                    "filter": exists("publishedAt"),
                    "exp": {"publishedAt": {"origin": today.isoformat(), "scale": "180d", "decay": 0.5}},
                    "weight": 0.08,
                },
            ],
            "score_mode": "sum",
            "boost_mode": "multiply",
        }
    }


def aggregations():
    """The facets of `pippin search`, over all hits."""
    return {
        "type": {"terms": {"field": "types", "size": 20}},
        "site": {"terms": {"field": "domainIdentifier", "size": 20}},
        "lang": {"terms": {"field": "languages", "size": 20}},
        "has": {"filters": {"filters": {name: feature(name) for name in FEATURES}}},
        "rating": {"filters": {"filters": {f">={stars}": rating(">=", stars) for stars in (1, 2, 3, 4, 4.5)}}},
        "after": {
            "date_histogram": {
                "field": "publishedAt", "calendar_interval": "year", "format": "yyyy", "min_doc_count": 1,
            }
        },
    }

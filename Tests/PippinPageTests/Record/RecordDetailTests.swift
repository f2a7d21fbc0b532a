import PippinTestSupport
import Testing

@testable import PippinPage

/// What a record says beside title, text and media: events, hours, categories, series.
@Suite struct RecordDetailTests {
    /// The record of a thing, given by its members in JSON.
    private func record(_ type: String, _ members: String, html: String = "") throws -> DeepLinkRecord {
        try RecordBuilderTests.record(
            #"<script type='application/ld+json'>{"@context":"https://schema.org","@type":"\#(type)","name":"N","#
                + members + "}</script>" + html)
    }

    // MARK: Events

    @Test func `an event has its time, place, state and address on the web`() throws {
        let event = try record(
            "MusicEvent",
            """
            "startDate":"2026-12-06T19:30+01:00","endDate":"2026-12-06","eventStatus":"http://schema.org/EventRescheduled",
            "location":[{"@type":"VirtualLocation","url":"https://example.org/stream"},
            {"@type":"Place","name":"Town Hall","address":{"streetAddress":"1 Pier St","addressLocality":"Ulm"},
            "geo":{"latitude":48.4,"longitude":9.99}}]
            """
        ).event
        #expect(event?.startDate == "2026-12-06T19:30:00+01:00")
        #expect(event?.endDate == "2026-12-06")
        #expect(event?.status == "EventRescheduled")
        #expect(event?.venue == "Town Hall")
        #expect(event?.address == "1 Pier St, Ulm")
        #expect(event?.coordinates?.latitude == 48.4)
        #expect(event?.url == "https://example.org/stream")
    }

    @Test func `an event in few words has what they say`() throws {
        let text = try record("Event", #""startDate":"soon","location":"The old barn","eventStatus":"cancelled""#).event
        #expect(text?.startDate == nil && text?.venue == "The old barn" && text?.status == "EventCancelled")
        let backwards = try record("Event", #""startDate":"2026-12-06","endDate":"2025-12-06""#).event
        #expect(backwards?.startDate == "2026-12-06" && backwards?.endDate == nil)
        #expect(try record("Event", #""description":"D""#).event == nil)
        #expect(try record("Product", #""startDate":"2026-12-06""#).event == nil)
        let tags =
            "<meta property='og:type' content='event'><meta property='event:start_time' content='2026-12-06T19:30'>"
        let shared = try RecordBuilderTests.record(tags)
        #expect(shared.event?.startDate == "2026-12-06T19:30:00")
        #expect(shared.provenance.contains { $0.field == "event" && $0.source == .openGraph })
    }

    // MARK: Hours

    @Test func `opening hours are a usual week`() throws {
        func hours(_ members: String) throws -> [String] { try record("Restaurant", members).openingHours }
        #expect(
            try hours(#""openingHours":["Mo-Th 11:00-14:30","Fr-Sa 11:00-22:00"]"#) == [
                "Mo-Th 11:00-14:30", "Fr,Sa 11:00-22:00",
            ])
        #expect(try hours(#""openingHours":"täglich ab 18 Uhr""#) == ["täglich ab 18 Uhr"])
        #expect(
            try hours(
                #"""
                "openingHoursSpecification":[
                {"dayOfWeek":["Monday","https://schema.org/Tuesday"],"opens":"09:00:00","closes":"17:00"},
                {"dayOfWeek":{"@id":"http://schema.org/Wednesday"},"opens":"09:00","closes":"17:00"},
                {"dayOfWeek":"Sunday","opens":"00:00","closes":"00:00"},
                {"dayOfWeek":"Saturday","opens":"10:00","closes":"12:00","validFrom":"2026-11-19","validThrough":"2026-11-23"},
                {"dayOfWeek":"Friday","opens":"10:00","closes":"12:00","validThrough":"2020-01-01"}]
                """#) == ["Mo-We 09:00-17:00"])
        let tags = """
            <meta property='business:hours:day' content='monday'><meta property='business:hours:start' content='09:00'>
            <meta property='business:hours:end' content='18:00'>
            """
        #expect(try RecordBuilderTests.record(tags).openingHours == ["Mo 09:00-18:00"])
        #expect(
            try record("Article", #""publisher":{"@type":"Organization","openingHours":"Mo-Su"}"#).openingHours.isEmpty)
    }

    // MARK: Kinds and names

    @Test func `categories are what people call the kind, other names what they call the thing`() throws {
        let recipe = try record(
            "Recipe",
            #""recipeCategory":"Dinner, Soup","recipeCuisine":["Thai","thai"],"alternateName":["N","Tom Yum"]"#)
        #expect(recipe.categories == ["Dinner", "Soup", "Thai"])
        #expect(recipe.alternateNames == ["Tom Yum"])
        let article = try record(
            "NewsArticle",
            #""articleSection":["Paris, Texas","104D1E63-9701-497B-8CF4-A4D120C9014E"],"genre":"https://example.org/g""#
        )
        #expect(article.categories == ["Paris, Texas"])
        #expect(try record("MobileApplication", #""applicationCategory":"GameApplication""#).categories == ["Game"])
        let section = try RecordBuilderTests.record("<meta property='article:section' content='Sport'>")
        #expect(section.categories == ["Sport"])
        #expect(section.provenance.contains { $0.field == "categories" && $0.source == .openGraph })
    }

    @Test func `a brand is a name`() throws {
        #expect(try record("Product", #""brand":{"@type":"Brand","name":"Acme"}"#).brand == "Acme")
        #expect(try record("Product", #""brand":"https://example.org/acme""#).brand == nil)
        #expect(try RecordBuilderTests.record("<meta property='product:brand' content='Acme'>").brand == "Acme")
    }

    @Test func `a record says for whom a thing is and whether it is free`() throws {
        let film = try record("Movie", #""contentRating":{"@type":"Rating","author":"FSK","ratingValue":"12"}"#)
        #expect(film.contentRating == "FSK 12")
        #expect(
            try record("Movie", #""contentRating":"PG-13","isAccessibleForFree":"False""#).isAccessibleForFree == false)
        #expect(try record("Article", #""isAccessibleForFree":true"#).isAccessibleForFree == true)
        #expect(try record("Article", #""isAccessibleForFree":"sometimes""#).isAccessibleForFree == nil)
        #expect(
            try RecordBuilderTests.record("<meta name=rating content='RTA-5042-1996-1400-1577-RTA'>").contentRating
                == "adult")
        #expect(try RecordBuilderTests.record("<meta name=rating content=general>").contentRating == nil)
        #expect(
            try RecordBuilderTests.record("<meta property='article:content_tier' content=locked>").isAccessibleForFree
                == false)
        #expect(
            try RecordBuilderTests.record("<meta property='article:content_tier' content=metered>").isAccessibleForFree
                == nil)
    }

    // MARK: Works

    @Test func `a song has its length, artists and album`() throws {
        let song = try record(
            "MusicRecording",
            #""duration":"PT3M5S","byArtist":[{"@type":"MusicGroup","name":"A","url":"/a"},"B","a"],"inAlbum":{"@type":"MusicAlbum","name":"Z","url":"/z"}"#
        )
        #expect(song.duration == 185)
        #expect(song.artists.map(\.name) == ["A", "B"])
        #expect(song.artists.first?.url == "https://example.org/a")
        #expect(song.partOf == .init(type: "MusicAlbum", name: "Z", url: "https://example.org/z"))
        let shared = try RecordBuilderTests.record(
            "<meta property='og:type' content='music.song'><meta property='music:duration' content='185'>")
        #expect(shared.duration == 185)
    }

    @Test func `an episode has its place in season and series`() throws {
        let episode = try record(
            "TVEpisode",
            #""episodeNumber":"5","partOfSeason":{"@type":"TVSeason","seasonNumber":2,"partOfSeries":{"@type":"TVSeries","name":"Knots"}}"#
        )
        #expect(episode.episode == .init(number: 5, season: 2))
        #expect(episode.partOf == .init(type: "TVSeries", name: "Knots"))
        let podcast = try record(
            "PodcastEpisode",
            #""episodeNumber":"1x05","partOfSeries":"Serial","associatedMedia":{"@type":"AudioObject","duration":"PT42M"}"#
        )
        #expect(podcast.episode == nil)
        #expect(podcast.partOf == .init(type: "CreativeWorkSeries", name: "Serial"))
        #expect(podcast.duration == 2_520)
    }

    @Test func `an article is part of a periodical, not of a site or a subscription`() throws {
        let scholarly = try record(
            "ScholarlyArticle",
            #""isPartOf":{"@type":"PublicationIssue","isPartOf":{"@type":"PublicationVolume","isPartOf":{"@type":"Periodical","name":"Nature"}}}"#
        )
        #expect(scholarly.partOf == .init(type: "Periodical", name: "Nature"))
        let paid = try record(
            "NewsArticle",
            #""isPartOf":[{"@type":["CreativeWork","Product"],"name":"Times","productID":"t:basic"},{"@type":"WebSite","name":"S"},"politics"]"#
        )
        #expect(paid.partOf == nil)
        let tagged = try RecordBuilderTests.record("<meta name=citation_journal_title content='Knot Letters'>")
        #expect(tagged.partOf == .init(type: "Periodical", name: "Knot Letters"))
        // A chain without end ends.
        let circle = try record(
            "Article", ##""@id":"#a","isPartOf":{"@type":"CreativeWork","@id":"#b","isPartOf":{"@id":"#b"}}"##)
        #expect(circle.partOf == nil)
    }

    @Test func `trailers and tracks play`() throws {
        let film = try record("Movie", #""trailer":{"@type":"VideoObject","contentUrl":"/t.mp4"}"#)
        #expect(film.actions == [.play(.video, url: "https://example.org/t.mp4")])
        let tracks =
            #"{"@type":"MusicRecording","audio":{"@type":"AudioObject","contentUrl":"/1.mp3"}},{"@type":"MusicRecording","audio":"/2.mp3"}"#
        #expect(
            try record("MusicAlbum", "\"track\":[\(tracks)]").audio.map(\.url) == [
                "https://example.org/1.mp3", "https://example.org/2.mp3",
            ])
        let list =
            #""track":{"@type":"ItemList","itemListElement":[{"@type":"ListItem","item":{"@type":"MusicRecording","audio":{"@type":"AudioObject","contentUrl":"/1.mp3"}}}]}"#
        #expect(try record("MusicPlaylist", list).actions == [.play(.audio, url: "https://example.org/1.mp3")])
    }
}

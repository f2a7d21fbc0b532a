import Testing

@testable import PippinPage

/// Which of a page's media reach the record as audio or video, and what its play button starts.
@Suite struct PlayedMediaTests {
    private func record(_ html: String) throws -> DeepLinkRecord {
        try RecordBuilderTests.record("<title>Page</title>" + html)
    }

    private func graph(_ property: String, _ content: String) -> String {
        "<meta property=\"\(property)\" content=\"\(content)\">"
    }

    private func stream(_ url: String, _ type: String?) -> String {
        "<meta name=\"twitter:card\" content=\"player\"><meta name=\"twitter:player:stream\" content=\"\(url)\">"
            + (type.map { "<meta name=\"twitter:player:stream:content_type\" content=\"\($0)\">" } ?? "")
    }

    private func script(_ json: String) -> String {
        "<script type=\"application/ld+json\">{\"@context\":\"https://schema.org\",\(json)}</script>"
    }

    private static let file = "https://cdn.example/1.mp4"

    @Test func `a radio's stream in a Twitter card is audio`() throws {
        let record = try record(stream("https://radio.example/live", "audio/mpeg; codecs=mp3"))
        #expect(record.video.isEmpty)
        #expect(record.audio == [DeepLinkRecord.Media(url: "https://radio.example/live", type: "audio/mpeg")])
        #expect(record.actions == [.play(.audio, url: "https://radio.example/live")])
        #expect(record.provenance.contains(DeepLinkRecord.Provenance(field: "audio", source: .twitterCard)))
    }

    @Test func `a stream without a type is told by its file, else it is video`() throws {
        #expect(
            try record(stream("https://radio.example/9.mp3?a=1", nil)).actions
                == [.play(.audio, url: "https://radio.example/9.mp3?a=1")])
        #expect(try record(stream(Self.file, nil)).actions == [.play(.video, url: Self.file)])
        #expect(
            try record(stream("https://radio.example/live", nil)).actions
                == [.play(.video, url: "https://radio.example/live")])
        // A playlist of HLS is named audio/mpegurl whatever it plays.
        #expect(
            try record(stream("https://tv.example/live.m3u8", "audio/mpegurl")).actions
                == [.play(.video, url: "https://tv.example/live.m3u8")])
    }

    @Test(arguments: [
        ("https://cdn.example/dance.gif", nil), ("https://cdn.example/DANCE.GIF?w=1", "video/mp4"),
        ("https://cdn.example/dance", "image/gif"), ("https://cdn.example/a.swf", nil),
        ("https://cdn.example/a", "application/x-shockwave-flash"), ("https://cdn.example/a.flv", "video/x-flv"),
        ("https://cdn.example/a.wmv", "video/x-ms-wmv"), ("https://cdn.example/a", "application/json"),
        ("data:video/mp4;base64,AAAA", "video/mp4"), ("blob:https://cdn.example/1", "video/mp4"),
        ("javascript:play()", nil), ("https://example.org/page", "text/html"), ("", nil),
    ])
    func `what nothing plays is no video, whichever markup names it`(url: String, type: String?) throws {
        let typed = type ?? ""
        for html in [
            graph("og:video", url) + graph("og:video:type", typed), stream(url, type),
            script(
                "\"@type\":\"VideoObject\",\"name\":\"V\",\"contentUrl\":\"\(url)\",\"encodingFormat\":\"\(typed)\""),
            "<video controls src=\"\(url)\" type=\"\(typed)\"></video>",
            "<video controls><source src=\"\(url)\" type=\"\(typed)\"></video>",
        ] {
            let record = try record(html)
            #expect(record.video.isEmpty && record.audio.isEmpty && record.actions.isEmpty, "\(html)")
        }
    }

    @Test func `a secure address that is none leaves the other`() throws {
        let record = try record(
            graph("og:video", Self.file) + graph("og:video:secure_url", "data:video/mp4;base64,AAAA"))
        #expect(record.video.map(\.url) == [Self.file])
    }

    @Test func `a video object whose file is a picture still has its player`() throws {
        let record = try record(
            script(
                "\"@type\":\"VideoObject\",\"name\":\"V\",\"contentUrl\":\"https://cdn.example/v.gif\",\"embedUrl\":\"https://cdn.example/embed/1\""
            ))
        #expect(record.video == [DeepLinkRecord.Media(url: "https://cdn.example/embed/1", type: "text/html")])
        #expect(record.actions == [.play(.video, url: "https://cdn.example/embed/1")])
    }

    @Test func `audio and video are told apart by type and file, not by the property`() throws {
        #expect(
            try record(graph("og:video", "https://cdn.example/1.mp3") + graph("og:video:type", "video/mp4")).audio
                == [DeepLinkRecord.Media(url: "https://cdn.example/1.mp3")])
        #expect(
            try record(graph("og:video", "https://cdn.example/1") + graph("og:video:type", "audio/ogg")).audio
                == [DeepLinkRecord.Media(url: "https://cdn.example/1", type: "audio/ogg")])
        #expect(
            try record(graph("og:audio", Self.file) + graph("og:audio:type", "video/mp4")).video
                == [DeepLinkRecord.Media(url: Self.file, type: "video/mp4")])
        // An MP4 may hold audio alone.
        #expect(try record(graph("og:audio", Self.file)).audio.map(\.url) == [Self.file])
        #expect(
            try record(script("\"@type\":\"VideoObject\",\"name\":\"V\",\"contentUrl\":\"https://cdn.example/1.m4a\""))
                .audio.map(\.url) == ["https://cdn.example/1.m4a"])
        #expect(
            try record("<audio controls src=\"https://cdn.example/1.ogv\"></audio>").video.map(\.url)
                == ["https://cdn.example/1.ogv"])
        let player = graph("og:video", "https://cdn.example/embed") + graph("og:video:type", "text/html")
        #expect(
            try record(player).video == [DeepLinkRecord.Media(url: "https://cdn.example/embed", type: "text/html")])
    }

    @Test(arguments: [
        "autoplay muted loop", "autoplay loop playsinline", "AUTOPLAY=\"\" MUTED=\"muted\"",
        "muted loop preload=\"none\"",
    ])
    func `a loop behind a heading is nothing to play`(attributes: String) throws {
        let record = try record(
            "<video \(attributes) poster=\"p.jpg\"><source src=\"hero.webm\"><source src=\"hero.mp4\"></video>")
        #expect(record.video.isEmpty && record.actions.isEmpty)
    }

    @Test func `a sound in the background is nothing to play`() throws {
        #expect(try record("<audio autoplay src=\"rain.mp3\"></audio>").actions.isEmpty)
        #expect(try record("<audio loop src=\"rain.mp3\"></audio>").actions.isEmpty)
    }

    @Test(arguments: ["controls autoplay muted loop", "controls", "muted", "", "autoplay"])
    func `a video that people can start is played`(attributes: String) throws {
        #expect(
            try record("<video \(attributes) src=\"talk.mp4\"></video>").actions
                == [.play(.video, url: "https://example.org/talk.mp4")])
    }

    @Test func `a video behind many loops is found`() throws {
        let loops = String(repeating: "<video autoplay muted loop src=\"hero.mp4\"></video>", count: 30)
        #expect(
            try record(loops + "<video controls src=\"talk.mp4\"></video>").video.map(\.url)
                == ["https://example.org/talk.mp4"])
    }

    @Test func `sources that nothing plays leave the others`() throws {
        let record = try record(
            "<video controls><source src=\"a.flv\" type=\"video/x-flv\"><source src=\"a.mp4\" type=\"video/mp4\"></video>"
        )
        #expect(record.video == [DeepLinkRecord.Media(url: "https://example.org/a.mp4", type: "video/mp4")])
    }

    /// The media of an item by the property that names them, as a file or a player, with and without a media type.
    @Test(
        arguments: ["associatedMedia", "audio", "encoding"],
        [
            (#""contentUrl":"https://cdn.example/1.mp3""#, "https://cdn.example/1.mp3"),
            (#""contentUrl":"https://cdn.example/1","encodingFormat":"audio/mpeg""#, "https://cdn.example/1"),
            (
                #""contentUrl":"https://cdn.example/1.mp4?a=1","encodingFormat":"audio/mp4""#,
                "https://cdn.example/1.mp4?a=1"
            ),
            (#""contentUrl":"https://cdn.example/1""#, "https://cdn.example/1"),
            (#""embedUrl":"https://cdn.example/player/1""#, "https://cdn.example/player/1"),
        ])
    func `a podcast's episode plays its media object`(property: String, file: (json: String, url: String)) throws {
        for type in ["MediaObject", "AudioObject"] {
            let record = try record(
                script(#""@type":"PodcastEpisode","name":"E","\#(property)":{"@type":"\#(type)",\#(file.json)}"#))
            #expect(record.actions.contains(.play(.audio, url: file.url)), "\(property) \(type) \(file.json)")
        }
    }

    @Test func `a media object of an article plays what its file is`() throws {
        func played(_ json: String) throws -> [DeepLinkRecord.Action] {
            try record(script(#""@type":"Article","headline":"A","associatedMedia":{"@type":"MediaObject",\#(json)}"#))
                .actions
        }
        #expect(
            try played(#""contentUrl":"https://cdn.example/1.mp3""#) == [
                .play(.audio, url: "https://cdn.example/1.mp3")
            ])
        #expect(try played(#""contentUrl":"\#(Self.file)""#) == [.play(.video, url: Self.file)])
        #expect(
            try played(#""contentUrl":"https://cdn.example/1","encodingFormat":"video/webm""#)
                == [.play(.video, url: "https://cdn.example/1")])
        #expect(try played(#""contentUrl":"https://cdn.example/1.pdf""#).isEmpty)
        #expect(try played(#""contentUrl":"https://cdn.example/1.jpg""#).isEmpty)
        #expect(try played(#""contentUrl":"https://cdn.example/1""#).isEmpty)
    }
}

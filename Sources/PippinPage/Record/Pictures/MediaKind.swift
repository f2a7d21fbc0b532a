/// What plays at an address, as far as the page tells: by the media type beside it and by the end of its path.
///
/// The property alone does not decide. `og:video` names MP3 files, `twitter:player:stream` carries radio, and GIFs stand where
/// videos should.
public enum MediaKind: Equatable, Sendable {
    case audio, video
    /// A page with a player in it.
    case player
    case unplayable(Reason)

    /// Why nothing plays it.
    public enum Reason: Equatable, Sendable {
        case picture
        /// Flash, RealMedia, Windows Media: no browser plays them any more.
        case retired
        case document

        /// Ends the sentence “og:video is …”.
        public var phrase: String {
            switch self {
            case .picture: "a picture, which nothing plays"
            case .retired: "of a format that nothing plays any more"
            case .document: "neither audio nor video"
            }
        }
    }

    /// - Parameters:
    ///   - type: a media type in lower case without parameters.
    ///   - said: what the property or element says, which counts where type and path leave it open.
    init(of address: WebURL, type: String?, saidToBe said: DeepLinkRecord.PlayedMedia) {
        let ending = Self.ending(of: address)
        let typed = type.flatMap(Self.kind(ofType:))
        if let ending, let reason = Self.unplayableEndings[ending] {
            self = .unplayable(reason)
        } else if let typed, typed != .audio, typed != .video {
            self = typed
        } else if let ending, Self.audioEndings.contains(ending) {
            // An MP3 holds nothing but audio; templates write video/mp4 beside everything.
            self = .audio
        } else if let typed {
            self = typed
        } else if let ending, Self.videoEndings.contains(ending) {
            self = .video
        } else {
            self = said == .audio ? .audio : .video
        }
    }

    /// - Parameters:
    ///   - writtenType: a media type as an author wrote it.
    ///   - said: what the property or element says, which counts where type and path leave it open.
    public init(of address: WebURL, writtenType: String?, saidToBe said: DeepLinkRecord.PlayedMedia) {
        self.init(of: address, type: RecordBuilder.mediaType(writtenType), saidToBe: said)
    }

    /// Audio or video by type and path alone; nil if nothing plays it or both may be.
    ///
    /// - Parameter other: what it is where type and path leave it open. MP4 and its kin are video unless this says audio.
    static func played(
        at address: WebURL, writtenType: String?, otherwise other: DeepLinkRecord.PlayedMedia?
    ) -> DeepLinkRecord.PlayedMedia? {
        let isContainer = ending(of: address).map(containerEndings.contains) ?? false
        switch (
            MediaKind(of: address, writtenType: writtenType, saidToBe: .audio),
            MediaKind(of: address, writtenType: writtenType, saidToBe: .video)
        ) {
        case (.audio, .audio): return .audio
        case (.video, .video): return .video
        case (.unplayable, _): return nil
        default: return other ?? (isContainer ? .video : nil)
        }
    }

    /// The letters behind the last point of the path, in lower case.
    private static func ending(of address: WebURL) -> String? {
        let name = address.path.utf8.suffix(64).split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .last
        guard let name, let point = name.lastIndex(of: UInt8(ascii: ".")) else { return nil }
        let ending = name[name.index(after: point)...]
        guard (2...5).contains(ending.count) else { return nil }
        return String(decoding: ending.map(\.asciiLowercased), as: UTF8.self)
    }

    /// nil where a type says only that there are bytes, or that they are a list or container of either kind.
    private static func kind(ofType essence: String) -> MediaKind? {
        if essence.has("flash") || retiredTypes.contains(essence) { return .unplayable(.retired) }
        switch essence {
        case "text/html", "application/xhtml+xml": return .player
        case "application/json", "application/javascript", "application/pdf", "application/xml", "application/zip":
            return .unplayable(.document)
        // Playlists of HLS, which are named so whatever they play.
        case "audio/mpegurl", "audio/x-mpegurl": return nil
        default: break
        }
        switch essence.split(separator: "/").first {
        case "audio": return .audio
        case "video": return .video
        case "image": return .unplayable(.picture)
        case "text", "font": return .unplayable(.document)
        default: return nil
        }
    }

    private static let retiredTypes: Set<String> = [
        "video/x-flv", "video/flv", "video/x-ms-wmv", "video/x-ms-asf", "audio/x-ms-wma", "audio/x-pn-realaudio",
        "video/avi", "video/msvideo", "video/x-msvideo", "application/vnd.rn-realmedia", "application/x-silverlight",
        "application/x-mplayer2", "application/futuresplash",
    ]

    private static let unplayableEndings: [String: Reason] = {
        var reasons: [String: Reason] = [:]
        for ending in ["gif", "jpg", "jpeg", "png", "apng", "webp", "avif", "heic", "svg", "bmp", "ico", "tif", "tiff"]
        {
            reasons[ending] = .picture
        }
        for ending in ["swf", "flv", "f4v", "wmv", "wma", "asf", "asx", "avi", "rm", "ram", "rmvb"] {
            reasons[ending] = .retired
        }
        for ending in ["pdf", "json", "xml", "txt", "css", "js", "zip", "vtt", "srt"] { reasons[ending] = .document }
        return reasons
    }()

    private static let audioEndings: Set<String> = [
        "mp3", "m4a", "m4b", "aac", "wav", "flac", "oga", "opus", "weba", "aif", "aiff", "mid", "midi",
    ]
    /// MP4, WebM, 3GP and Ogg hold either kind, and are what the page says.
    private static let containerEndings: Set<String> = ["mp4", "webm", "3gp", "ogg", "m3u8", "mpd"]
    private static let videoEndings: Set<String> = ["m4v", "mov", "ogv", "mpg", "mpeg", "mkv"]
}

/// What is known of schemes that stand in a page's links: most of them open no app of the page's site.
public enum CustomScheme {
    /// Whether a scheme opens no app of a site: it is registered for something else (mail, calls, files, money …), or belongs to
    /// a system or a browser.
    public static func opensNoApp(_ scheme: String) -> Bool {
        reserved.contains(scheme) || reservedPrefixes.contains { scheme.hasPrefix($0) }
    }

    /// Whether a scheme belongs to an app that many sites link to: messengers, players, maps, payment.
    static func isOfWellKnownApp(_ scheme: String) -> Bool { wellKnown.contains(scheme) }

    /// `ms-settings:`, `web+mastodon:` (HTML §8.7.1.2), `x-apple-data-detectors:`.
    private static let reservedPrefixes = [
        "chrome-", "facetime", "fb-messenger", "itms", "microsoft-edge", "moz-", "ms-", "opera-", "web+", "x-",
    ]

    /// From the IANA registry of URI schemes, and what systems and browsers have.
    private static let reserved = words(
        """
        aaa aaas about acap acct admin afp aim android-app app-settings apt at bitcoin bitcoincash blob brave cab calshow callto cap
        chrome cid cifs cmd coap coaps content crid dat data dav davs dict did dns doge dogecoin doi ed2k edge eid ethereum example
        feed feeds file filesystem finger fish ftp ftps gemini geo git go gopher gtalk h323 hcp help http https hyper iax icap im
        imap info intent ios-app ipfs ipns ipp ipps irc irc6 ircs iris itpc jabber jar javascript ldap ldaps leaptofrogans lightning
        litecoin macappstore macappstores magnet mailto maps market matrix message mhtml mid mms mmsh mmst monero msrp msrps mtqp
        mumble mupdate mw-data mw news nfs ni nih nntp nostr onion opaquelocktoken openpgp4fpr otpauth pcast payto photos-redirect
        pkcs11 podcast podcasts pop pop3 prefs pres proxy reload res resource rsync rtmp rtmps rtsp rtsps rtspu secondlife service
        session sftp shortcuts shttp sieve sip sips skype sms smsto smb snews snmp ssh steam stratum stun stuns svn svn+ssh tag tel
        telnet tftp thismessage tip tn3270 ts3server turn turns tv udp unreal urn ut2004 vbscript vemmi view-source vnc
        wais webcal webcals ws wss wtai wyciwyg xcon xfire xmlrpc xmpp z39.50 z39.50r z39.50s
        """)

    private static let wellKnown = words(
        """
        acestream airbnb alipay alipays antennapod-subscribe bankid bear beyondpod bhim booking cashapp cashme castbox castro
        citymapper comgooglemaps comgooglemapsurl cursor ddgquicklink deezer dgis discord downcast evernote facebook fb fbapi
        feedly figma firefox firefox-focus flashget flipboard foxmail github-mac github-windows gitkraken googlechrome
        googlechromes googlegmail googlemaps gpay icatcher idea iina infuse instagram instagram-stories instapaper jetbrains
        kakaolink kakaomap kakaostory kakaotalk kwai line linkedin lyft mastodon messenger minecraft mobilepay moovit mqq mqqapi
        msteams musically music musics mxplayer naversearchapp navercafe nmap notion nplayer obsidian ok onenote outlook overcast
        paypal paytmmp phonepe pinterest pktc pocket podcastaddict podcastrepublic podkicker potplayer qq reddit roblox rssradio
        sgnl signal sinaweibo slack smartgit snapchat snssdk1128 sop soundcloud sourcetree spotify storylink swish teams telegram
        tez tg things threema thunder tidal tiktok todoist touch-http trello tumblr tweetbot twitter twitterrific uber venmo viber
        vipps vk vlc vnd.youtube vscode vscode-insiders waze wechat weibo weixin whatsapp whatsapp-consumer wordpress xcode
        yandexmaps yandexnavi youtube ytmusic zalo zoommtg zoomus zotero
        """)

    private static func words(_ text: String) -> Set<String> {
        Set(text.utf8.split { $0 == 0x20 || $0 == 0x0A }.map { String(decoding: $0, as: UTF8.self) })
    }
}

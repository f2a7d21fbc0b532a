extension ReportStyle {
    /// Additional styles for the card of one page: lines of its source, its structured data, and how it looks shared.
    static let card: StaticString = """
        pre.excerpt{display:flex;gap:14px;white-space:pre;overflow-x:auto;overflow-wrap:normal;padding-bottom:22px}
        .excerpt .number{color:var(--dim);user-select:none;flex:none}
        .excerpt code{font-size:1em;overflow-wrap:normal}
        .excerpt code span{unicode-bidi:isolate}
        .excerpt mark{position:relative;background:color-mix(in srgb,currentColor 10%,transparent);border-radius:3px}
        .excerpt mark span{color:var(--text)}
        .excerpt mark::after{content:"^";position:absolute;left:0;top:1.15em;font-weight:700}
        .items>details{border-top:1px solid var(--line)}.items>details:first-child{border-top:0}
        .items summary .source{margin-left:10px;font-weight:400;vertical-align:1px}
        .items dl{display:grid;grid-template-columns:minmax(120px,max-content) minmax(0,1fr);gap:0 20px;margin:0;
        padding:0 24px 16px;font-size:14px;line-height:1.43}
        .items dt{color:var(--dim);padding:5px 0;overflow-wrap:anywhere;max-width:200px}
        .items dd{margin:0;padding:5px 0;overflow-wrap:anywhere;min-width:0}
        .items dd summary{padding:0}.items dd dl{padding:4px 0 4px 16px;border-left:2px solid var(--line);margin-top:4px}
        .items .item-name{overflow-wrap:anywhere}
        .pictures{position:absolute}
        svg.thumb{background:none;display:block}
        .shared{display:grid;grid-template-columns:repeat(2,minmax(0,1fr));gap:16px;align-items:stretch}
        .network{margin:0;display:flex;flex-direction:column}
        .network figcaption{padding:18px 20px 14px;font-weight:600}
        .mock{background:linear-gradient(160deg,#dfe9f5,#f0e7f3 60%,#fbeee4);padding:24px 20px;flex:1;display:flex;
        flex-direction:column;justify-content:center}
        @media (prefers-color-scheme:dark){.mock{background:linear-gradient(160deg,#17202b,#241b2a 60%,#2a2119)}}
        .shape{width:100%;max-width:400px;margin:0 auto;background:var(--result);overflow:hidden}
        .shape .words{padding:12px 14px;min-width:0;flex:1}
        .shape .title{font-size:15px;font-weight:600;line-height:1.3;overflow-wrap:anywhere}
        .shape .site{font-size:13px;color:var(--dim);overflow-wrap:anywhere}
        .shape .description{font-size:14px;line-height:1.4;color:var(--dim);overflow-wrap:anywhere}
        .picture{display:block;width:100%;aspect-ratio:1.91;flex:none}
        .picture.absent{display:flex;align-items:center;justify-content:center;color:#fff;font-size:44px;font-weight:600;
        background:linear-gradient(145deg,#64748b,#4a586c)}
        .shape.small{display:flex;align-items:stretch}
        .small>.picture{width:112px;aspect-ratio:auto;min-height:112px}
        .messages .shape{max-width:320px;border-radius:18px;background:var(--code)}
        .messages .small{align-items:center}.messages .small>.picture{width:48px;min-height:48px;height:48px;border-radius:10px;
        order:2;margin:10px 12px 10px 0;font-size:24px}
        .messages .site{margin-top:2px}
        .x .shape{border:1px solid var(--line);border-radius:16px;position:relative}
        .x .large .words{position:absolute;left:12px;right:12px;bottom:12px;padding:0;display:flex}
        .x .large .title{background:#333;color:#fff;border-radius:4px;padding:1px 6px;font-size:13px;font-weight:400;
        white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
        .x .title{font-weight:400}
        .x .from{max-width:400px;width:100%;margin:4px auto 0;font-size:13px;color:var(--dim)}
        .facebook .site{text-transform:uppercase}
        .facebook .shape .words{background:var(--code)}
        .facebook .shape{border:1px solid var(--line)}
        .facebook .description{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
        .facebook .large .title{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden}
        .slack .shape{border-left:4px solid var(--line);border-radius:8px;padding:10px 14px}
        .slack .shape .words{padding:0}
        .slack .site{font-weight:600;color:var(--text)}.slack .title{color:var(--blue)}.slack .description{color:var(--text)}
        .slack .large>.picture{border-radius:8px;margin-top:8px}
        .slack .small>.picture{width:75px;min-height:75px;height:75px;border-radius:8px;margin-left:12px}
        .linkedin .shape{border:1px solid var(--line);border-radius:8px}.linkedin .site{margin-top:2px}
        .linkedin .small>.picture{width:72px;min-height:72px;height:72px}
        .whatsapp .shape{border-radius:8px;background:var(--code)}.whatsapp .small>.picture{width:88px;min-height:88px}
        .discord .shape{border-left:4px solid var(--line);border-radius:4px;padding:10px 14px;background:var(--code)}
        .discord .shape .words{padding:0}.discord .title{color:var(--blue)}
        .discord .large>.picture{border-radius:4px;margin-top:8px}
        .discord .small>.picture{width:80px;min-height:80px;height:80px;border-radius:4px;margin-left:12px}
        .bare{max-width:400px;width:100%;margin:0 auto;color:var(--blue);overflow-wrap:anywhere}
        .say-cut{list-style:none;margin:0;padding:14px 20px 18px;font-size:14px;line-height:1.43;color:var(--dim)}
        .say-cut li{padding:3px 0;overflow-wrap:anywhere}
        @media (max-width:734px){.shared{grid-template-columns:minmax(0,1fr)}.mock{padding:20px 14px}
        .items dl{grid-template-columns:minmax(0,1fr);padding:0 16px 14px}.items dt{padding-bottom:0;max-width:none}
        .items dd{padding-top:0}.items dd dl{padding-left:12px}}
        """
}

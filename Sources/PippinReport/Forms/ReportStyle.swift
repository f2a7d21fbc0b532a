import PippinPage

/// The style sheet of all pages, in files and served: the system's own font, one accent color for each severity, light and dark.
///
/// Reports are files that hold it. The server has all of it at one address.
public enum ReportStyle {
    /// All of it.
    public static let sheet = "\(css)\n\(widths)\n\(card)\n\(site)\n\(served)\n\(watch)"

    /// Markup in the head of every report, by which a later run knows it.
    public static let mark: StaticString =
        #"<meta name="robots" content="noindex"><meta name="referrer" content="no-referrer">"#

    /// The page of a report, as a file.
    static func page(title: String, more: StaticString, body: HTML) -> String {
        // Even if some markup got past the escaping, the browser would not load or run it.
        let page: HTML = """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>\(title)</title>\
            <meta name="viewport" content="width=device-width, initial-scale=1">\(literal: mark)\
            <meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;; \
            img-src data:"><style>\(literal: css)\(literal: widths)\(literal: more)</style></head><body>\(body)</body></html>

            """
        return page.html
    }

    static let css: StaticString = """
        :root{color-scheme:light dark;--bg:#f5f5f7;--card:#fff;--text:#1d1d1f;--dim:#636368;--line:#e3e3e8;--code:#f5f5f7;
        --red:#c9252d;--orange:#9e5500;--blue:#0066cc;--green:#1a7637;--gray:#636368;
        --result:#fff;--star:#f5a623;--empty:#d9d9de;
        --shadow:0 1px 2px rgba(0,0,0,.04),0 8px 24px rgba(0,0,0,.05)}
        @media (prefers-color-scheme:dark){:root{--bg:#000;--card:#1c1c1e;--text:#f5f5f7;--dim:#98989d;--line:#2f2f33;
        --code:#29292c;--result:#2c2c2e;--red:#ff6961;--orange:#ffb340;--blue:#5caaff;--green:#4cd471;--gray:#98989d;
        --empty:#48484d;
        --shadow:none}}
        *{box-sizing:border-box}
        html{-webkit-text-size-adjust:100%}
        body{margin:0;background:var(--bg);color:var(--text);font:17px/1.47 -apple-system,BlinkMacSystemFont,"SF Pro Text",
        "Segoe UI",Roboto,"Helvetica Neue",Helvetica,Arial,sans-serif;-webkit-font-smoothing:antialiased}
        main,header,footer{max-width:980px;margin:0 auto;padding:0 24px}
        header{padding-top:64px;padding-bottom:8px}
        h1{font-size:40px;line-height:1.1;letter-spacing:-.02em;font-weight:700;margin:0 0 12px;overflow-wrap:anywhere}
        h2{font-size:24px;line-height:1.17;letter-spacing:-.01em;font-weight:600;margin:56px 0 16px}
        h3{font-size:17px;font-weight:600;margin:0}
        p{margin:0}
        a{color:var(--blue);text-decoration:none}
        a:hover{text-decoration:underline}
        .eyebrow{color:var(--dim);font-size:14px;font-weight:600;margin-bottom:8px}
        .lead{color:var(--dim);overflow-wrap:anywhere}
        .dim{color:var(--dim)}
        .small{font-size:14px;line-height:1.43}
        .card{background:var(--card);border-radius:18px;box-shadow:var(--shadow);overflow:hidden}
        .tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:16px;margin-top:40px}
        .tile{padding:20px;display:flex;flex-direction:column;gap:6px;min-height:132px}
        .tile h3{font-size:15px;line-height:1.3;min-height:2.6em}
        .tile .verdict{font-size:20px;font-weight:600;letter-spacing:-.01em}
        .error{color:var(--red)}.warning{color:var(--orange)}.info{color:var(--blue)}.pass{color:var(--green)}
        .unknown{color:var(--gray)}
        .stage{background:linear-gradient(160deg,#dfe9f5,#f0e7f3 60%,#fbeee4);border-radius:18px;padding:40px 24px}
        @media (prefers-color-scheme:dark){.stage{background:linear-gradient(160deg,#17202b,#241b2a 60%,#2a2119)}}
        .result{max-width:560px;margin:0 auto;background:var(--result);border-radius:20px;padding:16px;
        box-shadow:0 2px 6px rgba(0,0,0,.06),0 16px 40px rgba(0,0,0,.10)}
        .result .row{display:flex;gap:16px}
        .thumb{flex:none;width:84px;height:84px;border-radius:14px;background:linear-gradient(145deg,#64748b,#4a586c);
        color:#fff;display:flex;align-items:center;justify-content:center;font-size:36px;font-weight:600;object-fit:cover}
        .result .words{min-width:0;flex:1}
        .result .title{font-size:17px;font-weight:600;line-height:1.25;overflow-wrap:anywhere}
        .result .site{color:var(--dim);font-size:13px;margin:2px 0 4px;overflow-wrap:anywhere}
        .result .snippet{font-size:14px;line-height:1.4;color:var(--text);overflow-wrap:anywhere;display:-webkit-box;
        -webkit-line-clamp:3;-webkit-box-orient:vertical;overflow:hidden}
        .facts{display:flex;flex-wrap:wrap;gap:4px 14px;margin-top:8px;font-size:13px;color:var(--dim);align-items:center}
        .stars{position:relative;display:inline-block;color:var(--empty);letter-spacing:1px;font-size:15px;line-height:1;
        white-space:nowrap;margin-right:6px}
        .stars span{position:absolute;left:0;top:0;overflow:hidden;color:var(--star);height:100%}
        .price{color:var(--text);font-weight:600}
        .buttons{display:flex;flex-wrap:wrap;gap:8px;margin-top:14px}
        .button{flex:1 1 96px;text-align:center;background:color-mix(in srgb,var(--text) 5%,transparent);
        color:var(--blue);border-radius:11px;padding:9px 12px;
        font-size:14px;font-weight:600;white-space:nowrap}
        .note{text-align:center;color:var(--dim);font-size:13px;margin:16px auto 0;max-width:560px;overflow-wrap:anywhere}
        .note.sources{margin-top:4px}
        .finding{padding:24px;border-top:1px solid var(--line)}
        .finding:first-child{border-top:0}
        .finding .head{display:flex;gap:12px;align-items:baseline}
        .badge{font-size:13px;font-weight:600;border-radius:980px;padding:2px 10px;background:color-mix(in srgb,currentColor 12%,
        transparent);white-space:nowrap}
        .id{margin-left:auto;font:500 13px/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--dim)}
        .wanted{color:var(--dim);font-size:14px;min-width:0}
        .finding .seen{margin-top:10px;overflow-wrap:anywhere}
        .finding .meta{margin-top:6px;color:var(--dim);font-size:14px;line-height:1.43;overflow-wrap:anywhere}
        .finding .do{margin-top:14px;font-size:15px;overflow-wrap:anywhere}
        pre{margin:10px 0 0;background:var(--code);border-radius:12px;padding:14px 16px;overflow-x:auto;font:13px/1.5
        ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre-wrap;overflow-wrap:anywhere;tab-size:2}
        code{font:.88em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
        table{width:100%;border-collapse:collapse;font-size:14px;line-height:1.43}
        th{text-align:left;font-weight:600;color:var(--dim);padding:14px 12px;border-bottom:1px solid var(--line)}
        td{vertical-align:top;padding:12px;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
        tr:last-child td{border-bottom:0}
        th:first-child,td:first-child{padding-left:24px}th:last-child,td:last-child{padding-right:24px}
        td:first-child{font-weight:500;white-space:nowrap;width:1%}
        .value{white-space:pre-line}
        .source{display:inline-block;color:var(--dim);background:var(--code);border-radius:6px;padding:1px 7px;font-size:12px;
        white-space:nowrap;margin:1px 2px 1px 0}
        details.card{margin-top:16px}
        summary{padding:18px 24px;cursor:pointer;font-weight:600;list-style-position:inside}
        details ul{list-style:none;margin:0;padding:0 24px 12px}
        details li{display:flex;gap:16px;padding:10px 0;border-top:1px solid var(--line);font-size:14px;line-height:1.43}
        details li .ids{flex:none;width:96px;color:var(--dim);font:500 13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,
        monospace}
        details li .what{min-width:0;overflow-wrap:anywhere}
        .traced{padding:20px 24px;border-top:1px solid var(--line)}
        .traced:first-child{border-top:0}
        .traced .address{font-weight:600;overflow-wrap:anywhere}
        .traced .small{overflow-wrap:anywhere}
        .traced .verdict{font-weight:600}
        .entry{margin-top:14px;border:1px solid var(--line);border-radius:12px;overflow:hidden}
        .entry-head{padding:10px 16px;background:var(--code);font-size:14px;overflow-wrap:anywhere}
        .steps{list-style:none;margin:0;padding:6px 16px}
        .steps li{display:flex;gap:12px;padding:8px 0;font-size:14px;line-height:1.43;border-top:1px solid var(--line)}
        .steps li:first-child{border-top:0}
        .steps li.untried,.steps li.untried code{color:var(--dim)}
        .steps .result-word{width:76px;flex:none;font-weight:600}
        .steps .step{min-width:0;flex:1;overflow-wrap:anywhere}
        .steps .line{margin-left:10px;font-size:13px;white-space:nowrap}
        .part{font-size:13px;margin-top:2px}.part .remark{padding-left:18px}
        .left-out{margin-top:10px}
        .quiet{padding:24px;color:var(--dim)}
        footer{padding-top:48px;padding-bottom:64px;color:var(--dim);font-size:13px}
        @media (max-width:734px){body{font-size:16px}header{padding-top:36px}h1{font-size:30px}h2{font-size:21px;margin-top:44px}
        main,header,footer{padding-left:16px;padding-right:16px}.tiles{grid-template-columns:repeat(2,1fr);gap:12px;margin-top:28px}
        .tile{padding:16px;min-height:0}.stage{padding:24px 14px}.finding{padding:20px 16px}
        .thumb{width:64px;height:64px;font-size:28px;border-radius:12px}.result .row{gap:12px}
        table,tbody,tr,td{display:block}thead{display:none}tr{border-bottom:1px solid var(--line);padding:12px 16px}
        tr:last-child{border-bottom:0}td,td:first-child,td:last-child{border:0;padding:2px 0;white-space:normal;width:auto}
        .uses td[data-of]::before{content:attr(data-of) ": ";color:var(--dim)}
        summary{padding:16px}details ul{padding:0 16px 8px}details li{flex-direction:column;gap:2px}details li .ids{width:auto}
        .traced{padding-left:16px;padding-right:16px}.steps li{flex-direction:column;gap:2px}.steps .result-word{width:auto}}
        @media print{body{background:#fff}.card,.result{box-shadow:none;border:1px solid #ddd}.finding{break-inside:avoid}}
        """
}

extension ReportStyle {
    /// Additional styles for the report of a whole site: bars, lists of addresses, rows that fold.
    static let site: StaticString = """
        .pager{display:flex;justify-content:space-between;gap:12px;margin-top:28px}
        .pager .spacer{flex:1}
        .figures{display:grid;grid-template-columns:repeat(4,1fr);gap:16px;margin-top:40px}
        .figure{padding:20px 22px}
        .figure .number{font-size:34px;line-height:1.1;font-weight:700;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
        .figure h3{margin-top:4px;font-size:15px}.figure p{margin-top:4px}
        .bar{display:flex;height:10px;border-radius:5px;overflow:hidden;background:var(--empty);gap:2px}
        .bar i{display:block;min-width:3px}
        .bar .e{background:var(--red)}.bar .w{background:var(--amber)}.bar .g{background:var(--good)}.bar .b{background:var(--blue)}
        :root{--amber:#c97a00;--good:#2c9a49}
        @media (prefers-color-scheme:dark){:root{--amber:#ffb340;--good:#3dbb61}}
        .overall{padding:22px 24px;margin-top:16px}
        .overall .bar{height:14px;border-radius:7px}
        .legend{display:flex;flex-wrap:wrap;gap:6px 22px;margin-top:14px;font-size:14px;color:var(--dim)}
        .legend b{color:var(--text);font-variant-numeric:tabular-nums}
        .legend .dot{display:inline-block;width:10px;height:10px;border-radius:50%;margin-right:7px}
        .dot.e{background:var(--red)}.dot.w{background:var(--amber)}.dot.g{background:var(--good)}.dot.n{background:var(--empty)}
        .contents{display:flex;flex-wrap:wrap;gap:8px;margin-top:24px}
        .contents a{background:var(--card);border-radius:980px;padding:6px 14px;font-size:14px;font-weight:500;
        box-shadow:var(--shadow)}
        .contents span{color:var(--dim);font-weight:400;margin-left:4px;font-variant-numeric:tabular-nums}
        .say{color:var(--dim);margin:-8px 0 16px;max-width:720px}
        details.row{border-top:1px solid var(--line)}details.row:first-child{border-top:0}
        details.row>summary{display:grid;grid-template-columns:88px 1fr 190px 56px;gap:16px;align-items:center;padding:16px 24px;
        list-style:none;font-weight:400}
        details.row>summary::-webkit-details-marker{display:none}
        details.row>summary:hover{background:color-mix(in srgb,var(--text) 3%,transparent)}
        details.row>summary .badge{justify-self:start}
        .row .id::after{content:"›";display:inline-block;margin-left:10px;font-size:17px;transition:transform .15s}
        .row[open] .id::after{transform:rotate(90deg)}
        .row .name{font-weight:600;min-width:0}.row .name small{display:block;font-weight:400;font-size:14px;color:var(--dim)}
        .row .share{font-size:13px;color:var(--dim);font-variant-numeric:tabular-nums}.row .share .bar{margin-top:5px;height:6px}
        .row .id{margin:0;justify-self:end}
        .inside{padding:0 24px 24px 128px}
        .inside p{font-size:15px}.inside .do{margin-top:12px}
        .inside h4{font-size:13px;color:var(--dim);font-weight:600;margin:18px 0 2px}
        ul.plain,details ul.plain{list-style:none;margin:0;padding:0}
        ul.plain li,details ul.plain li{display:block;padding:8px 0;border-top:1px solid var(--line);font-size:14px;line-height:1.43;overflow-wrap:anywhere}
        ul.plain li:first-child,details ul.plain li:first-child{border-top:0}
        .hosts th:nth-child(2),.hosts th:nth-child(n+4),.pages th:nth-child(2),.pages th:nth-child(3){text-align:right}
        ul.plain .more{color:var(--dim)}
        .listing{padding:10px 24px 14px}
        .num{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
        .hosts td:first-child{white-space:normal;width:auto}
        .hosts .bar{min-width:160px}
        .ids-list{font:500 12px/1.6 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--dim)}
        .pages td:first-child{white-space:normal;width:auto;font-weight:400}
        .pages .t{font-weight:600;display:block}.pages .u{color:var(--dim);font-size:13px;display:block;overflow-wrap:anywhere}
        .columns{display:grid;grid-template-columns:1fr 1fr;gap:16px;align-items:start}
        .chart{padding:18px 24px 20px}
        .chart .line{display:grid;grid-template-columns:110px 1fr 70px;gap:12px;align-items:center;padding:5px 0;font-size:14px}
        .chart .line .num{color:var(--dim)}
        .chart.wide .line{grid-template-columns:minmax(0,1fr) 200px 70px}
        .chart .line .bar{background:none}
        .chart .line small{display:block;color:var(--dim);font-size:13px;overflow-wrap:anywhere}
        .banner{margin-top:16px;padding:16px 24px;border-radius:18px;background:color-mix(in srgb,var(--amber) 14%,var(--card))}
        h2 .count{color:var(--dim);font-weight:400;font-variant-numeric:tabular-nums}
        @media (max-width:734px){.figures{grid-template-columns:1fr 1fr;gap:12px;margin-top:28px}.figure{padding:16px}
        .figure .number{font-size:28px}.overall{padding:18px 16px}
        details.row>summary{grid-template-columns:1fr auto;gap:8px 12px;padding:16px}
        .row .name{grid-column:1/-1;grid-row:2}.row .share{grid-column:1/-1;grid-row:3}
        .inside{padding:0 16px 18px}.listing{padding:8px 16px 12px}.columns{grid-template-columns:1fr}
        .chart{padding:14px 16px}.chart.wide .line{grid-template-columns:minmax(0,1fr) 56px}.chart.wide .line .bar{display:none}
        td.num{text-align:left}td.num::after{content:" " attr(data-of)}.hosts .bar{margin:4px 0}
        .chart .line{grid-template-columns:84px 1fr 56px}.banner{padding:14px 16px}}
        """
}

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
        .rendering td:first-child{white-space:normal;width:30%}
        .sides td:first-child{width:22%}.sides td+td{width:39%}
        .said{padding:18px 24px 0}.said+table{margin-top:6px}
        .shots{display:grid;grid-template-columns:repeat(2,minmax(0,390px));justify-content:center;gap:24px;padding:24px}
        .shots figure{margin:0}.shots figcaption{font-weight:600;font-size:14px;margin-bottom:10px}
        .shots img{display:block;width:100%;height:auto;background:#fff;border:1px solid var(--line);border-radius:20px}
        .marked{list-style:none;margin:6px 0 0;padding:0;color:var(--dim);font-size:13px}
        .marked li{display:block;padding:1px 0;border:0;overflow-wrap:anywhere}
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
        .shots{gap:12px;padding:16px}.shots img{border-radius:12px}
        .said{padding:16px 16px 0}.sides td[data-of]::before{content:attr(data-of);color:var(--dim)}
        .rendering td:first-child,.sides td+td{width:auto}
        .items dl{grid-template-columns:minmax(0,1fr);padding:0 16px 14px}.items dt{padding-bottom:0;max-width:none}
        .items dd{padding-top:0}.items dd dl{padding-left:12px}}
        """
}

extension ReportStyle {
    /// Additional styles for the served pages that watch and check: charts of a crawl, the form of report cards.
    static let watch: StaticString = """
        .ask .told{margin-top:14px}.ask .error{color:var(--red)}
        .hint{margin-top:18px}
        .hint a,.eyebrow a,.told a{text-decoration:underline}
        .quiet .hint{margin-top:12px}
        .served main>.banner:first-child,.served main>div:first-child>.banner{margin-top:28px}
        .courses{display:grid;grid-template-columns:2fr 1fr 1fr;gap:16px}
        .course{margin:0;padding:18px 22px 16px;min-width:0;display:flex;flex-direction:column}
        .course figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:2px 12px;
        margin-bottom:14px}
        .course h3{font-size:15px}
        .course svg{display:block;width:100%;height:120px;margin-top:auto;border-bottom:1px solid var(--line);overflow:hidden}
        .course rect{fill:var(--blue)}
        .course.failures rect{fill:var(--red)}
        .course polygon{fill:color-mix(in srgb,var(--good) 22%,transparent)}
        .course polyline{fill:none;stroke:var(--good);stroke-width:2}
        .course .axis{display:flex;justify-content:space-between;margin-top:6px}
        .pace .line{grid-template-columns:minmax(0,1fr) 220px 56px}
        .outcomes .line{grid-template-columns:minmax(0,220px) 1fr 64px}
        .pace .bar i,.outcomes .bar i{border-radius:5px}
        .lone td:first-child{white-space:normal;width:30%}
        .lone th:nth-child(2),.lone th:nth-child(3),.runs th:nth-child(3),.runs th:nth-child(4){text-align:right}
        .lone td:nth-child(2),.lone td:nth-child(3){width:1%}
        .runs td:first-child{font-weight:400}
        .served main>.ask:first-child{margin-top:24px}
        .tile.topic{min-height:0}
        .tile.topic h3{min-height:0}
        @media (max-width:734px){.brand .name{display:block;position:absolute;width:1px;height:1px;overflow:hidden;
        clip-path:inset(50%)}.courses{grid-template-columns:1fr;gap:12px}.course{padding:14px 16px}.course svg{height:96px}
        .pace .line{grid-template-columns:minmax(0,1fr) 56px}.pace .line .bar{display:none}
        .outcomes .line{grid-template-columns:minmax(0,1fr) 88px 48px}}
        """
}

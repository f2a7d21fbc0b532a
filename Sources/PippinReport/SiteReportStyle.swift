import PippinPage

extension ReportStyle {
    /// What the report of a whole site has beside the card's style: bars, lists of addresses, rows that fold.
    static let site: StaticString = """
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

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

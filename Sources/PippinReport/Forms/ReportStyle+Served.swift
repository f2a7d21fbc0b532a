extension ReportStyle {
    /// A class for each percentage, because the policy of served pages forbids styles in attributes.
    static let widths: StaticString = """
        .w0{width:0%}.w1{width:1%}.w2{width:2%}.w3{width:3%}.w4{width:4%}.w5{width:5%}.w6{width:6%}.w7{width:7%}
        .w8{width:8%}.w9{width:9%}.w10{width:10%}.w11{width:11%}.w12{width:12%}.w13{width:13%}.w14{width:14%}
        .w15{width:15%}.w16{width:16%}.w17{width:17%}.w18{width:18%}.w19{width:19%}.w20{width:20%}
        .w21{width:21%}.w22{width:22%}.w23{width:23%}.w24{width:24%}.w25{width:25%}.w26{width:26%}
        .w27{width:27%}.w28{width:28%}.w29{width:29%}.w30{width:30%}.w31{width:31%}.w32{width:32%}
        .w33{width:33%}.w34{width:34%}.w35{width:35%}.w36{width:36%}.w37{width:37%}.w38{width:38%}
        .w39{width:39%}.w40{width:40%}.w41{width:41%}.w42{width:42%}.w43{width:43%}.w44{width:44%}
        .w45{width:45%}.w46{width:46%}.w47{width:47%}.w48{width:48%}.w49{width:49%}.w50{width:50%}
        .w51{width:51%}.w52{width:52%}.w53{width:53%}.w54{width:54%}.w55{width:55%}.w56{width:56%}
        .w57{width:57%}.w58{width:58%}.w59{width:59%}.w60{width:60%}.w61{width:61%}.w62{width:62%}
        .w63{width:63%}.w64{width:64%}.w65{width:65%}.w66{width:66%}.w67{width:67%}.w68{width:68%}
        .w69{width:69%}.w70{width:70%}.w71{width:71%}.w72{width:72%}.w73{width:73%}.w74{width:74%}
        .w75{width:75%}.w76{width:76%}.w77{width:77%}.w78{width:78%}.w79{width:79%}.w80{width:80%}
        .w81{width:81%}.w82{width:82%}.w83{width:83%}.w84{width:84%}.w85{width:85%}.w86{width:86%}
        .w87{width:87%}.w88{width:88%}.w89{width:89%}.w90{width:90%}.w91{width:91%}.w92{width:92%}
        .w93{width:93%}.w94{width:94%}.w95{width:95%}.w96{width:96%}.w97{width:97%}.w98{width:98%}
        .w99{width:99%}.w100{width:100%}
        """

    /// Additional styles for the pages that `pippin serve` shows: navigation, search field, results, forms.
    static let served: StaticString = """
        body.served{min-height:100vh}
        .served main{padding-bottom:96px}
        .served header{padding-top:44px}
        :focus-visible{outline:3px solid var(--blue);outline-offset:2px;border-radius:6px}
        [hidden]{display:none!important}
        .skip{position:absolute;left:16px;top:-80px;background:var(--card);padding:12px 18px;border-radius:12px;z-index:9;
        box-shadow:var(--shadow)}
        .skip:focus{top:12px}
        .unseen{position:absolute;width:1px;height:1px;margin:-1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
        .top-inside{max-width:1080px;margin:0 auto;padding:0 24px;height:56px;display:flex;align-items:center;gap:28px}
        nav.top{position:sticky;top:0;z-index:5;
        background:color-mix(in srgb,var(--bg) 88%,transparent);backdrop-filter:saturate(1.6) blur(18px);
        border-bottom:1px solid color-mix(in srgb,var(--line) 70%,transparent)}
        .brand{display:flex;align-items:center;gap:9px;color:var(--text);font-weight:700;letter-spacing:-.01em}
        .brand:hover{text-decoration:none}
        .seed{width:24px;height:24px;background:url(/icon.svg) center/contain no-repeat}
        .top ul{display:flex;gap:4px;list-style:none;margin:0 0 0 auto;padding:0}
        .top li a{display:block;padding:7px 13px;border-radius:980px;color:var(--dim);font-size:15px;font-weight:500}
        .top li a:hover{color:var(--text);text-decoration:none;background:color-mix(in srgb,var(--text) 6%,transparent)}
        .top li a[aria-current]{color:var(--text);background:color-mix(in srgb,var(--text) 8%,transparent)}
        main.narrow{max-width:560px;padding-top:12vh}
        main.column{max-width:808px}
        .ways{margin-top:24px;display:flex;flex-wrap:wrap;gap:10px}
        a.button,button.button{flex:0 0 auto;display:inline-block;border:0;font:inherit;font-size:14px;font-weight:600;cursor:pointer}
        a.button:hover,button.button:hover{text-decoration:none;background:color-mix(in srgb,var(--text) 12%,transparent)}
        .form{margin-top:28px;padding:24px;display:grid;gap:10px}
        .form label{font-weight:600;font-size:15px}
        .form input,.form select,.form textarea{font:inherit;color:var(--text);background:var(--bg);border:1px solid var(--gray);
        border-radius:12px;padding:12px 14px;width:100%;min-width:0}
        button.primary{justify-self:start;border:0;font:inherit;font-weight:600;cursor:pointer;color:var(--card);background:var(--blue);
        border-radius:980px;padding:11px 22px;margin-top:6px}
        button.primary:hover{background:color-mix(in srgb,var(--blue) 88%,var(--text))}

        .ask{position:relative;margin:0}
        .ask-field{display:flex;align-items:center;gap:12px;background:var(--card);border-radius:20px;padding:0 10px 0 20px;
        height:64px;border:1px solid var(--line);box-shadow:0 1px 2px rgba(0,0,0,.04),0 12px 40px rgba(0,0,0,.08)}
        .ask-field:focus-within{border-color:var(--blue);box-shadow:0 0 0 4px color-mix(in srgb,var(--blue) 22%,transparent),
        0 12px 40px rgba(0,0,0,.08)}
        .ask svg{flex:none;width:22px;height:22px;color:var(--dim)}
        .ask input{flex:1;min-width:0;border:0;outline:0;background:none;color:var(--text);font:inherit;font-size:22px;
        letter-spacing:-.01em;height:100%;padding:0;appearance:none}
        .ask input::placeholder{color:var(--dim)}
        .ask input::-webkit-search-cancel-button{appearance:none}
        .ask kbd{flex:none;font:500 13px/1 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;color:var(--dim);
        border:1px solid var(--line);border-radius:7px;padding:6px 9px;background:var(--bg)}
        .ask-field:focus-within kbd{display:none}
        .ask button{flex:none;border:0;border-radius:13px;height:44px;padding:0 18px;font:inherit;font-size:16px;font-weight:600;
        cursor:pointer;color:var(--card);background:var(--blue)}
        .ask button:hover{background:color-mix(in srgb,var(--blue) 88%,var(--text))}
        .offers{position:absolute;left:0;right:0;top:calc(100% + 8px);z-index:4;list-style:none;margin:0;padding:8px;
        background:var(--card);border:1px solid var(--line);border-radius:18px;
        box-shadow:0 2px 6px rgba(0,0,0,.06),0 24px 60px rgba(0,0,0,.18)}
        .offers[hidden]{display:none}
        .offers li{padding:11px 14px;border-radius:11px;font-size:17px;cursor:pointer;overflow-wrap:anywhere}
        .offers li[aria-selected=true]{background:color-mix(in srgb,var(--blue) 14%,transparent)}

        .home-top{padding-top:13vh;text-align:center}
        .home-top h1{font-size:56px;letter-spacing:-.035em;margin-bottom:10px}
        .home-top .lead{font-size:19px;margin-bottom:34px}
        .home-top .ask{text-align:left}
        .results-top{padding-top:32px}
        .chips{display:flex;flex-wrap:wrap;gap:8px;margin-top:18px;align-items:center;position:relative;padding-left:92px}
        .chips+.chips{margin-top:10px}
        .chip{display:inline-flex;align-items:center;gap:7px;max-width:100%;background:var(--card);border:1px solid var(--line);
        border-radius:980px;padding:5px 13px;font-size:14px;font-weight:500;color:var(--text);overflow-wrap:anywhere}
        .chip:hover{text-decoration:none;border-color:var(--gray)}
        .chip .n{color:var(--dim);font-variant-numeric:tabular-nums}
        .chip[aria-current]{background:color-mix(in srgb,var(--blue) 14%,var(--card));border-color:var(--blue);color:var(--blue)}
        .chips-name{color:var(--dim);font-size:14px;position:absolute;left:0;top:6px}
        .told{margin-top:22px;color:var(--dim);font-size:15px;overflow-wrap:anywhere}
        .told+.told{margin-top:6px}
        .told strong{color:var(--text)}
        .hits{list-style:none;margin:14px 0 0;padding:0;display:grid;gap:14px}
        .hits>li{min-width:0}
        .hit.result{max-width:none;background:var(--card);border-radius:20px;padding:20px;box-shadow:var(--shadow)}
        .hit .row{gap:20px}
        .hit .thumb{width:96px;height:96px;border-radius:16px}
        .hit img.thumb{background:var(--code)}
        .hit .site{display:flex;align-items:center;gap:7px;margin:0 0 3px;font-size:14px;min-width:0}
        .hit .site span{overflow:hidden;text-overflow:ellipsis;white-space:nowrap;min-width:0}
        .hit .site .sure{flex:none}
        .site-icon{flex:none;width:18px;height:18px;border-radius:5px;object-fit:cover;background:var(--code)}
        .hit h2,.hit h3{margin:0;font-size:20px;line-height:1.25;letter-spacing:-.01em;font-weight:600;overflow-wrap:anywhere}
        .hit h2 a,.hit h3 a{color:var(--text)}
        .hit h2 a:hover,.hit h3 a:hover{color:var(--blue)}
        .hit .snippet{font-size:15px;line-height:1.47;margin-top:5px}
        mark{background:color-mix(in srgb,var(--star) 30%,transparent);color:inherit;border-radius:4px;padding:0 1px}
        .hit .facts{margin-top:9px;font-size:14px}
        .hit .buttons{margin-top:14px}
        .hit .button{padding:8px 15px}
        .button.quiet-button,.hit .button.quiet-button{color:var(--text);background:none;box-shadow:inset 0 0 0 1px var(--line)}
        .sure{display:inline-flex;align-items:center;gap:4px;color:var(--green);font-size:13px;font-weight:600}
        .nothing{text-align:center;padding:64px 24px;margin-top:18px}
        .nothing h2{margin:0 0 10px}
        .nothing .chips{justify-content:center;flex-wrap:wrap;overflow:visible;padding:0;margin:18px 0 0}
        .nothing .chips+.chips{margin-top:10px}
        .nothing .chips-name{position:static;width:auto}
        .qr{display:flex;align-items:center;gap:24px;padding:20px 24px;margin:16px 0 0}
        .qr svg{flex:none;width:168px;height:168px;border-radius:12px}
        .qr figcaption{min-width:0;display:grid;gap:6px;font-size:15px}
        .explained{margin-top:12px;font-size:13px;color:var(--dim)}.explained summary{padding:6px 0}
        .explained table{font-size:13px}
        .explained td,.explained th{padding:4px 8px}
        .c1{background:linear-gradient(145deg,#4573b3,#2f568f)}.c2{background:linear-gradient(145deg,#3f7d5c,#2c6146)}
        .c3{background:linear-gradient(145deg,#80598f,#5f4170)}.c4{background:linear-gradient(145deg,#a45b40,#81432d)}
        .c5{background:linear-gradient(145deg,#2f7a83,#225c64)}
        .numbers+nav{margin-top:34px}
        footer.foot{max-width:808px;padding-top:64px;display:flex;flex-wrap:wrap;gap:6px 20px}
        .foot span{flex:1}
        .numbers{display:flex;flex-wrap:wrap;justify-content:center;gap:8px 32px;margin:40px 0 0;padding:0;list-style:none;
        color:var(--dim);font-size:15px}
        .numbers b{color:var(--text);font-variant-numeric:tabular-nums}
        .grid{display:grid;grid-template-columns:repeat(3,minmax(0,1fr));gap:16px;margin:14px 0 0;padding:0;list-style:none}
        .tile-link{display:flex;gap:14px;align-items:center;padding:16px;height:100%;color:var(--text)}
        .tile-link:hover{text-decoration:none;box-shadow:0 2px 6px rgba(0,0,0,.06),0 14px 34px rgba(0,0,0,.10)}
        .tile-link .thumb{width:56px;height:56px;border-radius:13px;font-size:24px}
        .tile-link .words{min-width:0}
        .tile-link b{display:-webkit-box;-webkit-line-clamp:2;-webkit-box-orient:vertical;overflow:hidden;font-size:15px;
        line-height:1.3;font-weight:600;overflow-wrap:anywhere}
        .tile-link small{display:block;color:var(--dim);font-size:13px;margin-top:3px;overflow:hidden;text-overflow:ellipsis;
        white-space:nowrap}
        .about{margin-top:18px}
        .subject{display:flex;gap:24px;align-items:flex-start}
        .subject .thumb{width:120px;height:120px;border-radius:22px;font-size:52px}
        .subject .words{min-width:0;flex:1}
        .links td:first-child{white-space:normal;width:auto}
        .copy{display:inline-flex;gap:8px;align-items:baseline;flex-wrap:wrap}
        .since{color:var(--dim);font-size:13px}
        @media (max-width:734px){.top-inside{padding:0 12px 0 16px;gap:8px}.top li a{padding:7px 8px;font-size:14px}.top ul{gap:0}
        .brand .name{display:none}.served header{padding-top:28px}
        .home-top{padding-top:8vh}.home-top h1{font-size:42px}.home-top .lead{font-size:17px;margin-bottom:26px}
        .ask-field{height:56px;padding:0 6px 0 16px;border-radius:18px}.ask input{font-size:18px}.ask kbd{display:none}
        .ask button{padding:0 14px;height:44px}
        .results-top{padding-top:20px}
        .chips{flex-wrap:nowrap;overflow-x:auto;margin-left:-16px;margin-right:-16px;padding:2px 16px;scrollbar-width:none}
        .chips::-webkit-scrollbar{display:none}.chip,.chips-name{flex:none}.chips-name{position:static;width:74px}
        .hit.result{padding:16px}.hit .row{gap:14px}.hit .thumb{width:68px;height:68px;border-radius:13px}
        .hit h2,.hit h3{font-size:18px}.grid{grid-template-columns:minmax(0,1fr);gap:10px}
        .qr{flex-direction:column;align-items:flex-start;gap:16px}
        .subject{gap:16px}.subject .thumb{width:72px;height:72px;border-radius:16px;font-size:32px}}
        @media (min-width:735px) and (max-width:900px){.grid{grid-template-columns:repeat(2,minmax(0,1fr))}}
        @media (prefers-reduced-motion:reduce){*{transition:none!important;animation:none!important;scroll-behavior:auto!important}}
        """
}

import Testing

@testable import PippinPage

/// What tags mean where they stand wrongly, as browsers read them (WHATWG HTML §13.2). Each page has its tree beside it.
@Suite struct TreeConstructionTests {
    /// `name attributes[children]`, texts in quotes.
    private func tree(_ html: String) -> String {
        let document = HTMLDocument(utf8: Array(html.utf8))
        return document.elements.isEmpty ? "" : tree(0, of: document)
    }

    private func tree(_ element: Int, of document: HTMLDocument) -> String {
        var position = document.textBytes(of: element).startIndex
        var children: [String] = []
        func addText(to end: Int) {
            if end > position {
                children.append("\"\(String(decoding: document.text[position..<end], as: UTF8.self))\"")
            }
        }
        for child in document.children(of: element) {
            let slice = document.textBytes(of: child)
            addText(to: slice.startIndex)
            children.append(tree(child, of: document))
            position = slice.endIndex
        }
        addText(to: document.textBytes(of: element).endIndex)
        let attributes = document.attributes(of: element).map { " \($0.name)=\($0.value)" }.joined()
        let inside = children.isEmpty ? "" : "[\(children.joined(separator: " "))]"
        return document.spelling(ofName: document.elements[element].nameNumber) + attributes + inside
    }

    private func check(_ pages: KeyValuePairs<String, String>, type: String = "<!DOCTYPE html>") {
        for (html, expected) in pages { #expect(tree(type + html) == expected, "\(type + html)") }
    }

    @Test func `implied elements and where head and body begin`() {
        check([
            "<title>t</title><p>x":
                #"html[head[title["t"]] body[p["x"]]]"#,
            "<meta name=a><link rel=b>text<meta name=c>":
                #"html[head[meta name=a link rel=b] body["text" meta name=c]]"#,
            "<head></head><link rel=a><body>x":
                #"html[head[link rel=a] body["x"]]"#,
            "<head><p>x</head>y":
                #"html[head body[p["xy"]]]"#,
            "<noscript><link rel=a><p>x</noscript>y":
                #"html[head[noscript[link rel=a]] body[p["xy"]]]"#,
            "<body>x<title>t</title><base href=/a>":
                #"html[head body["x" title["t"] base href=/a]]"#,
            "</p>x</br>y":
                #"html[head body["x" br "y"]]"#,
            "<html><body><p>x</body></html>y<i>z</i>":
                #"html[head body[p["xy" i["z"]]]]"#,
        ])
    }

    @Test func `attributes of a second html or body tag are the first one's, where it has none`() {
        check([
            "<html lang=a><body class=b><p>x<html lang=c prefix=d><body class=e id=f id=g><i>y":
                #"html lang=a prefix=d[head body class=b id=f[p["x" i["y"]]]]"#,
            "x<body lang=a><html lang=b>":
                #"html lang=b[head body lang=a["x"]]"#,
            "<template><html lang=a><body class=b></template>x":
                #"html[head[template] body["x"]]"#,
        ])
    }

    @Test func `what ends a p, an item, an option, a heading`() {
        check([
            "<p>a<div>b</div>c</p>d":
                #"html[head body[p["a"] div["b"] "c" p "d"]]"#,
            "<p>a<span><p>b":
                #"html[head body[p["a" span] p["b"]]]"#,
            "<ul><li>a<li>b<ul><li>c</ul>d</ul>":
                #"html[head body[ul[li["a"] li["b" ul[li["c"]] "d"]]]]"#,
            "<dl><dt>a<dd>b<dt>c</dl>":
                #"html[head body[dl[dt["a"] dd["b"] dt["c"]]]]"#,
            "<select><option>a<option>b<optgroup><option>c</select>":
                #"html[head body[select[option["a"] option["b"] optgroup[option["c"]]]]]"#,
            "<h1>a<h2>b</h1>c":
                #"html[head body[h1["a"] h2["b"] "c"]]"#,
            "<p><button><p>a</button>b":
                #"html[head body[p[button[p["a"]] "b"]]]"#,
            "<ruby>a<rp>(<rt>b<rp>)</ruby>":
                #"html[head body[ruby["a" rp["("] rt["b"] rp[")"]]]]"#,
            "<button>a<button>b":
                #"html[head body[button["a"] button["b"]]]"#,
        ])
    }

    @Test func `elements that are void have no children, and a slash closes no other`() {
        check([
            "<video><source src=a>x<track src=b>y</video>z":
                #"html[head body[video[source src=a "x" track src=b "y"] "z"]]"#,
            "<div/>x":
                #"html[head body[div["x"]]]"#,
            "<a href=a/>x":
                #"html[head body[a href=a/["x"]]]"#,
            "<br></br>x<img/>y<wbr>z<embed>a<param>b<col>c<hr>d":
                #"html[head body[br br "x" img "y" wbr "z" embed "a" param "bc" hr "d"]]"#,
        ])
    }

    @Test func `a link ends the link that it is in`() {
        check([
            "<a href=1>x<a href=2>y</a>z":
                #"html[head body[a href=1["x"] a href=2["y"] "z"]]"#,
            "<a href=1><div>x<a href=2>y</a></div>z":
                #"html[head body[a href=1 div[a href=1["x"] a href=2["y"]] "z"]]"#,
            "<a href=1><table><tr><td><a href=2>x</table>y":
                #"html[head body[a href=1[table[tbody[tr[td[a href=2["x"]]]]] "y"]]]"#,
        ])
    }

    @Test func `formatting that is closed over begins again`() {
        check([
            "<p><b>x</p>y</b>z":
                #"html[head body[p[b["x"]] b["y"] "z"]]"#,
            "<b>1<p>2</b>3</p>4":
                #"html[head body[b["1"] p[b["2"] "3"] "4"]]"#,
            "<b><i>x</b>y</i>z":
                #"html[head body[b[i["x"]] i["y"] "z"]]"#,
            "<a href=1><p>x</a>y</p>z":
                #"html[head body[a href=1 p[a href=1["x"] "y"] "z"]]"#,
            "<font color=a><font color=a><font color=a><font color=a><p>x</p></font>y":
                #"html[head body[font color=a[font color=a[font color=a[font color=a[p["x"]] "y"]]]]]"#,
            "<b><u><i><s><p>x</b>y":
                #"html[head body[b[u[i[s]]] u[i[s[p[b["x"] "y"]]]]]]"#,
            "<table><td><b>x</td><td>y</table>z":
                #"html[head body[table[tbody[tr[td[b["x"]] td["y"]]]] "z"]]"#,
            "<object><b>x</object>y":
                #"html[head body[object[b["x"]] "y"]]"#,
        ])
    }

    @Test func `what may not stand in a table is put before it`() {
        check([
            "<table>a<tr><td>b</td>c</tr><div>d</div></table>e":
                #"html[head body["ac" div["d"] table[tbody[tr[td["b"]]]] "e"]]"#,
            "<table><b>x<tr><td>y</table>z":
                #"html[head body[b["x"] table[tbody[tr[td["y"]]]] b["z"]]]"#,
            "<table> <tr> <td>x</table>":
                #"html[head body[table[" " tbody[tr[" " td["x"]]]]]]"#,
            "<table><input type=hidden><input type=text><form><tr><td><input></form></table>":
                "html[head body[input type=text table[input type=hidden form tbody[tr[td[input]]]]]]",
            "<table><caption>a<table><td>b</table>c<tr><td>d</table>":
                #"html[head body[table[caption["a" table[tbody[tr[td["b"]]]] "c"] tbody[tr[td["d"]]]]]]"#,
            "<table><caption>a<td>b<col><td>c<tfoot><tr><th>d</table>":
                #"html[head body[table[caption["a"] tbody[tr[td["b"]]] colgroup[col] tbody[tr[td["c"]]] tfoot[tr[th["d"]]]]]]"#,
            "<table><tr><td>a<table><tr><td>b</table>c</table>d":
                #"html[head body[table[tbody[tr[td["a" table[tbody[tr[td["b"]]]] "c"]]]] "d"]]"#,
            "<table><template><tr><td>x</td></tr></template></table>":
                #"html[head body[table[template]]]"#,
        ])
    }

    @Test(arguments: [
        ("<!DOCTYPE html>", false), ("", true), ("x<!DOCTYPE html>", true), ("<!-- x --><?x?> <!doctype HTML >", false),
        (#"<!DOCTYPE html SYSTEM "about:legacy-compat">"#, false), ("<!DOCTYPE svg>", true),
        ("<!DOCTYPE html x>", true),
        (#"<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN">"#, true),
        (
            #"<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 4.01 Transitional//EN" "http://www.w3.org/TR/html4/loose.dtd">"#,
            false
        ),
        (#"<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" 'x'>"#, false),
        (#"<!DOCTYPE HTML PUBLIC "-//W3C//DTD HTML 3.2 Final//EN">"#, true),
    ])
    func `a table stands in a p in quirks mode alone`(type: String, isQuirky: Bool) {
        let inside = #"p["a" table[tbody[tr[td["b"]]]] "c"]"#
        let behind = #"p["a"] table[tbody[tr[td["b"]]]] "c""#
        let text = type.hasPrefix("x") ? #""x" "# : ""
        let body = isQuirky ? inside : behind
        check(["<p>a<table><td>b</table>c": "html[head body[\(text)\(body)]]"], type: type)
    }

    @Test func `text that is no markup`() {
        check([
            "<title>a <b> &amp; c</title><p>x":
                #"html[head[title["a <b> & c"]] body[p["x"]]]"#,
            "<textarea><p>x</textarea>y":
                #"html[head body[textarea["<p>x"] "y"]]"#,
            "<script><!-- <script>a</script> --></script>x":
                #"html[head[script["<!-- <script>a</script> -->"]] body["x"]]"#,
            "<iframe><p></iframe>x<noframes><p></noframes><xmp><p></xmp>":
                #"html[head body[iframe["<p>"] "x" noframes["<p>"] xmp["<p>"]]]"#,
            "<style>a<!--</style>b":
                #"html[head[style["a<!--"]] body["b"]]"#,
            "a<plaintext>b</plaintext><p>c":
                #"html[head body["a" plaintext["b</plaintext><p>c"]]]"#,
        ])
    }

    @Test func `forms do not nest, and end where they are closed`() {
        check([
            "<form><div><form><p>x</form>y</div>z":
                #"html[head body[form[div[p["x"] "y"]] "z"]]"#,
            "<div><form>a</div>b</form>c<form>d":
                #"html[head body[div[form["a"]] "bc" form["d"]]]"#,
        ])
    }

    @Test func `svg and mathml`() {
        check([
            "<svg><title><b>x</title><path d=a /><g>y</svg>z":
                #"html[head body[svg[title[b["x" path d=a[g["yz"]]]]]]]"#,
            "<svg><desc><p>x</p></desc><![CDATA[<i>]]></svg>y":
                #"html[head body[svg[desc[p["x"]] "<i>"] "y"]]"#,
            "<svg><path><div>x":
                #"html[head body[svg[path] div["x"]]]"#,
            "<math><mi><b>x</mi><mo>y</math>z":
                #"html[head body[math[mi[b["x" mo["yz"]]]]]]"#,
            "<svg><foreignObject><p>x<p>y</foreignObject><circle/></svg>z":
                #"html[head body[svg[foreignobject[p["x"] p["y" circle["z"]]]]]]"#,
            "<![CDATA[a]]>b":
                #"html[head body["b"]]"#,
        ])
    }

    @Test func `what a tag means for the text after it depends on where the tag is`() {
        check([
            "<svg><p><textarea><b></textarea><![CDATA[x]]>":
                #"html[head body[svg p[textarea["<b>"]]]]"#,
            "<svg><g></b><textarea><b>x</textarea>":
                #"html[head body[svg[g[textarea]] b["x"]]]"#,
            "<svg><script><g>x</script><style><g>y</style><![CDATA[<z>]]>":
                #"html[head body[svg[script[g["x"]] style[g["y"]] "<z>"]]]"#,
            "<svg><title><![CDATA[<i>]]><b><![CDATA[x]]><title><i></title>":
                #"html[head body[svg[title["<i>" b[title["<i>"]]]]]]"#,
            "<math><mi><svg><desc><style><b></style><mglyph><title><b>x":
                #"html[head body[math[mi[svg[desc[style["<b>"] mglyph[title["<b>x"]]]]]]]]"#,
            "<frameset><title><frame></title><frame>":
                #"html[head frameset[frame frame]]"#,
        ])
    }

    @Test func `comments, and what HTML takes for one`() {
        check([
            "a<!-->b<!--->c<!-- --!>d<!x>e<?php echo '>f</ g>h</>i":
                #"html[head body["abcdefhi"]]"#,
            "a<!-- <p> -- > -->b<!--c":
                #"html[head body["ab"]]"#,
        ])
    }

    @Test func `tags as nobody should write them`() {
        check([
            "<p @click='a > b' id=x>y":
                #"html[head body[p @click=a > b id=x["y"]]]"#,
            "<p a=1 A=2 a='3'>x":
                #"html[head body[p a=1["x"]]]"#,
            "<p id=a/>x":
                #"html[head body[p id=a/["x"]]]"#,
            #"<p id = 'a'class="b">x"#:
                #"html[head body[p id=a class=b["x"]]]"#,
            "<p =a id=b>x":
                #"html[head body[p =a= id=b["x"]]]"#,
            "<p/id=a>x":
                #"html[head body[p id=a["x"]]]"#,
            "<x-y.z:w id=a>x</X-Y.Z:W>y":
                #"html[head body[x-y.z:w id=a["x"] "y"]]"#,
            "a<3 < b</3>c<d":
                #"html[head body["a<3 < bc"]]"#,
            #"<p a"b=c id=x>y"#:
                #"html[head body[p a"b=c id=x["y"]]]"#,
        ])
    }

    @Test func `templates keep to themselves`() {
        check([
            "<template><td>a</td></template>b":
                #"html[head[template] body["b"]]"#,
            "<div><template><p>a</div>b</template>c":
                #"html[head body[div[template "c"]]]"#,
            "<template><tr><td>a<template>b</template></template>c":
                #"html[head[template] body["c"]]"#,
        ])
    }

    /// Contents that are kept show how they are read.
    @Test func `templates of shadow trees are read like others`() {
        check([
            "<div><template shadowrootmode=open><td>a</td></template>b":
                #"html[head body[div[template shadowrootmode=open[td["a"]] "b"]]]"#,
            "<div><template shadowrootmode=open><p>a</div>b</template>c":
                #"html[head body[div[template shadowrootmode=open[p["ab"]] "c"]]]"#,
            "<div><template shadowrootmode=open><tr><td>a<span><template shadowrootmode=closed>b</template></template>c":
                #"html[head body[div[template shadowrootmode=open[tr[td["a" span[template shadowrootmode=closed["b"]]]]] "c"]]]"#,
        ])
    }

    @Test func `frames take the place of an empty body`() {
        check([
            "<html><frameset><frame src=a><noframes><p>x</noframes></frameset>":
                #"html[head frameset[frame src=a noframes["<p>x"]]]"#,
            "<div></div><frameset><frame>":
                "html[head frameset[frame]]",
            "x<frameset><frame>":
                #"html[head body["x"]]"#,
        ])
    }
}

// The table of LintMarkTests. A rule must find nothing in a row without marks.

import AASA

extension MarkedFile {
    static let all: [MarkedFile] = body + services + appIDs + lists + components + patterns

    private static let body: [MarkedFile] = [
        .init("json-syntax", .error, "«<»!DOCTYPE html><html></html>"),
        .init("json-syntax", .error, "«{»\\rtf1\\ansi {\"applinks\": {}}}"),
        .init("json-syntax", .error, "«»"),
        .init("json-syntax", .error, "{\"applinks\": {\"details\": []«,»}}"),
        .init("json-syntax", .error, "{\"applinks\": «\u{201C}»x\u{201D}}"),
        .init("json-syntax", .error, "{«\u{A0}»\"applinks\": 1}"),
        .init("json-syntax", .error, "{} «/»/ the end"),
        .init("byte-order-mark", .warning, "«\u{FEFF}»{\"webcredentials\": {\"apps\": []}}"),
        .init("root-not-object", .error, "«[»1]"),
        .init("other-file", .error, "«[»{\"relation\": [\"delegate_permission/common.handle_all_urls\"]}]"),
        .init("other-file", .error, " «[»{\"target\": {\"namespace\": \"android_app\"},}]"),
        .init("root-not-object", .error, " «\"applinks\"»"),
        .init("json-duplicate-key", .warning, #"{"applinks": {}, "webcredentials": {}, «"applinks"»: {}}"#),
        .init("json-duplicate-key", .warning, "{\"\u{E9}\": 1, \"e\u{301}\": 2}"),
        .init("json-duplicate-key", .warning, #"{"a": [{"b": 1, «"b"»: 2, «"\u0062"»: 3}]}"#),
    ]

    private static let services: [MarkedFile] = [
        .init("no-service", .error, "«{»}"),
        .init("no-service", .error, #"{«"applinkss"»: {}}"#),
        .init("no-service", .error, #"«{»"version": 1}"#),
        .init("service-without-apps", .error, #"{"webcredentials": «[»]}"#),
        .init("service-without-apps", .error, #"{"applinks": «null»}"#),
        .init("service-without-apps", .error, #"{«"webcredentials"»: {"apps": "A"}}"#),
        .init("service-without-apps", .error, #"{«"webcredentials"»: {"details": []}}"#),
        .init("service-without-apps", .error, #"{«"applinks"»: {"apps": []}}"#),
        .init("service-without-apps", .error, #"{«"applinks"»: {"apps": [], "details": []}}"#),
        .init(
            "service-without-apps", .error,
            #"{"applinks": {"apps": [], "details": []}, "webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#),
        .init(
            "empty-service", .warning,
            #"{"applinks": {"apps": [], "details": «[]»}, "webcredentials": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#),
        .init("misspelt-key", .warning, #"{"webcredentials": {"apps": ["A"]}, «"applinkss"»: {}}"#),
        .init("misspelt-key", .warning, #"{"webcredentials": {"apps": ["A"]}, «"appLinks"»: {}}"#),
        .init("misspelt-key", .warning, #"{"webcredentials": {«"app"»: ["A"]}}"#),
        .init("misspelt-key", .warning, #"{"applinks": {«"detail"»: []}}"#),
        .init("misspelt-key", .warning, #"{"applinks": {"details": [{«"appid"»: "A", «"path"»: []}]}}"#),
        .init("misspelt-key", .warning, #"{"applinks": {"details": [{"appIDs": ["A"], «"component"»: []}]}}"#),
        .components("exclude-not-read", .error, #"{"/": "/a", «"exlude"»: true}, {"/": "/b", «"excludes"»: true}"#),
        .components(
            "exclude-not-read", .error, #"{"/": "/a", "exclude": true, "excludes": true}, {«"Exclude"»: true}"#),
        .components("exclude-not-read", .error, "{\"/\": \"/a\", «\"\u{201C}exclude\u{201D}\"»: true}"),
        .init(
            "exclude-not-read", .error,
            #"{"applinks": {«"exclude"»: [], "details": [{"appID": "A", "paths": ["*"], «"exclude"»: ["/a"]}]}}"#),
        .components("misspelt-key", .warning, #"{«"path"»: "/a"}, {"Exclude": true}, {«"casesensitive"»: false}"#),
        .init(
            "misplaced-key", .warning,
            #"{«"details"»: [], "appclips": {"apps": [], «"details"»: []}, "applinks": {«"appIDs"»: ["A"], "details": []}}"#
        ),
        .init(
            "misplaced-key", .warning,
            #"{"applinks": {"details": [{"appID": "A", «"substitutionVariables"»: {}, «"caseSensitive"»: false, "components": [{"/": "/a", «"appIDs"»: [], "paths": "/a"}]}]}}"#
        ),
        .components("unknown-component-key", .warning, #"{"/": "/a", «"method"»: "GET", "comment": "x"}"#),
        .init("unknown-key", .note, #"{"webcredentials": {"apps": ["A"]}, «"version"»: {}}"#),
        .init("service-misplaced", .warning, #"{"applinks": {"details": [], «"appclips"»: {}}, "webcredentials": {}}"#),
        .init("details-element-type", .error, #"{"applinks": {"details": [«"A"», «[»], {"appID": "A"}]}}"#),
        .init("details-element-type", .error, #"{"applinks": {"details": {"A": «"*"»}}}"#),
        .init("service-without-apps", .error, #"{«"applinks"»: {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#),
        .init("apps-beside-details", .warning, #"{"applinks": {"apps": «["A"]», "details": []}}"#),
        .init("details-dictionary", .warning, #"{"applinks": {«"details"»: {"A": {"paths": ["*"]}}}}"#),
    ]

    private static let appIDs: [MarkedFile] = [
        .credentials("app-id-format", .error, #""D7KQ4ZW2MX.com.acme.shop", «"com.acme.shop"», «3»"#),
        .credentials("app-id-format", .error, #"«"d7kq4zw2mx.com.acme.shop"», «"D7KQ4ZW2MX"», «"D7KQ4ZW2MX..shop"»"#),
        .credentials("app-id-format", .error, #"«"1451685025a.com.acme"», «"145168502.com.acme"», «""»"#),
        .init("app-id-format", .error, #"{"applinks": {"details": {«"com.acme.shop"»: {"paths": ["*"]}}}}"#),
        .credentials("app-id-blank", .error, #"«" D7KQ4ZW2MX.com.acme.shop"», «"D7KQ4ZW2MX.com.acme.shop\n"»"#),
        .credentials(
            "app-id-placeholder", .error,
            #"«"D7KQ4ZW2MX.undefined"», «"D7KQ4ZW2MX.null"», «"D7KQ4ZW2MX.com.acme.undefined"», «"D7KQ4ZW2MX.com.null.a"», «"D7KQ4ZW2MX.undefined.shop"», "D7KQ4ZW2MX.com.none.a", "D7KQ4ZW2MX.com.nullify""#
        ),
        .credentials(
            "app-id-placeholder", .error, #"«"TEAMID.com.acme"», «"XXXXXXXXXX.com.acme"», «"undefined.com.acme"»"#),
        .credentials(
            "app-id-placeholder", .error, #"«"ABCDE12345.com.acme"», «"<TEAM_ID>.com.acme"», «"$(TeamID).com.a"»"#),
        .credentials(
            "app-id-placeholder", .error, #"«"D7KQ4ZW2MX.com.yourcompany.app"», "D7KQ4ZW2MX.com.example.app""#),
        .credentials("app-id-example", .warning, #"«"ABCDE12345.com.example.app"», «"D7KQ4ZW2MX.com.example.app"»"#),
        .credentials("app-id-example", .warning, #""D7KQ4ZW2MX.com.examples.app", "D7KQ4ZW2MX.org.example.app""#),
        .credentials("app-id-placeholder", .error, #"«"YOUR_TEAM_ID.com.acme"», «"TEAMID.com.example.app"»"#),
        .credentials("app-id-placeholder", .error, #"«"XXXXXXXXXX.com.example.app"», «"<TEAM_ID>.com.example.app"»"#),
        .credentials("app-id-placeholder", .error, #"«"XXXXXXXXXX.XXXXXXXXXX.com.acme"», "D7KQ4ZW2MX.D7KQ4ZW2MX.com""#),
        .credentials("app-id-store-number", .warning, #"«"1451685025.com.acme.shop"», "D7KQ4ZW2M1.com.acme.shop""#),
        .credentials("app-id-format", .error, #"«"D7KQ4ZW2MX.*"», «"*"»"#),
        .credentials(
            "app-id-format", .error, "«\"D7KQ4ZW2MX.com.acme\u{2011}shop\"», «\"D7KQ4ZW2MX.com.a\u{200B}\"»"),
        .init("entry-without-app", .error, #"{"applinks": {"details": [«{»"appid": "A", "paths": []}]}}"#),
        .init("entry-without-app", .error, #"{"applinks": {"details": [{"appIDs": «[]», "paths": []}]}}"#),
        .init("entry-without-app", .error, #"{"applinks": {"details": [{"appID": «[»"A"], "paths": []}]}}"#),
        .init(
            "entry-without-app", .error, #"{"applinks": {"details": [{"appIDs": «"A"», "appID": "A", "paths": []}]}}"#),
        .init("app-ids-disagree", .warning, #"{"applinks": {"details": [{"appIDs": ["A"], "appID": «"B"»}]}}"#),
        .init("app-ids-disagree", .warning, #"{"applinks": {"details": [{"appIDs": ["A", "B"], "appID": "B"}]}}"#),
        .init(
            "app-in-several-entries", .warning,
            #"{"applinks": {"details": [{"appIDs": ["A", "A"]}, {"appIDs": ["B", «"A"»]}, {"appID": «"B"»}]}}"#),
        .credentials("app-id-duplicate", .note, #""A", "B", «"A"»"#),
        .init("app-clip-id", .note, #"{"appclips": {«"apps"»: ["D7KQ4ZW2MX.com.acme.shop"]}}"#),
        .init("app-clip-id", .note, #"{"appclips": {"apps": ["D7KQ4ZW2MX.a", "D7KQ4ZW2MX.a.Clip"]}}"#),
    ]

    private static let lists: [MarkedFile] = [
        .init("pattern-list-missing", .error, #"{"applinks": {"details": [{"appID": "A", "paths": «"*"»}]}}"#),
        .init("pattern-list-missing", .error, #"{"applinks": {"details": [«{»"appID": "A"}]}}"#),
        .init(
            "pattern-list-missing", .error, #"{"applinks": {"details": [{"appID": "A", "components": «{»"/": "/a"}}]}}"#
        ),
        .init(
            "pattern-list-missing", .error,
            #"{"applinks": {"details": [{"appID": "A", "components": {"/": "/a"}, "paths": ["/a"]}]}}"#),
        .paths("pattern-element-type", .error, #""/a", «{»"/": "/b"}, «null»"#),
        .components("pattern-element-type", .error, #"«"/a"», {"/": "/b"}, «[»]"#),
        .init("pattern-list-empty", .error, #"{"applinks": {"details": [{"appIDs": ["A"], "components": «[]»}]}}"#),
        .components("entry-opens-nothing", .error, #"{"/": "/a", "exclude": true}, {"/": "/b"}"#),
        .init(
            "entry-opens-nothing", .error,
            #"{"applinks": {"details": [{"appID": "A", «"paths"»: ["NOT *", "/b", "/b|"]}, {"appID": "B", "paths": ["/a", "/b|"]}]}}"#
        ),
        .init(
            "entry-opens-nothing", .error,
            #"{"applinks": {"details": [{"appID": "A", «"components"»: [{"/": "/a", "exclude": true}], "paths": ["/a"]}]}}"#
        ),
        .init(
            "entry-opens-nothing", .error,
            #"{"applinks": {"details": [{"appID": "A", «"paths"»: ["NOT /a", "not /b"]}, {"appID": "B", "paths": ["NOT/a"]}]}}"#
        ),
        .init(
            "entry-opens-nothing", .error,
            #"{"applinks": {"defaults": {"exclude": true}, "details": [{"appIDs": ["A"], «"components"»: [{"/": "/a"}]}]}}"#
        ),
        .init(
            "entry-opens-nothing", .error,
            #"{"applinks": {"defaults": {"exclude": true}, "details": [{"appIDs": ["A"], "components": [{"/": "/a", "exclude": false}]}]}}"#
        ),
        .init("entry-opens-nothing", .error, #"{"applinks": {"details": [{"appIDs": ["A"], "components": []}]}}"#),
        // A later entry of the same app opens URLs, or each rule has its own error.
        .init(
            "entry-opens-nothing", .error,
            #"{"applinks": {"details": [{"appID": "A", "paths": ["NOT /a"]}, {"appID": "A", "paths": ["/b"]}]}}"#),
        .init(
            "entry-opens-nothing", .error,
            #"{"applinks": {"details": [{"appIDs": ["A", "B"], «"paths"»: ["NOT /a"]}, {"appID": "A", "paths": ["/b"]}]}}"#
        ),
        .components("entry-opens-nothing", .error, #"«{»"/": "/user/{id}"}"#),
        .components("entry-opens-nothing", .error, #"{"/": "/é"}, «{»"/": "/a^b"}"#),
        .components("entry-opens-nothing", .error, ##"{"#": "*", "exclude": true}, {"/": "/a"}"##),
        .init(
            "details-element-type", .error,
            #"{"applinks": {"details": «{»"appIDs": ["D7KQ4ZW2MX.a"], "components": [{"/": "/a"}]}}}"#),
        .init(
            "details-element-type", .error, #"{"applinks": {"apps": [], "details": «{»"appID": "A", "paths": ["*"]}}}"#),
        .init("details-element-type", .error, #"{"applinks": {"apps": [], "details": {"A.b": {"paths": ["*"]}}}}"#),
        .init(
            "details-dictionary", .warning,
            #"{"applinks": {"apps": [], "details": {"appID": "A", "paths": ["*"], "defaults": {}}}}"#),
        .paths("whole-site", .note, #""/a", «"*"»"#),
        .paths("whole-site", .note, #""NOT /a", "*""#),
        .components("whole-site", .note, #"{"/": «"/*"»}"#),
        .components("whole-site", .note, #"{"/": "/a"}, «{»"comment": "x"}, {"exclude": true}"#),
        .components("whole-site", .note, #"{"/": "*", "?": {"a": "?*"}}"#),
        .init(
            "paths-beside-components", .note,
            #"{"applinks": {"details": [{"appIDs": ["A"], "components": [{"/": "/a"}], «"paths"»: ["/a"]}, {"appID": "B", "paths": []}]}}"#
        ),
        .init(
            "shared-url-space", .note,
            #"{"applinks": {"details": [{"appIDs": ["D7KQ4ZW2MX.a"], "paths": ["/a", "/b"]}, {"appIDs": ["D7KQ4ZW2MX.b"], "paths": [«"/?"»]}, {"appIDs": ["D7KQ4ZW2MX.c"], "paths": ["/b"]}]}}"#
        ),
        .init(
            "shared-url-space", .note,
            #"{"applinks": {"details": [{"appIDs": ["D7KQ4ZW2MX.a"], "paths": ["/a"]}, {"appIDs": ["D7KQ4ZW2MX.b"], "paths": ["/b"]}]}}"#
        ),
        .init(
            "shared-url-space", .note,
            #"{"applinks": {"details": [{"appIDs": ["D7KQ4ZW2MX.a"], "paths": ["/a"]}, {"appIDs": ["{APP_ID}"], "paths": ["*"]}]}}"#
        ),
    ]

    private static let components: [MarkedFile] = [
        .components("component-type", .error, ##"{"/": «1»}, {"?": «true»}, {"#": «[»]}"##),
        .components(
            "component-type", .error, #"{"/": "/a", "exclude": «"true"»}, {"/": "/b", "caseSensitive": «null»}"#),
        .components("component-type", .error, #"{"/": "/a", "percentEncoded": «0», "comment": 7}"#),
        .components("component-type", .error, #"{"/": "/a", "?": {"a": «1», "b": "x", "c": «[»"y"]}}, {"?": «[»"a"]}"#),
        .components(
            "query-item-name", .error, #"{"?": {«"?a"»: "1", "b": "?", «"c=1"»: "*", «"d&e"»: ""}}, {"?": {"?f": "*"}}"#
        ),
        .components("query-item-name", .error, #"{"?": {«"?a=1"»: "*"}}, {"?": {"?a": ["x"]}}, {"?": {"a[b]": "?*"}}"#),
        .components(
            "query-item-name", .error,
            #"{"?": {«"R&D"»: "1"}}, {"?": {"R&D": "1", "a#": "", «"b=1"»: "", «"?c"»: "x"}, "percentEncoded": false}"#),
        .components("query-item-name", .error, #"{"?": {«"utm_*"»: "?*", "utm_*2": "*"}}, {"?": {«"*"»: "?*"}}"#),
        .components(
            "query-item-name", .error, #"{"?": {«"utm_?"»: "a"}}, {"?": {«"$(x)"»: "a"}}, {"?": {"a$b": "a"}}"#),
        .components(
            "exclusion-takes-missing-item", .error, #"{"/": "/a/*", "?": «"*"», "exclude": true}, {"/": "/a/*"}"#),
        .components(
            "exclusion-takes-missing-item", .error,
            ##"{"#": «"*"», "exclude": true}, {"/": "/a"}, {"/": "/b", "exclude": true}"##),
        .components("exclusion-takes-missing-item", .error, ##"{"/": "/a"}, {"?": "*", "#": "*", "exclude": true}"##),
        .components(
            "exclusion-takes-missing-item", .error, ##"{"/": "/b/*", "?": "*", "#": "*", "exclude": true}, {"/": "*"}"##
        ),
        .components("exclusion-takes-missing-item", .error, ##"{"#": "?*", "exclude": true}, {"/": "/a"}"##),
        .components("rule-unreachable", .warning, ##"{"#": "*", "exclude": true}, {"/": "/a"}, {"/": "/b"}"##),
        .components(
            "exclusion-takes-missing-item", .error,
            #"{"/": "/a", "?": {"x": «"*"», "y": "1", "z": "?*"}, "exclude": true}, {"/": "/a", "?": {"x": "*"}}"#),
        .components("query-item-takes-missing", .warning, #"{"?": {"utm_*": «"*"», "a": "?*"}}"#),
        .components(
            "query-item-takes-missing", .warning,
            #"{"/": "/a", "?": {"x": "*"}, "exclude": true}, {"/": "/a", "?": {"x": «"*"», "y": "?*", "z": "*"}}, {"/": "/b", "?": "*"}"#
        ),
        .components(
            "query-item-name", .error,
            #"{"?": {«"ü"»: "?*", «"a b"»: "", "%C3%BC": "1"}}, {"?": {"ü": "1"}, "percentEncoded": false}"#),
        .init(
            "query-item-name", .error,
            #"{"applinks": {"defaults": {"percentEncoded": false}, "details": [{"appIDs": ["A"], "components": [{"?": {"ü": "1"}}, {"?": {«"ö"»: "1"}, "percentEncoded": true}]}]}}"#
        ),
        .init(
            "defaults-constraint", .warning,
            #"{"applinks": {"defaults": {«"exclude"»: true, "caseSensitive": false}, "details": []}}"#),
        .init(
            "settings-type", .warning, #"{"applinks": {"defaults": «1», "substitutionVariables": {"a": ["x", «1»]}}}"#),
        .components("exclude-after-include", .error, "{\"/\": \"/a/*\"},\n«{»\"/\": \"/a/b\", \"exclude\": true}"),
        .components("exclude-after-include", .error, #"{"/": "/a/b", "exclude": true}, {"/": "/a/*"}"#),
        .components(
            "exclude-after-include", .error, #"{"/": "/a/*", "exclude": true}, {"/": "/a/b", "exclude": true}"#),
        .paths("exclude-after-include", .error, #""*", «"NOT /a"»"#),
        .components("rule-unreachable", .warning, #"{"/": "/a/*"}, «{»"/": "/a/b"}, {"/": "/a"}, {"/": "/a*"}"#),
        .components("rule-unreachable", .warning, #"{"/": "/a*"}, {"/": "/b*"}, «{»"/": "/a?"}, «{»"/": "/b*"}"#),
        .paths("rule-unreachable", .warning, #""/a", "/a/", «"/a"», "/A""#),
        .components("rule-unreachable", .warning, #"{"/": "/a", "?": {"x": "1"}}, {"/": "/a"}"#),
    ]

    private static let patterns: [MarkedFile] = [
        .components(
            "foreign-notation", .warning,
            #"{"/": «"/users/:id"»}, {"/": «"/a/{id}/b"»}, {"/": «"/a/[slug]"»}, {"/": "/v1/a:b"}, {"/": "/$(lang)/a"}"#
        ),
        .paths("foreign-notation", .warning, #"«"NOT /a/<id>"», "/12:30", «"/a/[a-z]*"»"#),
        .paths("pattern-not-encoded", .error, #"«" /a"», «"/b/* "», «"NOT /c "», "NOT  /d", " NOT /e", «"/f g"»"#),
        .components(
            "pattern-not-encoded", .error,
            ##"{"/": «"/a\n"»}, {"?": {"b": «" ?*"»}}, {"#": "c ", "percentEncoded": false}"##),
        .init(
            "empty-variable-value", .warning,
            #"{"applinks": {"substitutionVariables": {"a": ["x", «""»], "b": «[]», "c": "y", "d": «""»}, "details": []}}"#
        ),
        .components(
            "undefined-variable", .error, #"{"/": «"/$(Lang)/a"»}, {"/": "/$(lang)/b"}, {"?": {"q": «"$(x)"»}}"#),
        .components("undefined-variable", .error, ##"{"/": «"/$(lang/a"»}, {"#": "$lang)"}"##),
        .init("nested-variable", .error, #"{"applinks": {"substitutionVariables": {"a": ["x", «"$(lang)"»]}}}"#),
        .components("pattern-too-complex", .error, "{\"/\": «\"/" + String(repeating: "?/", count: 65) + "\"»}"),
        .components(
            "pattern-not-encoded", .error, ##"{"/": «"/é"»}, {"/": "/é", "percentEncoded": false}, {"#": «"a b"»}"##),
        .paths("pattern-not-encoded", .error, #"«"/a b"», "NOT /b", «"NOT /ü"», "/%C3%BC""#),
        .init(
            "pattern-not-encoded", .error,
            #"{"applinks": {"substitutionVariables": {"a": ["x", «"ü"», «"a b"», "ö", "%C3%B6", 1, "$(ä)"], "b": ["ü"], "c": «"é"»}, "details": [{"appIDs": ["A"], "components": [{"/": "/$(a)"}, {"/": "/$(b)", "percentEncoded": false}, {"?": {"q": "$(c)"}}]}]}}"#
        ),
        .init(
            "pattern-not-encoded", .error,
            #"{"applinks": {"substitutionVariables": {"a": [«"ü"»], "unused": ["ö"]}, "details": [{"appID": "A", "paths": ["/$(a)"]}]}}"#
        ),
        .init(
            "pattern-not-encoded", .error,
            #"{"applinks": {"substitutionVariables": {"a": ["ü"]}, "details": [{"appID": "A", "paths": ["/$(a)/$(none)"]}]}}"#
        ),
        .components(
            "pattern-not-encoded", .error,
            "{\"/\": «\"/a\u{2013}b\"»}, {\"/\": \"/a\u{2013}b\", \"percentEncoded\": false}"),
        .components(
            "pattern-not-encoded", .error,
            "{\"/\": \"/a\u{200B}\", \"percentEncoded\": false, \"comment\": \"\u{201C}a\u{201D}\"}"),
        .components(
            "host-in-path", .error,
            #"{"/": «"https://acme.com/a"»}, {"/": «"acme.com/a"»}, {"/": "index.html"}, {"/": «"//acme.com/a"»}, {"/": "//a/b"}"#
        ),
        .paths("host-in-path", .error, #"«"www.acme.com/*"», "a/b", "*/b.com/""#),
        .components("query-in-path", .error, #"{"/": «"/a?b=1"»}, {"/": "/id/????"}, {"/": «"/#/a"»}, {"/": "/a?*"}"#),
        .paths("query-in-path", .error, #"«"?x=1"», «"NOT /a#b"», "/a?b""#),
        .paths(
            "malformed-not", .error, #"«"NOT/a"», «"NOT  /a"», «" NOT /a"», "NOT /a", "not /b", "/NOT /c", "NOTES/*""#),
        .components("malformed-not", .error, #"{"/": «"NOT /a"»}, {"/": "/not/a"}"#),
        .components(
            "pattern-escape", .warning, #"{"/": «"/%c3"»}, {"/": "/%C3%20"}, {"/": "/%e3", "caseSensitive": false}"#),
        .components("pattern-escape", .warning, #"{"/": «"/%20"», "percentEncoded": false}, {"/": "/%20"}"#),
        .init("variable-name", .warning, #"{"applinks": {"substitutionVariables": {«"lang"»: ["x"]}}}"#),
        .init("variable-name", .warning, #"{"applinks": {"substitutionVariables": {«"$(a)"»: ["x"], "b": []}}}"#),
        .init("unused-variable", .note, #"{"applinks": {"substitutionVariables": {«"a"»: ["x"]}, "details": []}}"#),
        .components("pattern-normalized", .note, #"{"/": «"ab"»}, {"/": "/b"}, {"/": «"/c//d"»}, {"/": "*e"}"#),
    ]
}

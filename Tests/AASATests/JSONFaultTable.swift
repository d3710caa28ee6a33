// Files that are not JSON: the line and the cause that the linter must name. One real-looking file with a change in some of
// its lines, and texts of other kinds in its place.

import Testing

/// A broken file.
struct BrokenFile: Sendable, CustomTestStringConvertible {
    let text: String
    /// The line that the finding points at.
    let line: Int
    /// The name of the cause; nil where none may be guessed.
    let cause: String?
    let testDescription: String

    /// `lines`: what stands in a line of the whole file; nil takes the line out.
    init(_ lines: [Int: String?], _ line: Int, _ cause: String?) {
        var all: [String?] = Self.whole
        for (number, text) in lines { all[number - 1] = text }
        text = all.compactMap(\.self).joined(separator: "\n") + "\n"
        (self.line, self.cause) = (line, cause)
        testDescription =
            "\(cause ?? "none") with \(lines.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value ?? "-")" })"
    }

    init(_ text: String, _ line: Int, _ cause: String?) {
        (self.text, self.line, self.cause) = (text, line, cause)
        testDescription = "\(cause ?? "none"): \(text.prefix(60).debugDescription)"
    }

    static let whole = ##"""
        {
          "applinks": {
            "apps": [],
            "details": [
              {
                "appIDs": ["D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.beta"],
                "components": [
                  {"/": "/buy/*", "comment": "the shop"},
                  {
                    "/": "/help/*",
                    "?": {"articleNumber": "????"},
                    "exclude": true
                  },
                  {"#": "top"}
                ]
              },
              {
                "appID": "D7KQ4ZW2MX.com.acme.old",
                "paths": [
                  "/old/*",
                  "NOT /old/private/*"
                ]
              }
            ]
          },
          "webcredentials": {
            "apps": ["D7KQ4ZW2MX.com.acme.shop"]
          },
          "appclips": {"apps": ["D7KQ4ZW2MX.com.acme.shop.Clip"]}
        }
        """##.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

    static let wholeText = whole.joined(separator: "\n") + "\n"

    static let commas: [BrokenFile] = [
        .init([3: #"    "apps": []"#], 3, "missingComma"), .init([13: "          }"], 13, "missingComma"),
        .init([8: #"          {"/": "/buy/*", "comment": "the shop"}"#], 8, "missingComma"),
        .init([8: #"          {"/": "/buy/*" "comment": "the shop"},"#], 8, "missingComma"),
        .init([6: #"        "appIDs": ["D7KQ4ZW2MX.com.acme.shop" "D7KQ4ZW2MX.com.acme.beta"],"#], 6, "missingComma"),
        .init([18: #"        "appID": "D7KQ4ZW2MX.com.acme.old""#], 18, "missingComma"),
        .init([20: #"          "/old/*""#], 20, "missingComma"), .init([16: "      }"], 16, "missingComma"),
        .init([25: "  }"], 25, "missingComma"), .init([28: "  }"], 28, "missingComma"),
        .init([3: #"    "apps": []"#, 13: "          }"], 3, "missingComma"),
        .init([12: #"            "exclude": true,"#], 12, "trailingComma"),
        .init([14: ##"          {"#": "top"},"##], 14, "trailingComma"),
        .init([15: "        ],"], 15, "trailingComma"),
        .init([21: #"          "NOT /old/private/*","#], 21, "trailingComma"),
        .init([24: "    ],"], 24, "trailingComma"), .init([30: "},"], 30, "trailingComma"),
        .init([29: #"  "appclips": {"apps": ["D7KQ4ZW2MX.com.acme.shop.Clip"]},"#], 29, "trailingComma"),
        .init([3: #"    "apps": [],,"#], 3, "strayComma"), .init([6: #"        "appIDs": [,"A.b"],"#], 6, "strayComma"),
        .init([3: #"    "apps" [],"#], 3, "missingColon"),
        .init([18: #"        "appID" "D7KQ4ZW2MX.com.acme.old","#], 18, "missingColon"),
        .init([18: #"        "appID" = "D7KQ4ZW2MX.com.acme.old","#], 18, "wrongSign"),
        .init([3: #"    "apps": [];"#], 3, "wrongSign"), .init([12: #"            "exclude": "#], 12, "missingValue"),
        .init([12: #"            "exclude": ,"#], 12, "missingValue"),
        .init([18: #"        "appID": ,"#], 18, "missingValue"),
        .init([18: #"        "appID"： "D7KQ4ZW2MX.com.acme.old","#], 18, "lookalike"),
        .init([3: #"    "apps": []，"#], 3, "lookalike"), .init([20: #"          "/old/*"、"#], 20, "lookalike"),
        .init([3: #"    "apps": ［],"#], 3, "lookalike"), .init([16: "      }，"], 16, "lookalike"),
        .init([18: #"        "appID", "D7KQ4ZW2MX.com.acme.old","#], 18, "wrongSign"),
    ]

    static let brackets: [BrokenFile] = [
        // A brace that is missing between two components, or behind one.
        .init([8: #"          {"/": "/buy/*", "comment": "the shop","#], 8, "missingBracket"),
        .init([8: #"          {"/": "/buy/*", "comment": "the shop""#], 8, "missingBracket"),
        .init([13: "          ,"], 13, "missingBracket"), .init([13: nil], 12, "missingBracket"),
        .init([11: #"            "?": {"articleNumber": "????","#], 11, "missingBracket"),
        .init([14: ##"          {"#": "top""##], 14, "missingBracket"),
        .init([8: #"          {"/": "/buy/*", "comment": "the shop","#, 13: "          ,"], 8, "missingBracket"),
        // Between two entries, and at their lists.
        .init([15: nil], 14, "missingBracket"), .init([16: "      ,"], 16, "missingBracket"),
        .init([16: nil], 15, "missingBracket"), .init([15: nil, 16: "      ,"], 15, "missingBracket"),
        .init([22: nil], 21, "missingBracket"), .init([23: nil], 22, "missingBracket"),
        .init([24: nil], 23, "missingBracket"), .init([25: "  ,"], 25, "missingBracket"),
        .init([25: nil], 24, "missingBracket"), .init([28: "  ,"], 28, "missingBracket"),
        .init([28: nil], 27, "missingBracket"), .init([30: nil], 29, "missingBracket"),
        .init([6: #"        "appIDs": ["D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.beta","#], 6, "missingBracket"),
        .init([6: #"        "appIDs": ["D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.beta""#], 6, "missingBracket"),
        .init([27: #"    "apps": ["D7KQ4ZW2MX.com.acme.shop""#], 27, "missingBracket"),
        .init([29: #"  "appclips": {"apps": ["D7KQ4ZW2MX.com.acme.shop.Clip"]"#], 29, "missingBracket"),
        .init([29: #"  "appclips": {"apps": ["D7KQ4ZW2MX.com.acme.shop.Clip"}"#], 29, "missingBracket"),
        // Opening ones.
        .init([1: nil], 1, "missingOpening"), .init([2: #"  "applinks": "#], 2, "missingOpening"),
        .init([4: #"    "details": "#], 4, "missingOpening"), .init([5: nil], 5, "missingOpening"),
        .init([7: #"        "components": "#], 7, "missingOpening"),
        .init([8: #"          "/": "/buy/*", "comment": "the shop"},"#], 8, "missingOpening"),
        .init([9: nil], 9, "missingOpening"), .init([19: #"        "paths": "#], 19, "missingOpening"),
        .init([27: #"    "apps": "D7KQ4ZW2MX.com.acme.shop"]"#], 27, "missingOpening"),
        // Too many, or of the wrong kind.
        .init([13: "          }},"], 13, "surplusBracket"), .init([15: "        ]]"], 15, "surplusBracket"),
        .init([8: #"          {{"/": "/buy/*", "comment": "the shop"},"#], 8, "surplusBracket"),
        .init([14: ##"          {"#": "top"}}"##], 14, "surplusBracket"), .init([30: "}}"], 30, "surplusBracket"),
        .init([30: "}\n]"], 31, "surplusBracket"), .init([28: "  }},"], 28, "closedTooEarly"),
        .init([25: "  }},"], 25, "closedTooEarly"), .init([15: "        }"], 15, "wrongBracket"),
        .init([6: #"        "appIDs": ["D7KQ4ZW2MX.com.acme.shop"},"#], 6, "wrongBracket"),
        .init([14: ##"          {"#": "top"]"##], 14, "wrongBracket"),
        .init([3: #"    "apps": {"D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.beta"},"#], 3, "bracesForList"),
        .init([11: #"            "?": ["articleNumber": "????"],"#], 11, "bracketsForObject"),
        .init(
            [18: #"        "appIDs": "D7KQ4ZW2MX.com.acme.old", "D7KQ4ZW2MX.com.acme.new","#], 18, "missingListBrackets"
        ),
        .init(#""applinks": {"details": []}"#, 1, "missingOuterBraces"),
        .init([3: #"    "apps": [,"#], 3, "missingBracket"), .init([3: #"    "apps": ],"#], 3, "missingOpening"),
        .init([3: #"    "apps": ["#], 3, "missingBracket"),
    ]

    static let quotes: [BrokenFile] = [
        .init([18: #"        "appID": “D7KQ4ZW2MX.com.acme.old”,"#], 18, "smartQuotes"),
        .init([18: #"        “appID”: "D7KQ4ZW2MX.com.acme.old","#], 18, "smartQuotes"),
        .init([20: #"          "/old/*”,"#], 20, "smartQuotes"), .init([20: "          ＂/old/*＂,"], 20, "smartQuotes"),
        .init([18: "        'appID': 'D7KQ4ZW2MX.com.acme.old',"], 18, "singleQuotes"),
        .init([20: "          '/old/*',"], 20, "singleQuotes"), .init([20: "          `/old/*`,"], 20, "backticks"),
        .init([18: #"        appID: "D7KQ4ZW2MX.com.acme.old","#], 18, "unquotedText"),
        .init([18: #"        "appID": D7KQ4ZW2MX.com.acme.old,"#], 18, "unquotedText"),
        .init([20: "          /old/*,"], 20, "unquotedText"), .init([20: "          /*,"], 20, "unquotedText"),
        .init([14: ##"          {"#": #top}"##], 14, "unquotedText"),
        .init([21: "          NOT /old/private/*"], 21, "unquotedText"),
        .init([12: #"            "exclude": True"#], 12, "wrongLiteral"),
        .init([12: #"            "exclude": yes"#], 12, "wrongLiteral"),
        .init([3: #"    "apps": None,"#], 3, "noValue"),
        .init([20: #"          /old/*","#], 20, "missingOpeningQuote"),
        .init([18: #"        appID": "D7KQ4ZW2MX.com.acme.old","#], 18, "missingOpeningQuote"),
        .init([18: #"        "appID: "D7KQ4ZW2MX.com.acme.old","#], 18, "unclosedString"),
        .init([18: #"        "appID": "D7KQ4ZW2MX.com.acme.old,"#], 18, "unclosedString"),
        .init([20: #"          "/old/*,"#], 20, "unclosedString"),
        .init([21: #"          "NOT /old/private/*"#], 21, "unclosedString"),
        .init([8: #"          {"/": "/buy/*, "comment": "the shop"},"#], 8, "unclosedString"),
        .init([14: ##"          {"#": "top}"##], 14, "unclosedString"),
        .init([8: "          {\"/\": \"/buy/*\", \"comment\": \"the\nshop\"},"], 8, "lineBreakInString"),
        .init([8: #"          {"/": "/buy/*", "comment": "the "best" shop"},"#], 8, "textAfterString"),
        .init([18: #"        ""appID": "D7KQ4ZW2MX.com.acme.old","#], 18, "doubledQuote"),
        .init([18: #"        "appID": "D7KQ4ZW2MX.com.acme.old"","#], 18, "doubledQuote"),
        .init([29: #"  "appclips":"{"apps": ["D7KQ4ZW2MX.com.acme.shop.Clip"]}"#], 29, "strayQuote"),
        .init([26: #"  "webcredentials":"{"#], 26, "strayQuote"),
        .init([27: #"    "apps": "["D7KQ4ZW2MX.com.acme.shop"]"#], 27, "strayQuote"),
        .init([10: "            \"/\": \"/help\t/*\","], 10, "controlCharacter"),
        .init([10: #"            "/": "/help/\d+","#], 10, "unknownEscape"),
        .init([6: "       \u{A0}\"appIDs\": [],"], 6, "invisibleCharacter"),
        .init([6: #"        &quot;appIDs&quot;: [],"#], 6, "htmlEntities"),
        .init("\"{\"applinks\": {\"details\": []}}\"", 1, "quotedWhole"),
        .init(#"{\n  \"applinks\": {\n    \"details\": []\n  }\n}"#, 1, "escapedQuotes"),
        .init(#"{\"applinks\":{\"details\":[{\"appID\":\"A.b\",\"paths\":[\"\/x\"]}]}}"#, 1, "escapedQuotes"),
        .init([8: #"          {"/": `${SHOP}/*`},"#], 8, "template"), .init("'{\"applinks\": {}}'\n", 1, "quotedWhole"),
    ]

    static let leftovers: [BrokenFile] = [
        .init([7: "        // the shop\n        \"components\": ["], 7, "comment"),
        .init([7: "        # the shop\n        \"components\": ["], 7, "comment"),
        .init([7: "        /* the shop\n  */      \"components\": ["], 7, "comment"),
        .init([14: "          {\"#\": \"top\"}, // last\n"], 14, "comment"), .init([1: "// Apple\n{"], 1, "comment"),
        .init([1: "# Apple\n{"], 1, "comment"), .init([1: "/* Apple */\n{"], 1, "comment"),
        .init([30: "}\n// end"], 31, "comment"),
        .init([1: "<!-- Apple -->\n{"], 1, "comment"), .init([30: "}\n<!-- end -->"], 31, "comment"),
        .init([6: #"        "appIDs": [{{ app_ids }}],"#], 6, "template"),
        .init([6: #"        "appIDs": {{ app_ids | json }},"#], 6, "template"),
        .init([8: "          {% for path in paths %}"], 8, "template"),
        .init([8: "          {%- if shop -%}"], 8, "template"),
        .init([6: #"        "appIDs": <%= app_ids %>,"#], 6, "template"),
        .init([6: #"        "appIDs": ${APP_IDS},"#], 6, "template"),
        .init([18: #"        "appID": $TEAM,"#], 18, "template"),
        .init([18: #"        "appID": $TEAM.com.acme.old,"#], 18, "template"),
        .init([18: #"        "appID": %TEAM%,"#], 18, "template"),
        .init([19: #"        "paths": @PATHS@"#, 20: nil, 21: nil, 22: nil], 19, "template"),
        .init([18: #"        "appID": __APP_ID__,"#], 18, "template"),
        .init([18: #"        "appID": %(app_id)s,"#], 18, "template"),
        .init([1: "{% load static %}\n{"], 1, "template"), .init([1: "{{ header }}\n{"], 1, "template"),
        .init([30: "}\n{% endif %}"], 31, "template"), .init([1: "${HEADER}\n{"], 1, "template"),
        .init([18: #"        "appID": <?php echo $id ?>,"#], 18, "phpSource"),
        .init([12: "<<<<<<< HEAD\n            \"exclude\": true"], 12, "mergeConflict"),
        .init([12: "            \"exclude\": true\n======="], 13, "mergeConflict"),
        .init([12: "            \"exclude\": true\n>>>>>>> main"], 13, "mergeConflict"),
        .init([2: "+  \"applinks\": {"], 2, "diff"),
        .init([3: "-    \"apps\": [\"A.b\"],\n+    \"apps\": [],"], 3, "diff"),
        .init([6: #"        "appIDs": [object Object],"#], 6, "objectText"),
        .init(
            [
                6:
                    #"        "appIDs": <br /><b>Warning</b>: Undefined variable $x in <b>/a.php</b> on line <b>3</b><br />"#
            ], 6, "phpMessage"),
        .init(
            [30: "}\n<br />\n<b>Notice</b>:  Undefined index: x in <b>/a.php</b> on line <b>3</b><br />"], 31,
            "phpMessage"),
        .init([30: "}\nuser@host:~$ "], 31, "shellSession"), .init([30: "}[user@host ~]$ "], 30, "shellSession"),
        .init([30: "}\n\n" + wholeText], 32, "repeatedDocument"),
        .init([30: "}\n{\"webcredentials\": {\"apps\": []}}"], 31, "secondDocument"),
        .init([30: "},\n{\"appclips\": {\"apps\": []}}"], 31, "secondDocument"),
        .init([30: "}\n{\"a\": 1}"], 31, "severalDocuments"), .init([30: "};"], 30, "severalDocuments"),
        .init([30: "}\n<script>reload()</script>"], 31, "severalDocuments"),
        .init([30: "}\n\nend"], 32, "severalDocuments"),
        // Who deletes what follows must lose no service.
        .init([30: "}\n---\n{\"webcredentials\": {\"apps\": []}}"], 31, "secondDocument"),
        .init([30: "}\nwebcredentials:\n  apps: []"], 31, "secondDocument"),
    ]

    static let others: [BrokenFile] = [
        .init("<!DOCTYPE html>\n<html><head><title>Shop</title></head><body></body></html>", 1, "htmlPage"),
        .init("<html><body><h1>403 Forbidden</h1></body></html>", 1, "htmlPage"),
        .init("<h1>Not Found</h1>", 1, "htmlPage"), .init("<center>nginx</center>", 1, "htmlPage"),
        .init("\n\n<!-- build 7 -->\n<!doctype html><app-root></app-root>", 3, "htmlPage"),
        .init(
            "<?xml version=\"1.0\"?>\n<!DOCTYPE html PUBLIC \"x\">\n<html xmlns=\"http://www.w3.org/1999/xhtml\"></html>",
            1, "htmlPage"),
        .init("<app-root></app-root><script src=\"/main.js\"></script>", 1, "htmlPage"),
        .init("<!doctype html><pre>{\"applinks\": {}}</pre>", 1, "savedPage"),
        .init(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>",
            1, "storageError"),
        .init(
            "<Error><Code>NoSuchKey</Code><Message>The specified key does not exist.</Message><Key>p.html</Key></Error>",
            1, "storageError"),
        .init(
            "<?xml version='1.0' encoding='UTF-8'?><Error><Code>NoSuchBucket</Code><Details>&lt;html</Details></Error>",
            1, "storageError"),
        .init(
            "\u{FEFF}<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>BlobNotFound</Code></Error>", 1,
            "storageError"),
        .init(
            "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Name>b</Name><Prefix></Prefix></ListBucketResult>",
            1, "bucketListing"),
        .init(
            "<ListBucketResult xmlns='http://doc.s3.amazonaws.com/2006-03-01'><Prefix>p</Prefix><Contents><Key>x.html</Key></Contents></ListBucketResult>",
            1, "bucketListing"),
        .init(
            "<?xml version=\"1.0\"?><EnumerationResults ContainerName=\"c\"><Prefix/><Blobs/></EnumerationResults>", 1,
            "bucketListing"),
        .init("<?xml version=\"1.0\"?><Error><Message>no code</Message></Error>", 1, "xml"),
        .init("<?xml version=\"1.0\"?><rss><channel><title>p</title></channel></rss>", 1, "xml"),
        .init("<?xml version=\"1.0\"?><urlset><url><loc>https://example.com/<p></loc></url></urlset>", 1, "xml"),
        .init("<svg xmlns=\"http://www.w3.org/2000/svg\"><title>x</title></svg>", 1, "xml"),
        .init(
            "<?xml version=\"1.0\"?><!DOCTYPE plist PUBLIC \"-//Apple\" \"http://x\"><plist version=\"1.0\"><dict/></plist>",
            1, "propertyList"),
        .init("<plist version=\"1.0\"><dict><key>a</key></dict></plist>", 1, "propertyList"),
        .init("bplist00\u{1}\u{2}", 1, "propertyList"),
        .init("<?php\nheader('Content-Type: application/json');\n", 1, "phpSource"),
        .init("<?= json_encode($a) ?>", 1, "phpSource"),
        .init(
            "<br />\n<b>Notice</b>:  Undefined variable: id in <b>/var/www/a.php</b> on line <b>3</b><br />\n"
                + wholeText, 1, "phpMessage"),
        .init("\nWarning: include(x.php): failed in /var/www/a.php on line 3\n" + wholeText, 2, "phpMessage"),
        .init("PHP Deprecated:  Function x in /a.php on line 3\n" + wholeText, 1, "phpMessage"),
        .init("Fatal error: Uncaught Error in /a.php on line 3", 1, "phpMessage"),
        .init("<b>Fatal error</b>: Uncaught Error in <b>/a.php</b> on line <b>3</b>", 1, "phpMessage"),
        .init("<b>Warning</b> <i>This site moved</i>", 1, "htmlPage"),
        .init("module.exports = {\n  applinks: {}\n};", 1, "script"),
        .init("const aasa = {\"applinks\": {}};", 1, "script"),
        .init("export default {applinks: {}}", 1, "script"), .init("callback({\"applinks\": {}});", 1, "script"),
        .init("jQuery123_4({\"applinks\": {}})", 1, "script"), .init("({\"applinks\": {}})", 1, "script"),
        .init("// config\nmodule.exports = {\"applinks\": {}}", 1, "script"),
        .init("aasa = {\"applinks\": {}}", 1, "script"),
        .init(")]}'\n" + wholeText, 1, "guardPrefix"), .init(")]}',\n{}", 1, "guardPrefix"),
        .init("while(1);{}", 1, "guardPrefix"),
        .init("for(;;);{\"applinks\":{}}", 1, "guardPrefix"), .init("[object Object]", 1, "objectText"),
        .init("eyJhcHBsaW5rcyI6eyJkZXRhaWxzIjpbXX19", 1, "encoded"),
        .init("ewogICJhcHBsaW5rcyI6IHt9Cn0=\n", 1, "encoded"),
        .init("data:application/json;base64,eyJhcHBsaW5rcyI6e319", 1, "encoded"),
        .init(
            "diff --git a/aasa b/aasa\nindex 1..2 100644\n--- a/aasa\n+++ b/aasa\n@@ -1 +1 @@\n-{}\n+{\"a\": 1}\n", 1,
            "diff"),
        .init("--- a/aasa\n+++ b/aasa\n@@ -1,2 +1,2 @@\n {\n-}\n+}\n", 1, "diff"),
        .init("@@ -1,2 +1,2 @@\n {\n-}\n+}\n", 1, "diff"),
        .init("+{\n+  \"applinks\": {\"details\": []}\n+}\n", 1, "diff"),
        .init("$ curl https://example.com/.well-known/apple-app-site-association\n" + wholeText, 1, "shellSession"),
        .init("user@host:~$ cat apple-app-site-association\n{}", 1, "shellSession"),
        .init("curl -s https://example.com\n{}", 1, "shellSession"),
        .init("  % Total    % Received % Xferd  Average Speed\n{}", 1, "shellSession"),
        .init("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{}", 1, "httpHeaders"),
        .init("HTTP/2 200 \nserver: x\n\n{}", 1, "httpHeaders"),
        .init("Content-Type: application/json\n\n{}", 1, "httpHeaders"),
        .init("Server: nginx\nDate: x\n\n{}", 1, "httpHeaders"),
        .init("applinks:\n  details:\n    - appIDs: [A.b]\n", 1, "yaml"),
        .init("---\napplinks:\n  details: []\n", 1, "yaml"),
        .init("# Apple\napplinks:\n  details: []\n", 1, "yaml"), .init("---\nlayout: null\n---\n{}", 1, "frontMatter"),
        .init("```json\n{}\n```", 1, "codeFence"),
        .init("version https://git-lfs.github.com/spec/v1\n", 1, "gitLFSPointer"),
        .init("Here is the file:\n\n" + wholeText, 1, "leadingText"),
        .init("json\n{\"applinks\": {}}", 1, "leadingText"),
        .init("Not Found", 1, "plainText"), .init("404 page not found", 1, "plainText"),
        .init("undefined", 1, "plainText"),
        .init("ok", 1, "plainText"), .init("", 1, "empty"), .init(" \n ", 2, "empty"),
        .init(String(wholeText.prefix(400)), 18, "cutShort"), .init(String(wholeText.prefix(120)), 6, "cutShort"),
        .init(
            "<br />\n<font size='1'><table><tr><th>( ! ) Notice: Undefined variable: x in /a.php on line <i>3</i></th></tr></table></font>\n"
                + wholeText, 1, "phpMessage"),
        .init("<?xml version=\"1.0\"?> - <Error><Code>NoSuchKey</Code></Error>", 1, "storageError"),
        .init("<ListAllMyBucketsResult><Buckets></Buckets></ListAllMyBucketsResult>", 1, "bucketListing"),
        .init("{}&&" + wholeText, 1, "guardPrefix"), .init("'use strict';\nmodule.exports = {}", 1, "script"),
        .init("PS C:\\Users\\me> type aasa\n" + wholeText, 1, "shellSession"),
    ]

    /// What is like a case above, and is another thing: no cause may be told.
    static let unsure: [BrokenFile] = [
        .init(#"{"a": "b": 1}"#, 1, nil), .init(#"{"a":: 1}"#, 1, nil), .init("[1 2]", 1, nil), .init("[01]", 1, nil),
        .init("[+1]", 1, nil), .init("[1.]", 1, nil), .init(#"{"a": foo("x")}"#, 1, nil),
        .init(#"{"a": "x" + y}"#, 1, nil),
        .init(#"{"a": process.env.TEAM + ".com.x"}"#, 1, nil), .init(#"{"a": (1)}"#, 1, nil),
        .init(#"{"a": "\ud800"}"#, 1, nil), .init(#"{"a": "\u12"}"#, 1, nil), .init("{\"a\": $}", 1, nil),
        .init(#"Service {"x" unavailable"#, 1, nil), .init(#"{"a": 1 "b" "c" 2}"#, 1, nil),
        .init([18: #"        "appID": [A.b, ]]] C.d,"#], 18, nil), .init("{\"a\" \"b\" \"c\" \"d\"}", 1, nil),
        .init([21: "          …"], 21, nil), .init([18: "        \"appID\": <APP_ID>,"], 18, nil),
        .init([21: "          ..."], 21, nil),
    ]
}

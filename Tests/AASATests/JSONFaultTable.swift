// Files that are not JSON, with the line and the cause that the linter must name: one realistic file with some of its
// lines changed, and other kinds of text.

import Testing

/// A broken file.
struct BrokenFile: Sendable, CustomTestStringConvertible {
    let text: String
    /// The line that the finding points at.
    let line: Int
    /// The id of the cause; nil if only the parser's message is shown.
    let cause: String?
    let testDescription: String

    /// `lines`: new text for lines of the whole file; nil removes the line.
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
            "details": [
              {
                "appIDs": ["D7KQ4ZW2MX.com.acme.shop", "D7KQ4ZW2MX.com.acme.beta"],
                "components": [
                  {"/": "/buy/*", "comment": "the shop"},
                  {
                    "/": "/help/*",
                    "exclude": true
                  },
                  {"#": "top"}
                ]
              }
            ]
          },
          "webcredentials": {
            "apps": ["D7KQ4ZW2MX.com.acme.shop"]
          }
        }
        """##.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

    static let wholeText = whole.joined(separator: "\n") + "\n"

    static let marks: [BrokenFile] = [
        .init([11: "          }"], 11, "missing-comma"), .init([16: "  }"], 16, "missing-comma"),
        .init([7: #"          {"/": "/buy/*" "comment": "the shop"},"#], 7, "missing-comma"),
        .init([5: #"        "appIDs": ["A.b" "A.c"],"#], 5, "missing-comma"),
        .init([10: #"            "exclude": true,"#], 10, "trailing-comma"),
        .init([13: "        ],"], 13, "trailing-comma"), .init([20: "},"], 20, "trailing-comma"),
        .init([13: nil], 12, "not-closed"), .init([15: nil], 14, "not-closed"), .init([20: nil], 19, "not-closed"),
        .init([18: #"    "apps": ["D7KQ4ZW2MX.com.acme.shop""#], 18, "not-closed"),
        .init([5: #"        "appIDs": ["A.b"},"#], 5, "not-closed"), .init([20: "}}"], 20, "surplus-bracket"),
        .init([20: "}\n]"], 21, "surplus-bracket"), .init([16: "  }},"], 17, "several-documents"),
        .init([7: #"          {"?": ["item": "*"]},"#], 7, "key-in-list"),
        .init([9: #"            “/”: "/help/*","#], 9, "typographic-quotes"),
        .init([9: #"            "/": "/help/*”,"#], 9, "typographic-quotes"),
        .init([11: "          }，"], 11, "typographic-sign"),
        .init([6: "   \u{A0}\"components\": ["], 6, "typographic-sign"),
        .init([9: "            '/': '/help/*',"], 9, "single-quotes"),
        .init([6: "        components: ["], 6, "unquoted-text"),
        .init([6: #"        components": ["#], 6, "unquoted-text"),
        .init([18: #"    "apps": [D7KQ4ZW2MX.com.acme.shop]"#], 18, "unquoted-text"),
        .init([9: #"            "/": "/help/*,"#], 9, "unclosed-string"),
        .init([12: ##"          {"#": "top}"##], 12, "unclosed-string"),
        .init([7: #"          {"/": "/buy/*, "comment": "the shop"},"#], 7, "text-after-string"),
        .init([5: #"        "appIDs: ["A.b"],"#], 5, "text-after-string"),
        .init([9: "            \"/\": \"/help\t/*\","], 9, "control-character"),
        .init([9: #"            "/": "/help/\d+","#], 9, "unknown-escape"),
        .init([6: "        // the shop\n        \"components\": ["], 6, "comment"),
        .init([1: "# Apple\n{"], 1, "comment"), .init([20: "}\n/* end */"], 21, "comment"),
        .init([5: #"        "appIDs": {{ app_ids | json }},"#], 5, "template"),
        .init([7: "          {% for path in paths %}"], 7, "template"),
        .init([5: #"        "appIDs": <%= app_ids %>,"#], 5, "template"), .init([1: "{{ header }}\n{"], 1, "template"),
        .init([10: "<<<<<<< HEAD\n            \"exclude\": true"], 10, "merge-conflict"),
        .init([10: "            \"exclude\": true\n======="], 11, "merge-conflict"),
        .init([20: "}\n" + wholeText], 21, "several-documents"), .init([20: "};"], 20, "several-documents"),
        .init(String(wholeText.prefix(140)), 6, "cut-short"),
    ]

    static let beginnings: [BrokenFile] = [
        .init("", 1, "empty"), .init(" \n ", 2, "empty"), .init("<h1>Not Found</h1>", 1, "html-page"),
        .init("\n\n<!-- build 7 -->\n<!doctype html><app-root></app-root>", 3, "html-page"),
        .init("<?xml version=\"1.0\"?>\n<html xmlns=\"http://www.w3.org/1999/xhtml\"></html>", 1, "html-page"),
        .init("\u{FEFF}<?xml version=\"1.0\"?><Error><Code>BlobNotFound</Code></Error>", 1, "xml"),
        .init("<svg xmlns=\"http://www.w3.org/2000/svg\"/>", 1, "xml"), .init("<?php echo $file;", 1, "template"),
        .init("-----BEGIN PKCS7-----", 1, "signed"), .init("<<<<<<< HEAD\n{}", 1, "merge-conflict"),
        .init("Here is the file:\n" + wholeText, 1, "wrapped"), .init("applinks:\n  details: []", 1, "plain-text"),
        .init("undefined", 1, "plain-text"), .init("PK\u{3}\u{4}", 1, "invalid-utf-8"),
    ]

    /// Similar to a case above, but something else: no cause may be named.
    static let unsure: [BrokenFile] = [
        .init(#"{"a": "b": 1}"#, 1, nil), .init(#"{"a":: 1}"#, 1, nil), .init("[1 2]", 1, nil), .init("[01]", 1, nil),
        .init("[+1]", 1, nil), .init("[- 1]", 1, nil), .init("[1.]", 1, nil), .init(#"{"a": foo("x")}"#, 1, nil),
        .init(#"{"a": "x" + y}"#, 1, nil), .init(#"{"a": process.env.TEAM + ".com.x"}"#, 1, nil),
        .init(#"{"a": "\ud800"}"#, 1, nil), .init("{\"a\": $}", 1, nil), .init("[...]", 1, nil),
        .init("<.>", 1, nil),
        .init(#"{"exclude": True}"#, 1, nil), .init("{\"paths\": undefined}", 1, nil), .init("{{\"a\": 1}", 1, nil),
        .init(#"{"exclude": }"#, 1, nil), .init("[1,, 2]", 1, nil), .init(#"{"a" = 1}"#, 1, nil),
    ]
}

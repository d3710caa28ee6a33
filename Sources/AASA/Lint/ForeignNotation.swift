// Notations of routers, templates, regular expressions and shells inside of patterns: what they are, and what Apple's has
// for them.

/// A part of a pattern that means something to another program, and only itself to a device.
struct ForeignNotation {
    enum Kind {
        /// A placeholder of a router or a template.
        case route
        /// A regular expression, or a choice in a shell's braces.
        case expression
        /// A placeholder of a router that may be the text of a real URL too.
        case perhapsRoute
    }

    let kind: Kind
    /// As the file has it, such as `:id`.
    let part: String
    /// What it is, such as `a parameter of Flask and Django`.
    let meaning: String
    /// What to write in place of the pattern, one for each alternative; none where it cannot be told.
    let patterns: [String]

    /// Whether no URL holds it.
    var isSure: Bool { kind != .perhapsRoute }

    /// The names of variables by their lower-case form: a placeholder of that name most likely means the variable.
    typealias VariableNames = [ExactText: String]

    /// More alternatives are not listed.
    static let maximumPatterns = 8
    /// Longer patterns are not looked at.
    private static let maximumLength = 1_000

    /// The first such part of a text that is sure; else the first that may be one.
    init?(
        in text: String, of part: PatternSite.Part, isExclusion: Bool, isPercentEncoded: Bool, names: VariableNames
    ) {
        guard Self.mayHoldOne(text), text.utf8.count <= Self.maximumLength else { return nil }
        var reader = NotationReader(
            text, part, isExclusion: isExclusion, isPercentEncoded: isPercentEncoded, names: names)
        var patterns = reader.readAll()
        guard let found = reader.sure ?? reader.unsure else { return nil }
        if reader.holdsExpression {
            // Signs that could stand for themselves belong to the expression, too.
            reader.readsExpression()
            patterns = reader.readAll()
        }
        kind = found.kind
        meaning = found.meaning
        self.part = found.part
        patterns = reader.isTold ? Self.tidied(patterns, isPath: part == .path) : []
        // What opens the whole site is no advice about a text that may be right as it is.
        let isRisky =
            found.kind == .perhapsRoute && part == .path
            && patterns.contains { $0.utf8.allSatisfy("/*?".utf8.contains) }
        self.patterns = isRisky ? [] : patterns
    }

    /// Most patterns hold none of these signs.
    private static func mayHoldOne(_ text: String) -> Bool {
        var last: UInt8 = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "{"), UInt8(ascii: "<"), UInt8(ascii: "("),
                UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "$"), UInt8(ascii: "\\"), UInt8(ascii: "%"):
                return true
            case UInt8(ascii: "*"), UInt8(ascii: "+"): if last == UInt8(ascii: ".") { return true }
            case UInt8(ascii: "a")...UInt8(ascii: "z"): if last == UInt8(ascii: "*") { return true }
            default: break
            }
            last = byte
        }
        return false
    }

    /// Without the signs that a part left out leaves behind, and without what a broader one takes.
    private static func tidied(_ patterns: [String], isPath: Bool) -> [String] {
        let tidied = patterns.map { pattern in
            var result = String.UnicodeScalarView()
            for scalar in pattern.unicodeScalars {
                if let last = result.last, last == scalar, scalar == "*" || isPath && scalar == "/" { continue }
                result.append(scalar)
            }
            if isPath, result.first != "/", result.first != "*" { result.insert("/", at: result.startIndex) }
            return String(result)
        }.uniqued
        guard isPath, tidied.count > 1 else { return tidied }
        let all = Set(tidied.map(ExactText.init(_:)))
        return tidied.filter { !all.contains(ExactText($0 + "/*")) && !all.contains(ExactText($0 + "*")) }
    }
}

/// How a notation looks, and what Apple's has for it. The first form of the table that fits a place is taken.
struct NotationForm {
    /// What to write.
    enum Apple {
        case text(String)
        /// A value, or none.
        case optional
        /// What stands in the brackets, read as a pattern.
        case content
        /// The same, or nothing.
        case optionalContent
        /// One of the words in the brackets; fits no other content.
        case words(by: Unicode.Scalar)
        /// One character, with the sign of repetition behind it.
        case unit(String)
        /// One character of the class in the brackets.
        case unitOfClass
        case untold
    }

    /// Where it may stand.
    struct Place: OptionSet {
        let rawValue: Int
        /// Behind a slash; in a query behind "=" or "&".
        static let begins = Place(rawValue: 1)
        /// There, or behind a sign that divides words.
        static let begin = Place(rawValue: 2)
        /// In front of a slash.
        static let ends = Place(rawValue: 4)
        /// There, or in front of a dot, a hyphen, a comma or a closing bracket.
        static let end = Place(rawValue: 512)
        /// Not in a query.
        static let path = Place(rawValue: 8)
        static let first = Place(rawValue: 16)
        static let last = Place(rawValue: 32)
        /// Within what is known to be a regular expression.
        static let expression = Place(rawValue: 64)
        /// The brackets hold a regular expression.
        static let holdsExpression = Place(rawValue: 128)
        /// Not in an exclusion of hidden files.
        static let open = Place(rawValue: 256)
        /// Figures in brackets, behind what they count.
        static let counts = Place(rawValue: 1024)
    }

    let shape: [Unicode.Scalar]
    let kind: ForeignNotation.Kind
    let apple: Apple
    let meaning: String
    let places: Place

    /// In the shape `§` stands for a name, `…` for anything up to the closing bracket, which begins at `‹` if there is one.
    init(_ shape: String, _ kind: ForeignNotation.Kind, _ apple: Apple, _ meaning: String, _ places: Place = []) {
        self.shape = Array(shape.unicodeScalars)
        self.kind = kind
        self.apple = apple
        self.meaning = meaning
        self.places = places
    }

    /// Whether it is written in escapes, whose digits have two cases.
    var isEscape: Bool { shape[0] == "%" && shape.count > 4 }

    static let byFirst = Dictionary(grouping: table) { $0.shape[0] }

    /// Words with bars between them, outside of brackets.
    static let bareChoice = NotationForm("|", .expression, .content, choice)

    private static let template = "a placeholder of a template that was never filled in"
    private static let format = "a placeholder of a format that was never filled in"
    private static let express = "a parameter of Express, Vue, React Router and Rails"
    private static let optional = "an optional parameter of Express, Vue and React Router"
    private static let repeated = "a repeated parameter of Express, Vue and Next.js"
    private static let values = "a parameter of a router with its values"
    private static let constrained = "a parameter of a router with a constraint"
    private static let next = "a parameter of Next.js, Expo Router, Nuxt and SvelteKit"
    private static let escaped = "a parameter of Next.js, Nuxt and SvelteKit in escaped brackets"
    private static let intercepted = "a sign of Next.js for intercepted routes"
    private static let routeGroup = "a route group of Expo Router and Next.js, which is no part of the URL"
    private static let django = "a parameter of Flask and Django"
    private static let escape = "an escape of a regular expression"
    private static let beginning = "the beginning of a regular expression"
    private static let end = "the end of a regular expression"
    private static let condition = "a condition of a regular expression"
    private static let group = "a group of a regular expression"
    private static let choice = "a choice of a regular expression"
    private static let characterClass = "a class of a regular expression"
    private static let wildcard = "a wildcard of a regular expression and of Android's pathPattern"
    private static let remix = "a parameter of Remix and TanStack Router"

    private static let table: [NotationForm] = [
        .init(":§(.:§)", .route, .text("?*"), "a parameter of Rails", .begin),
        .init(":§(…)?", .route, .optional, optional, [.begin, .ends]),
        .init(":§(…)*", .route, .optional, repeated, [.begin, .ends]),
        .init(":§(/…)", .route, .text("?*"), express, [.begin, .first, .last]),
        .init(":§(…)", .route, .words(by: "|"), values, .begin),
        .init(":§(…)", .route, .text("?*"), constrained, .begin),
        .init(":§{…}", .route, .words(by: "|"), values, .begin),
        .init(":§{…}", .route, .text("?*"), constrained, .begin),
        // A colon may stand in a path.
        .init(":§?", .perhapsRoute, .optional, optional, [.begin, .ends]),
        .init(":§*", .perhapsRoute, .optional, repeated, [.begin, .ends]),
        .init(":§+", .perhapsRoute, .text("?*"), repeated, [.begin, .ends]),
        .init(":§", .perhapsRoute, .text("?*"), express, [.begin, .end]),

        .init("[[...§]]", .route, .optional, "an optional catch-all of Next.js and SvelteKit", [.begin, .path]),
        .init("[[§]]", .route, .optional, "an optional parameter of Nuxt and SvelteKit", [.begin, .path]),
        .init("[...§]", .route, .text("?*"), "a catch-all of Next.js, Expo Router and Nuxt", [.begin, .path]),
        .init("[§=§]", .route, .text("?*"), "a parameter of SvelteKit", [.begin, .path]),
        .init("[§]", .route, .text("?*"), next, [.begin, .end, .path]),
        .init("[…]", .expression, .unitOfClass, characterClass),

        .init("{{…}}", .route, .text("?*"), template),
        .init("{*}", .route, .text("*"), "a wildcard of a router", .path),
        .init("{**}", .route, .text("*"), "a wildcard of a router", .path),
        .init("{*…}", .route, .text("*"), "a catch-all of ASP.NET, Spring and Axum"),
        .init("{§...}", .route, .text("*"), "the rest of a path in Go and Ktor"),
        .init("{...}", .route, .text("*"), "the rest of a path in Ktor"),
        .init("{$}", .route, .text(""), "the end of a path in Go", .path),
        .init("{$§}", .route, .text("?*"), "a parameter of TanStack Router"),
        .init("{-$§}", .route, .optional, "an optional parameter of TanStack Router"),
        .init("{…?}", .route, .optional, "an optional parameter of ASP.NET, Laravel and Ktor"),
        .init("{§}?", .route, .optional, "an optional parameter of Laravel and Ktor", [.begin, .ends, .path]),
        .init("{§=…}", .route, .optional, "a parameter with a default value, of ASP.NET"),
        .init("{§+}", .route, .text("?*"), "the rest of a path in Amazon's API Gateway"),
        .init("{§:…}", .route, .words(by: "|"), values),
        .init("{§:(…)}", .route, .words(by: "|"), values),
        .init("{§:…}", .route, .text("?*"), constrained),
        .init("{§}", .route, .text("?*"), "a parameter of Spring, OpenAPI, ASP.NET and Laravel"),
        .init("{…}", .expression, .untold, "a count of a regular expression", .counts),
        .init("{…}", .expression, .words(by: ","), "a choice in a shell's braces"),
        .init("{…}", .expression, .words(by: "|"), "a choice in braces"),
        .init("{…}", .route, .text("?*"), "a placeholder: no URL holds a brace", .path),
        .init("{}", .route, .text("?*"), format, .path),

        .init("<§:…>", .route, .text("?*"), django),
        .init("<§>", .route, .text("?*"), django),
        .init("<%…%>", .route, .text("?*"), template),
        .init("${…}", .route, .text("?*"), template),
        .init("#{…}", .route, .text("?*"), template),
        .init("%{…}", .route, .text("?*"), template),
        .init("$[…]", .route, .text("?*"), template),
        .init("$<…>", .route, .text("?*"), template),
        .init("%7B%7B§%7D%7D", .route, .text("?*"), template),
        .init("%7B§%7D", .route, .text("?*"), "a placeholder in escaped braces"),
        .init("%5B%5B...§%5D%5D", .perhapsRoute, .optional, escaped, [.begin, .path]),
        .init("%5B...§%5D", .perhapsRoute, .text("?*"), escaped, [.begin, .path]),
        .init("%5B§%5D", .perhapsRoute, .text("?*"), escaped, [.begin, .end, .path]),
        .init(
            "%3A§", .perhapsRoute, .text("?*"), "a parameter of Express, Vue and Rails with an escaped colon",
            [.begin, .end, .path]),
        .init(
            "%3C§%3E", .perhapsRoute, .text("?*"), "a parameter of Flask and Django in escaped brackets",
            [.begin, .end, .path]),
        .init("**:§", .route, .text("*"), "the rest of a path in Nitro and Nuxt", [.begins, .last, .path]),
        .init("%(§)s", .route, .text("?*"), format),
        .init("%s", .route, .text("?*"), format, .ends),
        .init("%d", .route, .text("?*"), format, .ends),
        .init("%@", .route, .text("?*"), format, .ends),
        .init("$", .expression, .text(""), end, [.last, .expression]),
        .init(
            "$", .route, .untold, "the end of a regular expression, or of a route in Remix", [.last, .begins, .path]),
        .init("$", .expression, .text(""), end, [.last, .path]),
        .init("/?", .expression, .text(""), end, [.last, .expression]),
        .init("$§", .perhapsRoute, .text("?*"), remix, [.begins, .end]),
        .init(
            "*§", .perhapsRoute, .text("*"), "the rest of a path in Express, Rails and Gin", [.begins, .last, .path]),

        .init("(?:…)?", .expression, .optionalContent, group),
        .init("(?:…)", .expression, .content, group),
        .init("(?<§>…)", .expression, .content, group),
        .init("(?P<§>…)", .expression, .content, group),
        .init("(?=…)", .expression, .untold, condition),
        .init("(?!…)", .expression, .untold, condition),
        .init("(?<…)", .expression, .untold, condition),
        .init("(?i)", .expression, .text(""), "a setting of a regular expression"),
        .init("(:§)", .route, .text("?*"), "a placeholder of CodeIgniter"),
        .init("($§)", .route, .optional, "an optional parameter of Remix"),
        .init("(.:§)", .route, .text(""), "an optional part of a route in Rails"),
        .init("(‹/:…)", .route, .optionalContent, "an optional part of a route in Rails"),
        .init("(.)", .route, .text(""), intercepted, .begins),
        .init("(..)", .route, .text(""), intercepted, .begins),
        .init("(...)", .route, .text(""), intercepted, .begins),
        .init("(…)?", .expression, .optionalContent, group, .begins),
        .init("(‹/…)?", .expression, .optionalContent, group),
        .init("(…)+", .expression, .text("?*"), group),
        .init("(…)*", .expression, .text("*"), group, .holdsExpression),
        .init("(…)?", .expression, .optionalContent, group, .holdsExpression),
        .init("(…)", .expression, .words(by: "|"), choice),
        .init("(…)", .expression, .content, group, .holdsExpression),
        .init("(§)", .perhapsRoute, .text(""), routeGroup, [.begins, .ends, .path]),

        .init("^", .expression, .text(""), beginning, [.first, .path]),
        .init("^", .expression, .text(""), beginning, [.first, .expression]),
        .init("\\d", .expression, .unit("$(digit)"), characterClass),
        .init("\\w", .expression, .unit("?"), characterClass),
        .init("\\s", .expression, .unit("?"), characterClass),
        .init("\\D", .expression, .unit("?"), characterClass),
        .init("\\W", .expression, .unit("?"), characterClass),
        .init("\\S", .expression, .unit("?"), characterClass),
        .init("\\.", .expression, .text("."), escape),
        .init("\\/", .expression, .text("/"), escape),
        .init("\\-", .expression, .text("-"), escape, .expression),
        .init(".*?", .expression, .text("*"), wildcard, .expression),
        .init("..*", .expression, .text("?*"), wildcard, [.begins, .open]),
        .init(".*", .expression, .text("*"), wildcard, [.begin, .open]),
        .init(".*", .expression, .text("*"), wildcard, .expression),
        .init(".+", .expression, .text("?*"), "a wildcard of a regular expression", .path),
        .init(".+", .expression, .text("?*"), "a wildcard of a regular expression", .begins),
        .init(".+", .expression, .text("?*"), "a wildcard of a regular expression", .expression),
    ]
}

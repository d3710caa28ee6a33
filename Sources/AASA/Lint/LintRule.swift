// The form that every rule has, and the list of all. A rule is a type without cases, named after its id, in the file of its
// topic under Rules/; docs/lint-rules.md is generated from its description.

/// A rule as people read it.
public struct LintRuleDescription: Sendable, Hashable {
    /// Kebab-case; a contract, as are the anchors of docs/lint-rules.md.
    public let id: String
    public let severity: LintSeverity
    /// A few words, no full stop.
    public let title: String
    /// What a device does, and how that is known.
    public let why: String
    /// A file, or the part that counts, with the fault.
    public let example: String
    /// The same without it.
    public let fixedExample: String
    public let fix: String
    /// Apple's page, or the standard, that decides the matter.
    public let reference: String
}

protocol LintRule: SendableMetatype {
    static var description: LintRuleDescription { get }

    /// The bytes of the example, where its text in the description only stands for them.
    static var exampleBytes: [UInt8] { get }

    /// Time must grow linearly with the file, whatever is in it.
    static func check(_ subject: LintSubject, _ findings: inout FindingSink)
}

extension LintRule {
    static var exampleBytes: [UInt8] { Array(description.example.utf8) }
}

/// Pages that decide.
enum LintReference {
    static let json = "https://www.rfc-editor.org/rfc/rfc8259"
    static let associatedDomains = "https://developer.apple.com/documentation/xcode/supporting-associated-domains"
    static let applinks = "https://developer.apple.com/documentation/bundleresources/applinks"
    static let details = applinks + "/details"
    static let components = details + "/components"
    static let query = components + "/query"
    static let defaults = applinks + "/defaults"
    static let variables = applinks + "/substitutionvariables"
    static let technote = "https://developer.apple.com/documentation/technotes/tn3155-debugging-universal-links"
    static let archivedGuide =
        "https://developer.apple.com/library/archive/documentation/General/Conceptual/AppSearch/UniversalLinks.html"
    static let appClips =
        "https://developer.apple.com/documentation/appclip/associating-your-app-clip-with-your-website"
    static let whatsNew2019 = "https://developer.apple.com/videos/play/wwdc2019/717/"
    static let whatsNew2020 = "https://developer.apple.com/videos/play/wwdc2020/10098/"
}

/// Small whole files for the rules' examples.
enum LintExample {
    static func details(_ entries: String) -> String {
        "{\"applinks\": {\"details\": [\n  " + entries + "\n]}}"
    }

    static func components(_ lines: String...) -> String {
        details(
            "{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [\n    "
                + lines.joined(separator: ",\n    ") + "\n  ]}")
    }

    static func paths(_ list: String) -> String {
        "{\"applinks\": {\"apps\": [], \"details\": [\n  "
            + "{\"appID\": \"D7KQ4ZW2MX.com.acme.shop\", \"paths\": [" + list + "]}\n]}}"
    }

    static func variables(_ variables: String, _ component: String) -> String {
        "{\"applinks\": {\n  \"substitutionVariables\": " + variables + ",\n"
            + "  \"details\": [{\"appIDs\": [\"D7KQ4ZW2MX.com.acme.shop\"], \"components\": [" + component + "]}]\n}}"
    }

    static func credentials(_ apps: String) -> String { "{\"webcredentials\": {\"apps\": [" + apps + "]}}" }
}

/// All rules, in the order in which the documentation lists them. A rule that is not here does not exist.
enum LintRegistry {
    static let rules: [any LintRule.Type] = [
        // The body.
        JSONSyntax.self, SignedFile.self, ByteOrderMark.self, RootNotObject.self, FileTooLarge.self,
        FileSizeNearLimit.self, JSONDuplicateKey.self,
        // Services.
        NoService.self, ServiceType.self, ServiceWithoutApps.self, EmptyService.self, ServiceMisplaced.self,
        UnknownService.self,
        // Keys.
        MisspeltKey.self, ExcludeNotRead.self, MisplacedKey.self, UnknownComponentKey.self, UnknownKey.self,
        // applinks.
        DetailsElementType.self, AppsWithoutDetails.self, DetailsSingleEntry.self, DetailsDictionary.self,
        AppsBesideDetails.self,
        AppsMissingForOlderSystems.self, PathsMissingForOlderSystems.self,
        // App IDs.
        AppIDFormat.self, AppIDSeveral.self, AppIDBlank.self, AppIDPlaceholder.self, AppIDPrefixTwice.self,
        AppIDWildcard.self,
        EntryWithoutApp.self,
        AppIDsType.self, AppIDExample.self, AppIDStoreNumber.self, AppIDsDisagree.self, AppInSeveralEntries.self,
        AppIDDuplicate.self, AppClipID.self, TypographicCharacter.self,
        // Pattern lists.
        PatternListMissing.self, PatternElementType.self, PatternListEmpty.self, EntryOpensNothing.self,
        ComponentWithoutConstraint.self,
        ComponentsAndPathsDiffer.self, ComponentsBeyondPaths.self, BroadPattern.self, WholeSite.self,
        // Components.
        ComponentType.self, QueryValueList.self, QueryItemName.self, QueryNameNotEncoded.self,
        QueryItemWithoutEffect.self, QueryWithoutValue.self, ExclusionTakesMissingItem.self, ExclusionTakesAll.self,
        QueryItemTakesMissing.self,
        DefaultsConstraint.self, SettingsType.self,
        // Order.
        ExcludeAfterInclude.self, RuleUnreachable.self, ExclusionWithoutEffect.self, RuleMatchesNothing.self,
        SharedURLSpace.self, OrderNotChecked.self,
        // Patterns.
        UndefinedVariable.self, UnclosedVariable.self, NestedVariable.self, PatternTooComplex.self,
        PatternNotEncoded.self, VariableNotEncoded.self, RoutePlaceholder.self, RegularExpression.self,
        RouteNotation.self, PatternSeveral.self, PatternBlank.self,
        HostInPath.self, QueryInPath.self, LeadingSign.self,
        EntityInQuery.self,
        MalformedNot.self, NotLowerCase.self, LowerCaseEscape.self,
        EscapeNotDecoded.self, BackslashInPattern.self, VariableHidesPredefined.self, VariableName.self,
        EmptyVariableValue.self, UnusedVariable.self, PatternNormalized.self,
    ]
}

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
        DetailsElementType.self, AppsWithoutDetails.self, DetailsDictionary.self, AppsBesideDetails.self,
        AppsMissingForOlderSystems.self, PathsMissingForOlderSystems.self,
        // App IDs.
        AppIDFormat.self, AppIDBlank.self, AppIDPlaceholder.self, AppIDPrefixTwice.self, AppIDWildcard.self,
        EntryWithoutApp.self,
        AppIDsType.self, AppIDExample.self, AppIDStoreNumber.self, AppIDsDisagree.self, AppInSeveralEntries.self,
        AppIDDuplicate.self, AppClipID.self, TypographicCharacter.self,
        // Pattern lists.
        PatternListMissing.self, PatternElementType.self, PatternListEmpty.self, EntryOpensNothing.self,
        ComponentWithoutConstraint.self,
        ComponentsAndPathsDiffer.self, ComponentsBeyondPaths.self, BroadPattern.self, WholeSite.self,
        // Components.
        ComponentType.self, QueryValueList.self, QueryItemName.self, QueryNameNotEncoded.self,
        QueryItemWithoutEffect.self, ExclusionTakesMissingItem.self, QueryItemTakesMissing.self,
        DefaultsConstraint.self, SettingsType.self,
        // Order.
        ExcludeAfterInclude.self, RuleUnreachable.self, ExclusionWithoutEffect.self, RuleMatchesNothing.self,
        SharedURLSpace.self, OrderNotChecked.self,
        // Patterns.
        UndefinedVariable.self, UnclosedVariable.self, NestedVariable.self, PatternTooComplex.self,
        PatternNotEncoded.self, VariableNotEncoded.self, RoutePlaceholder.self, RegularExpression.self,
        HostInPath.self, QueryInPath.self, LeadingSign.self,
        EntityInQuery.self,
        MalformedNot.self, NotLowerCase.self, LowerCaseEscape.self,
        EscapeNotDecoded.self, BackslashInPattern.self, VariableHidesPredefined.self, VariableName.self,
        EmptyVariableValue.self, UnusedVariable.self, PatternNormalized.self,
    ]
}

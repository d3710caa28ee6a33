enum AppClipID: LintRule {
    static let description = LintRuleDescription(
        id: "app-clip-id", severity: .note, title: "no app ID of \"appclips\" looks like an App Clip's",
        why: """
            An App Clip has an ID of its own, usually that of its app with ".Clip" behind it. Where "appclips" lists only the \
            app itself the clip is not associated.
            """,
        example: #"{"appclips": {"apps": ["D7KQ4ZW2MX.com.acme.shop"]}}"#,
        fixedExample: #"{"appclips": {"apps": ["D7KQ4ZW2MX.com.acme.shop.Clip"]}}"#,
        fix: "list the App Clip's own ID", reference: LintReference.appClips)

    static func check(_ subject: LintSubject, _ findings: inout FindingSink) {
        guard let member = subject.members.last(where: { $0.key == "appclips" }),
            let list = member.value.member("apps"), let apps = list.value.strings, !apps.isEmpty,
            !apps.contains(where: { $0.lowercased().contains("clip") })
        else { return }
        findings.add(
            list.keyRange, "/appclips/apps",
            "none of these IDs looks like an App Clip's (usually the app's ID and \".Clip\"): \(Quoted.list(apps))")
    }
}

// Apple's own word on its crawler.

extension English {
    static func words(_ cause: CrawlerCause) -> CauseText {
        switch cause {
        case .various(let reasons):
            CauseText(
                "No edge of Apple's has a copy, for several reasons (\(words(reasons))). This machine gets the file.",
                actions(reasons))
        case .refusedByAddress(let status):
            CauseText(
                "Your server answers Apple's crawler with \(status); from here its user agent gets the file. A rule by source "
                    + "address, country or bot verification refuses Apple.",
                "Allow AASA-Bot through the firewall, from any address. For a staging host use ?mode=developer in the app's "
                    + "entitlement.")
        case .refused(let status):
            CauseText(
                "Your server answers Apple's crawler with \(status); this machine gets the file.",
                "Allow AASA-Bot through the firewall and bot protection, from any address.")
        case .remembersAbsence(let status):
            CauseText(
                "The file is there now, but Apple's CDN remembers that it was not (\(status)).",
                "Wait. Nothing else needs to be done.")
        case .stillAbsent(let status):
            CauseText(
                "Apple still gets \(status) where this machine gets 200.",
                "Make sure that every server has the file, for every country and user agent. See the log for AASA-Bot.")
        case .wasAbsent(let status):
            CauseText(
                "Apple got \(status) where this machine gets 200 now.",
                "Wait if the file was put there since. If not, make sure that every server has it, for every country and user "
                    + "agent, and see the log for AASA-Bot.")
        case .redirected(let word, let target?):
            CauseText(
                "The origin redirects to \(target), and Apple's crawler does not follow (\(words(word))).",
                "Serve the file at /.well-known/apple-app-site-association itself, with status 200.")
        case .redirected(let word, nil):
            CauseText(
                "Your server redirects Apple's crawler (\(words(word))). This machine gets the file at once.",
                "Look for a redirect by country, language or user agent, and take this path out of it.")
        case .metOutage(let word):
            CauseText(
                "Your server was in trouble when Apple's crawler asked (\(words(word))). This machine gets the file now.",
                "Wait. See the server's log for AASA-Bot if Apple says the same when it asks again.")
        case .rateLimited(let word):
            CauseText(
                "A rate limit of your server refused Apple's crawler (\(words(word))). This machine gets the file.",
                "Take this path out of the limit. See in the log of that time what used it up.")
        case .otherStatus(let word):
            CauseText(
                "Your server gives Apple's crawler another answer than this machine (\(words(word))).",
                "See the server's log for AASA-Bot, and look for a rule or a server that treats it otherwise.")
        case .noAnswerIPv6(let dead):
            CauseText(
                "Apple's crawler gets no answer, most likely because no IPv6 address answers: \(words(dead)).",
                "Repair IPv6, or take the AAAA records away.")
        case .noAnswerAddress(let dead, let all):
            CauseText(
                "Apple's crawler gets no answer, most likely because \(count(dead, all)): \(words(dead)).",
                "Repair the server at that address, or take the address out of the records.")
        case .connection(let cause, let said):
            CauseText(
                "Apple's crawler cannot fetch the file\(quoted(said)). This machine can.", action(.connection(cause)))
        case .noAnswerSlow(let milliseconds):
            CauseText(
                "Apple's crawler gives up before your server answers: here the first byte came after "
                    + "\(seconds(milliseconds)).", "Serve the file from a cache or a static host that does not sleep.")
        case .noAnswerFirewall(let said):
            CauseText(
                "Apple's crawler gets no answer from your server\(quoted(said)). Here every address answers, under Apple's "
                    + "user agents too.",
                "Look for a firewall or geo rule that drops Apple's packets, or a server that sleeps. Open the file to every "
                    + "address.")
        case .noAnswer(let said):
            CauseText(
                "Apple's crawler gets no answer from your server\(quoted(said)). This machine does.",
                "Look for a firewall or geo rule, a dead IPv6 address, or a server that sleeps.")
        case .content:
            CauseText(
                "Apple's crawler gets something that is no JSON. This machine gets the file.",
                "Look for a challenge page or another variant that bots get. Wait if the file was just repaired.")
        case .refusedContent(let word):
            CauseText(
                "Apple's crawler refuses what it gets (\(words(word))). This machine gets the file.",
                "See what the server sends to the user agent AASA-Bot: its size, its type, whether it is whole. Wait if the file "
                    + "was just repaired.")
        case .noAnswerUnseen(let family, let addresses, let said):
            CauseText(
                "Apple's crawler gets no answer from your server\(quoted(said)). This machine has no IPv\(family), so it does "
                    + "not see what Apple sees at \(addresses.listed(upTo: 2)).",
                "Ask that address from a machine with IPv\(family) (curl -\(family)), or name a vantage that has it.")
        case .metOtherAddress(let trouble, let addresses):
            CauseText(
                "From here the domain has \(addresses.listed(upTo: 2)), not public, so this machine does not see what Apple "
                    + "sees.", action(trouble))
        case .notSeenHere(let trouble, let cause):
            CauseText(words(cause).why, action(trouble))
        case .unknown(let word):
            CauseText(
                "Apple's crawler could not take the file. Apple says '\(both(word))', which it does not document.",
                "Let every client read the file over HTTPS, with status 200. Report it to Apple if it says the same a day "
                    + "later.")
        }
    }

    private static func quoted(_ said: String) -> String { said.isEmpty ? "" : " (\(said))" }

    static func both(_ word: AppleWord) -> String {
        [word.code ?? "", word.reason].filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// What to do about all of them.
    static func actions(_ reasons: [AbsenceReason]) -> String {
        var told: [String] = []
        for action in reasons.map({ action($0.trouble) }) where !told.contains(action) { told.append(action) }
        return told.prefix(3).joined(separator: " ")
    }

    static func action(_ trouble: CrawlerTrouble) -> String {
        switch trouble {
        case .refusal: "Allow AASA-Bot through the firewall and bot protection, from any address."
        case .absence: "Make sure that every server has the file."
        case .redirect, .connection(.redirects): "Serve the file without a redirect."
        case .outage: "See in the server's log whether it was in trouble when Apple asked."
        case .rateLimit: "Take the file out of the rate limit."
        case .status: "See in the server's log why AASA-Bot got that status."
        case .address: "Take addresses that are not public out of the domain's records."
        case .connection(.certificate): "Install the full certificate chain of a public authority on every server."
        case .connection(.tls): "Let every server speak TLS 1.2 or 1.3, with a certificate for the domain."
        case .connection(.name): "Check the A and AAAA records at each of the domain's name servers, and DNSSEC."
        case .connection(.refused):
            "Let every address take connections on port 443, and look for a firewall that rejects Apple's."
        case .silence: "Look for a firewall or geo rule that drops Apple's packets, or a dead or slow server."
        case .content: "Serve the JSON file to every client, bots included."
        case .unknown: "Look for a rule by country or address. Report it to Apple if it lasts longer than a day."
        }
    }
}

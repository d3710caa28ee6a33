// TLS that something between this machine and the network opens. The sign: origin and Apple's CDN are refused for one and the
// same authority. Apple's own is never that of a site which nobody trusts.

extension Observation {
    /// With the failures that come of it marked as this machine's own.
    var markingInterception: Observation {
        guard case .asked(let copy) = cdn, let authority = copy.refusedAuthority,
            origin.refusedAuthority == authority,
            !(full?.edges ?? []).contains(where: { $0.retrieval.speaksOfFile })
        else { return self }
        var marked = self
        marked.origin.mark(authority)
        guard var look = full else { return marked }
        for index in look.addresses.indices { look.addresses[index].retrieval.mark(authority) }
        for index in look.agents.indices { look.agents[index].retrieval.mark(authority) }
        for index in look.pages.indices { look.pages[index].retrieval.mark(authority) }
        look.rootCopy?.mark(authority)
        marked.full = look
        return marked
    }
}

extension Retrieval {
    /// The authority that the chain ends with, as far as it was sent, where a certificate was refused for it.
    var refusedAuthority: String? {
        guard failure?.kind == .certificate || failure?.kind == .intercepted, let tls = connection?.tls,
            let problem = tls.problem
        else { return nil }
        switch problem {
        case .selfSigned, .untrustedRoot, .incompleteChain, .nameMismatch, .other: break
        case .expired, .notYetValid, .revoked: return nil
        }
        return tls.chain.linked.last.flatMap { $0.issuer.isEmpty ? nil : $0.issuer }
    }

    fileprivate mutating func mark(_ authority: String) {
        guard refusedAuthority == authority, case .failed(var failure) = outcome else { return }
        failure.kind = .intercepted
        outcome = .failed(failure)
    }
}

import Evidence

/// `heartbeat`.
enum HeartbeatReader {
    /// `domains`: a check is needed for each ping, so that their intervals bound what `every` can promise.
    static func read(_ section: Section?, domains: [WatchedDomain]) -> HeartbeatSettings? {
        guard let section else { return nil }
        let reading = section.reading
        let url = section.secret("url", isRequired: true)
        let every = section.duration("every", in: .seconds(1)...Duration.seconds(86_400))
        section.close()
        guard let url else { return nil }
        if let fault = WebAddress.fault(url.value) {
            let key = url.isFromFile ? "the content of 'url_file'" : "'url'"
            reading.error("\(key) \(section.title) \(fault)", at: url.position)
            return nil
        }
        var result = HeartbeatSettings(url: Secret(url.value))
        if let every { result.every = every }
        if let shortest = domains.map(\.interval).min(), shortest > result.every {
            reading.warning(
                "'every' \(section.title) is \(result.every.notation), while no domain is checked more often than every "
                    + "\(shortest.notation); a ping needs a check, so that pings will come no oftener than those",
                at: section.entry("every")?.position ?? section.position)
        }
        return result
    }
}

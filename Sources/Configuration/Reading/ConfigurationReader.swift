// The top of the file. Each section has a reader in a file of its own; all of them write their complaints into one
// `Reading` and fill in a default where a value is bad, so that nothing stops at the first fault.

struct ConfigurationReader {
    let reading: Reading
    let root: Section
    /// In place of the file's own.
    let shard: Shard?

    /// The result counts only where `reading` holds no error afterwards.
    func read() -> ConfigurationFile {
        readVersion()
        let defaults = DomainReader.defaults(root.section("defaults"))
        let channels = AlertReader(reading: reading)
        let section = root.section("alerts")
        let alerts = channels.read(section)
        let domains = DomainReader(reading: reading, defaults: defaults, channels: channels.names(in: section))
        let watched = domains.read(root)
        let cdn = root.section("cdn")
        var file = ConfigurationFile(
            defaults: defaults,
            domains: watched,
            network: NetworkReader.network(root.section("network")),
            cdn: NetworkReader.cdn(cdn),
            vantages: NetworkReader.vantages(root),
            alerts: alerts,
            maintenance: MaintenanceReader(reading: reading, watched: watched).read(root),
            store: ServiceReader.store(root.section("store"), reading),
            server: ServiceReader.server(root.section("server")),
            log: ServiceReader.log(root.section("log")))
        file.instance = root.text("instance", "a name")?.value
        file.heartbeat = HeartbeatReader.read(
            root.section("heartbeat", isConcealed: true), domains: file.domains)
        let own = ServiceReader.shard(root.section("shard"))
        // Last of what reads the domains: patterns and names may speak of any domain of the file.
        file.shard = shard ?? own
        if let shard = file.shard { file.domains = file.domains.filter { shard.contains($0.domain) } }
        CDNLoad.check(file, cdn, reading)
        root.close()
        return file
    }

    private func readVersion() {
        guard let entry = root.entry("version") else {
            reading.error("'version' is missing; begin the file with 'version: 1'", at: .start)
            return
        }
        guard case .scalar("1", isPlain: true) = entry.value.content else {
            let found = entry.value.summary(isConcealed: false)
            reading.error("'version' must be 1, found \(found)", at: entry.value.position)
            return
        }
    }
}

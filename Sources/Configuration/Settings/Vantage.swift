/// Another place to look from, by way of a proxy there.
package struct Vantage: Sendable, Equatable {
    /// Unique; never `local`, which is where the monitor itself stands.
    package var name: String
    /// A URL, which may hold a password.
    package var proxy: Secret

    package init(name: String, proxy: Secret) {
        self.name = name
        self.proxy = proxy
    }
}

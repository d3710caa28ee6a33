/// Small valid files, each with a different meaning.
package enum SampleFile {
    /// Each `version` has a different meaning.
    package static func version(_ version: Int) -> String {
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/v\#(version)/*"}]}]}}"#
    }

    /// The same meaning as `version(_:)`, with different bytes.
    package static func spaced(_ version: Int) -> String { Self.version(version) + "\n" }
}

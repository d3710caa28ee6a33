/// Small valid files, each with a meaning of its own.
package enum SampleFile {
    /// Another `version`, another meaning.
    package static func version(_ version: Int) -> String {
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/v\#(version)/*"}]}]}}"#
    }

    /// The same meaning as `version(_:)`, in other bytes.
    package static func spaced(_ version: Int) -> String { Self.version(version) + "\n" }
}

// The entry that libFuzzer calls: see `make fuzz`. Compiled together with the library, not by the package.

/// A file for the comparisons; libFuzzer gives the other.
private let base = try? AssociationFile(
    parsing: Array(
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*","exclude":true},"#
            .utf8)
        + Array(#"{"/":"/$(lang)/*","?":{"q":"?*"},"caseSensitive":false},{"/":"/buy/?*"}]}]}}"#.utf8)
).applinks

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    // The buffer is libFuzzer's for the time of this call.
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do {
        try FuzzExercise.run(bytes, against: base)
    } catch {
        // libFuzzer learns of a fault by the end of the process, and keeps the bytes.
        preconditionFailure("\(error)")
    }
    return 0
}

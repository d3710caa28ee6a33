// The entry point for libFuzzer: see `make fuzz`. It is compiled together with the library, not by the package. Bytes
// that begin like text are a file. Other bytes are numbers that generate a file which costs time and memory: few
// distinct parts, many repeats, long parts, many names, up to the maximum size.

/// A fixed file for the comparisons; libFuzzer provides the other.
private let base = try? AssociationFile(
    parsing: Array(
        #"{"applinks":{"details":[{"appIDs":["ABCDE12345.com.example.app"],"components":[{"/":"/a/*","exclude":true},"#
            .utf8)
        + Array(#"{"/":"/$(lang)/*","?":{"q":"?*"},"caseSensitive":false},{"/":"/buy/?*"}]}]}}"#.utf8)
).applinks

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>, _ count: Int) -> Int32 {
    // libFuzzer's buffer is valid only during this call.
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let bytes = input.first.map { $0 >= 0x80 } == true ? drawn(from: input.dropFirst()) : input
    do {
        try FuzzExercise.run(bytes, against: base)
    } catch {
        // libFuzzer notices a fault because the process ends, and saves the bytes.
        preconditionFailure("\(error)")
    }
    return 0
}

/// The first two bytes determine the size.
private func drawn(from numbers: ArraySlice<UInt8>) -> [UInt8] {
    var left = numbers
    func next() -> Int { Int(left.popFirst() ?? 0) }
    let size = min(AssociationFile.sizeLimit, 4 * (next() << 8 | next()) % AssociationFile.sizeLimit + 400)
    return HostileFile(size: size) { limit in
        (limit > 256 ? next() << 16 | next() << 8 | next() : next()) % max(1, limit)
    }.make()
}

// The entry that libFuzzer calls: see `make fuzz`. Compiled together with the library, not by the package. Bytes that begin
// as text are a file. Others are numbers from which a file is drawn that is made to cost time and memory: few distinct parts,
// many repeats, long parts, many names, as large as a file may be.

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
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    let bytes = input.first.map { $0 >= 0x80 } == true ? drawn(from: input.dropFirst()) : input
    do {
        try FuzzExercise.run(bytes, against: base)
    } catch {
        // libFuzzer learns of a fault by the end of the process, and keeps the bytes.
        preconditionFailure("\(error)")
    }
    return 0
}

/// The first two bytes give the size.
private func drawn(from numbers: ArraySlice<UInt8>) -> [UInt8] {
    var left = numbers
    func next() -> Int { Int(left.popFirst() ?? 0) }
    let size = min(AssociationFile.sizeLimit, 4 * (next() << 8 | next()) % AssociationFile.sizeLimit + 400)
    return HostileFile(size: size) { limit in
        (limit > 256 ? next() << 16 | next() << 8 | next() : next()) % max(1, limit)
    }.make()
}

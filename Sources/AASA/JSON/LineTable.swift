/// Finds line and column of a byte offset. A line ends with LF, CR LF or CR alone, as editors have it.
struct LineTable: Sendable {
    /// The first scalar of each line, and places inside of long ones: a file may be one line of a megabyte.
    private let marks: [Mark]
    private let bytes: [UInt8]

    private struct Mark {
        let offset: Int
        let line: Int
        let column: Int
    }

    /// The distance between two marks of one line, in bytes.
    private static let interval = 512

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // A byte order mark is no column.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        marks = bytes.withUnsafeBufferPointer { bytes in
            var (marks, line, column) = ([Mark(offset: start, line: 1, column: 1)], 1, 1)
            var (index, last) = (start, start)
            while index < bytes.count {
                let byte = bytes[index]
                index += 1
                if byte == lineFeed || byte == carriageReturn && (index == bytes.count || bytes[index] != lineFeed) {
                    (line, column, last) = (line + 1, 1, index)
                    marks.append(Mark(offset: index, line: line, column: 1))
                    continue
                }
                // Continuation bytes do not begin a character.
                if byte & 0xC0 != 0x80 { column += 1 }
                if index - last >= Self.interval {
                    last = index
                    marks.append(Mark(offset: index, line: line, column: column))
                }
            }
            return marks
        }
    }

    /// Offsets outside of the text count as its two ends.
    func position(of offset: Int) -> SourcePosition {
        let offset = min(max(marks[0].offset, offset), bytes.count)
        var low = 0
        var high = marks.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if marks[middle].offset <= offset { low = middle } else { high = middle }
        }
        let mark = marks[low]
        let column = mark.column + bytes[mark.offset..<offset].count { $0 & 0xC0 != 0x80 }
        return SourcePosition(line: mark.line, column: column)
    }
}

private let lineFeed: UInt8 = 0x0A
private let carriageReturn: UInt8 = 0x0D

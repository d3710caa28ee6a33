/// One complaint about a configuration, with the place that it is about.
package struct ConfigurationProblem: Sendable, Equatable, CustomStringConvertible {
    package enum Severity: String, Sendable {
        /// The configuration cannot be used.
        case error
        /// It can be used, yet not all of it does what it says.
        case warning
    }

    package let severity: Severity
    /// The file's path as the user gave it.
    package let file: String
    /// From 1.
    package let line: Int
    /// From 1, counted in Unicode scalars.
    package let column: Int
    /// For people; never holds a secret nor the value of an environment variable.
    package let message: String

    package init(severity: Severity, file: String, line: Int, column: Int, message: String) {
        self.severity = severity
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }

    /// `FILE:LINE:COLUMN: MESSAGE`, as compilers write it and editors jump to.
    package var description: String {
        "\(file):\(line):\(column): \(severity == .warning ? "warning: " : "")\(message)"
    }
}

/// A configuration that cannot be used; exit code 78.
package struct ConfigurationFault: Error, Sendable, Equatable, CustomStringConvertible {
    /// Every problem, warnings too, in the order of their positions; at least one is an error.
    package let problems: [ConfigurationProblem]

    package init(problems: [ConfigurationProblem]) {
        self.problems = problems
    }

    package var description: String { problems.map(\.description).joined(separator: "\n") }
}

/// A file that could not be read at all; exit code 66.
package struct ConfigurationFileUnreadable: Error, Sendable, Equatable, CustomStringConvertible {
    package let path: String
    package let reason: String

    package init(path: String, reason: String) {
        self.path = path
        self.reason = reason
    }

    package var description: String { "cannot read '\(path)': \(reason)" }
}

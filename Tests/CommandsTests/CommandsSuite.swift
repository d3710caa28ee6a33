import TestTraits
import Testing

/// What commands print and decide, tested with values in memory: no socket, no process.
@Suite(.inTurn) enum CommandsTests {}

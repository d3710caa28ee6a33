import TestTraits
import Testing

/// What commands print and decide, from values made by hand: no socket, no process.
@Suite(.inTurn) enum CommandsTests {}

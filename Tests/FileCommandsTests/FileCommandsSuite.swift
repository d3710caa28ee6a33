import TestTraits
import Testing

/// What the commands that read files print and decide, from values made in code: no process.
@Suite(.inTurn) enum FileCommandsTests {}

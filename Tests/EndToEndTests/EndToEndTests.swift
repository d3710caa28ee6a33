import TestTraits
import Testing

/// Every suite of this target runs the built program from outside, against its own lab, over loopback only.
@Suite(.timeLimit(.minutes(120)), .inTurn)
enum EndToEndTests {}

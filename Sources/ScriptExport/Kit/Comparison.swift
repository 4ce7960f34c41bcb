import Foundation

/// Compares the events of a script on Core Data with those of frc.
public struct Comparison {
  /// The events of frc.
  public let expected: [ReportedEvent]
  /// The events of Core Data.
  public let actual: [ReportedEvent]

  /// Runs a script.
  ///
  /// - Throws: An error of Core Data that the script does not expect.
  public init(_ script: Script) throws {
    expected = script.events.split(separator: "\n").compactMap { ReportedEvent($0) }
    actual = try ScriptRunner(script).run()
  }

  /// The index of the first difference; nil if there is none.
  public var firstDifference: Int? {
    if let place = zip(expected, actual).enumerated().first(where: { $1.0.json != $1.1.json }) {
      return place.offset
    }
    return expected.count == actual.count ? nil : min(expected.count, actual.count)
  }

  /// A description of the first difference, with the events before it; nil if there is none.
  public var report: String? {
    guard let place = firstDifference else { return nil }
    let line =
      place < expected.count ? expected[place].line : place < actual.count ? actual[place].line : 0
    let before = expected[max(0, place - 3)..<min(place, expected.count)].map { "    \($0.json)" }
    return
      ([
        "line \(line) of the script: event \(place + 1) differs "
          + "(\(expected.count) expected, \(actual.count) reported)"
      ] + before + [
        "  - " + (place < expected.count ? expected[place].json : "no event"),
        "  + " + (place < actual.count ? actual[place].json : "no event"),
      ]).joined(separator: "\n")
  }

  /// Core Data's events in the format of `frc run --format json`.
  public var actualLines: String { actual.map { $0.json + "\n" }.joined() }
}

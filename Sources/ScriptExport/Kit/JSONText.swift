import Foundation

/// Writes JSON like frc, so that equal events have equal texts.
enum JSONText {
  static func object(_ fields: [(String, String?)]) -> String {
    let words = fields.compactMap { key, value in value.map { "\(string(key)):\($0)" } }
    return "{" + words.joined(separator: ",") + "}"
  }

  static func array(_ elements: [String]) -> String { "[" + elements.joined(separator: ",") + "]" }

  static func strings(_ texts: [String]) -> String { array(texts.map(string)) }

  static func string(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where !isVisible(scalar):
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Whether a character is visible.
  ///
  /// Other characters are written as codes.
  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned,
      .privateUse:
      return false
    default: return true
    }
  }

  /// A date in UTC, with milliseconds if it has any.
  static func date(_ date: Date) -> String {
    let formatter = ISO8601DateFormatter()
    let seconds = date.timeIntervalSinceReferenceDate
    guard seconds != seconds.rounded() else { return string(formatter.string(from: date)) }
    formatter.formatOptions.insert(.withFractionalSeconds)
    // The formatter rounds down, and a whole millisecond may be stored as slightly less.
    let nearest = (seconds * 1000).rounded() / 1000 + 0.000_1
    return string(formatter.string(from: Date(timeIntervalSinceReferenceDate: nearest)))
  }
}

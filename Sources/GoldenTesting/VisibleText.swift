/// Replaces invisible characters of a line by visible signs.
///
/// Blanks at the end, tabs and carriage returns become Unicode control pictures; others become
/// their number: `␠`, `␉`, `␍`, `<U+200B>`.
package enum VisibleText {
  package static func of(_ line: String) -> String {
    let trailing = line.unicodeScalars.reversed().prefix { $0 == " " }.count
    let body = line.unicodeScalars.dropLast(trailing)
    return body.map(sign).joined() + String(repeating: "␠", count: trailing)
  }

  /// Returns the line with a number for every character outside ASCII, to distinguish two lines
  /// that look the same.
  static func inASCII(_ line: String) -> String {
    of(line).unicodeScalars.map { $0.isASCII ? String($0) : number(of: $0) }.joined()
  }

  private static func sign(for scalar: Unicode.Scalar) -> String {
    switch scalar {
    case " ": return " "
    case "\t": return "␉"
    case "\r": return "␍"
    default: break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .privateUse,
      .unassigned:
      return number(of: scalar)
    default: return String(scalar)
    }
  }

  private static func number(of scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
  }
}

/// A file of the page with places for text, such as `{{title}}`.
struct PageTemplate {
  private let text: String

  init(_ text: String) { self.text = text }

  /// Returns the text with each place filled.
  ///
  /// Places in the inserted values are not filled.
  func filled(_ values: [String: String]) -> String {
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "{{"),
      let end = rest[start.upperBound...].firstRange(of: "}}")
    {
      result += rest[..<start.lowerBound]
      result += values[String(rest[start.upperBound..<end.lowerBound])] ?? ""
      rest = rest[end.upperBound...]
    }
    return result + rest
  }
}

extension String {
  /// The text escaped for HTML and XML: it contains no tag, no end of an attribute, and no
  /// character that changes how others are shown.
  var asMarkup: String {
    var result = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default:
        if scalar.isHidden {
          result += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
        } else {
          result.unicodeScalars.append(scalar)
        }
      }
    }
    return result
  }
}

extension Unicode.Scalar {
  /// Whether the character is invisible or reorders other characters.
  ///
  /// Documents may not contain some of these.
  fileprivate var isHidden: Bool {
    switch properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: true
    default: value == 0xFFFE || value == 0xFFFF
    }
  }
}

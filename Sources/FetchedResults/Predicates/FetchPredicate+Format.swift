import Foundation
import PredicateSyntax

extension FetchPredicate: CustomStringConvertible {
  /// The predicate in the normal form of the format language.
  ///
  /// Arguments and variables with a value are written out, dates as `CAST(seconds, "NSDate")`. The
  /// text parses to an equal predicate.
  public var predicateFormat: String {
    tree.normalForm(
      argument: { arguments.indices.contains($0) ? arguments[$0].predicateFormat : "%@" },
      variable: { variables[$0]?.predicateFormat },
      variableKey: { variables[$0]?.description })
  }

  /// Returns the predicate in the normal form, but with the words that were written for truth
  /// values.
  ///
  /// - Parameter spelling: Returns the text for an argument's or a variable's value; nil for the
  ///   text of the normal form.
  package func quotedFormat(spelling: @escaping (PropertyValue) -> String?) -> String {
    let text = { (value: PropertyValue) in spelling(value) ?? value.predicateFormat }
    return tree.normalForm(
      argument: { arguments.indices.contains($0) ? text(arguments[$0]) : "%@" },
      variable: { variables[$0].map(text) }, variableKey: { variables[$0]?.description },
      keepsWords: true)
  }

  /// The normal form.
  public var description: String { predicateFormat }
}

extension FetchPredicate {
  /// Returns the normal form with `%@` for some arguments and variables, together with their values
  /// in order.
  package func format(
    withArguments isArgument: (PropertyValue) -> Bool
  ) -> (format: String, arguments: [PropertyValue]) {
    let found = FoundArguments()
    return withoutActuallyEscaping(isArgument) { isArgument in
      let text = { (value: PropertyValue) -> String in
        guard isArgument(value) else { return value.predicateFormat }
        found.values.append(value)
        return "%@"
      }
      let format = tree.normalForm(
        argument: { arguments.indices.contains($0) ? text(arguments[$0]) : "%@" },
        variable: { variables[$0].map(text) }, variableKey: { variables[$0]?.description })
      return (format, found.values)
    }
  }

  private final class FoundArguments {
    var values: [PropertyValue] = []
  }
}

extension FetchPredicate: Equatable {
  /// Whether both have the same normal form.
  public static func == (left: Self, right: Self) -> Bool {
    left.predicateFormat.hasSameScalars(as: right.predicateFormat)
  }
}

extension PropertyValue {
  /// The value as it is written in a predicate.
  ///
  /// Parsing the text gives the same value, so that calculations have the same result. For that, a
  /// floating-point number keeps its decimal point and a decimal its kind, while Apple prints the
  /// digits of both. The text of an object has a meaning only in a script.
  fileprivate var predicateFormat: String {
    switch self {
    case .null: "nil"
    case .bool(let value): value ? "1" : "0"
    case .int(let value): String(value)
    case .double(let value): value.predicateFormat
    case .string(let value): value.quotedForPredicate
    case .date(let value): cast(value.timeIntervalSinceReferenceDate.secondsFormat, "NSDate")
    case .decimal(let value): cast(value.description.quotedForPredicate, "NSDecimalNumber")
    case .uuid(let value): cast(value.uuidString.quotedForPredicate, "NSUUID")
    case .uri(let value): cast(value.absoluteString.quotedForPredicate, "NSURL")
    case .data(let value): cast(value.base64EncodedString().quotedForPredicate, "NSData")
    case .object(let value): value.description
    case .list(let values): "{" + values.map(\.predicateFormat).joined(separator: ", ") + "}"
    }
  }

  private func cast(_ value: String, _ type: String) -> String {
    "CAST(\(value), \"\(type)\")"
  }
}

extension Double {
  /// The number with all its digits, or a cast of its name if it is not a finite number.
  fileprivate var predicateFormat: String {
    isFinite ? description : "CAST(\"\(self)\", \"NSNumber\")"
  }

  /// The seconds with six digits after the decimal point, as Apple prints a date's, or with more if
  /// needed.
  fileprivate var secondsFormat: String {
    let microseconds = String(format: "%.6f", self)
    return Double(microseconds) == self ? microseconds : predicateFormat
  }
}

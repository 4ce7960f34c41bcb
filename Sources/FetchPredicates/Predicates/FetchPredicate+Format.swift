import Foundation
import PredicateSyntax

extension FetchPredicate: CustomStringConvertible {
  /// The predicate in the normal form of the format language.
  ///
  /// Arguments are written out, dates as `CAST(seconds, "NSDate")`, and so are
  /// the variables that have a value: the text parses to an equal predicate.
  public var predicateFormat: String {
    tree.normalForm(
      argument: { arguments.indices.contains($0) ? arguments[$0].predicateFormat : "%@" },
      variable: { variables[$0]?.predicateFormat },
      variableKey: { variables[$0]?.description })
  }

  /// Returns the predicate for a reader: the normal form, but with truth values by
  /// the words by which they were written.
  ///
  /// - Parameter spelling: Gives the text for an argument's or a variable's value;
  ///   nil for the normal form's.
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
  /// Returns the normal form with `%@` for some of its arguments and variables, and those in the
  /// order in which they are.
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
  /// What is written reads back as the same value, so that computing with it
  /// gives the same: a floating-point number keeps its point and a decimal its
  /// kind, where Apple prints the bare digits of both. An object's form means
  /// the object in a script only.
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
  /// The number with all its digits; what is none is the cast of its name.
  fileprivate var predicateFormat: String {
    isFinite ? description : "CAST(\"\(self)\", \"NSNumber\")"
  }

  /// Seconds with six digits after the point, as Apple prints a date's, or with more where it has
  /// more.
  fileprivate var secondsFormat: String {
    let microseconds = String(format: "%.6f", self)
    return Double(microseconds) == self ? microseconds : predicateFormat
  }
}

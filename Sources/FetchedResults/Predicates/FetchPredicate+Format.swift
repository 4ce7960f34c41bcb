import Foundation
import PredicateSyntax

extension FetchPredicate: CustomStringConvertible {
  /// The predicate in the normal form of the format language.
  ///
  /// Arguments are written out, dates as `CAST(seconds, "NSDate")`, so that the
  /// text parses to an equal predicate.
  public var predicateFormat: String {
    tree.normalForm { index in
      arguments.indices.contains(index) ? arguments[index].predicateFormat : "%@"
    }
  }

  /// The normal form.
  public var description: String { predicateFormat }
}

extension FetchPredicate: Equatable {
  /// Whether both have the same normal form and the same variables.
  public static func == (left: Self, right: Self) -> Bool {
    left.predicateFormat.hasSameScalars(as: right.predicateFormat)
      && left.variables == right.variables
  }
}

extension Value {
  /// The value as it is written in a predicate.
  fileprivate var predicateFormat: String {
    switch self {
    case .null: "nil"
    case .bool(let value): value ? "1" : "0"
    case .int(let value): String(value)
    case .double(let value): value.predicateFormat
    case .string(let value): value.quotedForPredicate
    case .date(let value):
      "CAST(\(value.timeIntervalSinceReferenceDate.fixedPoint), \"NSDate\")"
    case .decimal(let value): value.description
    case .uuid(let value): "CAST(\"\(value.uuidString)\", \"NSUUID\")"
    case .uri(let value): "CAST(\(value.absoluteString.quotedForPredicate), \"NSURL\")"
    case .data(let value): "CAST(\"\(value.base64EncodedString())\", \"NSData\")"
    case .object(let value): value.description
    case .list(let values): "{" + values.map(\.predicateFormat).joined(separator: ", ") + "}"
    }
  }
}

extension Double {
  /// A whole number without its `.0`, as NSNumber prints it.
  fileprivate var predicateFormat: String {
    Int64(exactly: self).map(String.init) ?? description
  }

  /// Six digits behind the point.
  fileprivate var fixedPoint: String { String(format: "%.6f", self) }
}

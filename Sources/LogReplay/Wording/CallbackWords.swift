import FetchedResults
import ScriptRuntime

extension LogBatch.Callback {
  /// A text such as `didChange object move Book/1 [0, 0] -> [1, 0]`.
  var words: String {
    switch change {
    case .object(let change): change.words
    case .section(let change): change.words
    }
  }
}

extension ObjectChange {
  /// A text such as `didChange object insert Book/1 -> [0, 0]`.
  var words: String {
    let places =
      switch (type, old, new) {
      case (.update, let old?, _): "\(old)"
      case (_, let old?, let new?): "\(old) -> \(new)"
      case (_, let old?, nil): "\(old)"
      case (_, nil, let new?): "-> \(new)"
      case (_, nil, nil): ""
      }
    return "didChange object "
      + [type.rawValue, object, places].compactMap { $0 }
      .joined(separator: " ")
  }

  /// The object's name, or "the object" if the log does not name it.
  var objectWords: String { object ?? "the object" }
}

extension SectionChange {
  /// A text such as `didChange section insert 0 "A"`.
  var words: String {
    "didChange section \(type.rawValue) \(index)" + (name.map { " \"\($0)\"" } ?? "")
  }
}

extension [Rule] {
  /// A text such as `rule created or started-matching`, with an explanation if there is only one
  /// rule; nil if there are none.
  var words: String? {
    switch count {
    case 0: nil
    case 1: "rule \(self[0].rawValue): \(self[0].summary)"
    case _: "rule " + map(\.rawValue).joined(separator: " or ")
    }
  }
}

extension Int {
  /// Returns the number with a noun: `1 row`, `3 rows`.
  func of(_ noun: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }
}

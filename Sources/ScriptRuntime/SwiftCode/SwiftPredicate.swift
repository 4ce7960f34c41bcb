import FetchedResults

/// A predicate as code for an app.
struct SwiftPredicate {
  /// The objects in the predicate, which become parameters.
  let objects: [ObjectID]
  /// The format string and its arguments.
  private let arguments: [String]

  init(_ predicate: FetchPredicate) {
    let (format, values) = predicate.format { $0.isWrittenAsArgument }
    arguments = ["format: \(format.quoted)"] + values.map(\.swiftArgument)
    var seen: Set<ObjectID> = []
    objects = values.flatMap(\.namedObjects).filter { seen.insert($0).inserted }
  }

  /// Returns the statement that assigns the predicate to a property.
  func lines(of property: String) -> [String] {
    SwiftCall("\(property) = NSPredicate", arguments, end: ")").lines
  }
}

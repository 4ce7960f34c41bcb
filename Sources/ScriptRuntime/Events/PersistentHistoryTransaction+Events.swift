import FetchedResults

extension PersistentHistoryTransaction {
  /// `transaction 2 by "widget" in main, 2026-01-01T00:00:00Z`, and a line for each change.
  var textLines: [String] {
    let author = author.map { " by \($0.quoted)" } ?? ""
    let context = contextName.map { " in \($0)" } ?? ""
    let head =
      "transaction \(transactionNumber)\(author)\(context), \(PropertyValue.date(timestamp))"
    return [head] + changes.map { "  \($0.text)" }
  }
}

extension PersistentHistoryChange {
  /// `update Book/2 pages, title`.
  fileprivate var text: String {
    let properties = updatedProperties.map { " " + $0.joined(separator: ", ") } ?? ""
    return "\(changeType) \(changedObjectID)\(properties)"
  }
}

extension JSON {
  init(_ transaction: PersistentHistoryTransaction) {
    let fields: [(String, JSON?)] = [
      ("number", .number(String(transaction.transactionNumber))),
      ("author", transaction.author.map(JSON.string)),
      ("context", transaction.contextName.map(JSON.string)),
      ("time", JSON(PropertyValue.date(transaction.timestamp))),
      ("changes", .array(transaction.changes.map(JSON.change))),
    ]
    self = .object(fields.compactMap { key, value in value.map { (key, $0) } })
  }

  private static func change(_ change: PersistentHistoryChange) -> JSON {
    let fields: [(String, JSON?)] = [
      ("type", .string("\(change.changeType)")),
      ("object", .string(change.changedObjectID.description)),
      ("properties", change.updatedProperties.map { .array($0.map(JSON.string)) }),
    ]
    return .object(fields.compactMap { key, value in value.map { (key, $0) } })
  }
}

import FetchedResults

/// Statements about merging, object IDs and a store's history, as code for an app.
enum SwiftStatement {
  /// `merge bg into main`: merges every save of `bg`.
  static func saves(_ statement: String) -> [String] {
    SwiftFunction(
      statement: statement, name: "mergeSaves",
      parameters: ["of source: NSManagedObjectContext", "into target: NSManagedObjectContext"],
      result: "any NSObjectProtocol", isThrowing: false, context: nil,
      body: [
        "// Keep what is returned as long as saves are to be merged.",
        "NotificationCenter.default.addObserver(",
        "  forName: .NSManagedObjectContextDidSave, object: source, queue: nil",
        ") { notification in",
        "  target.perform { target.mergeChanges(fromContextDidSave: notification) }",
        "}",
      ]
    ).lines
  }

  /// `merge batch into main`.
  static func batchMerge(_ statement: String) -> [String] {
    SwiftFunction(
      statement: statement, name: "mergeBatch",
      parameters: [
        "inserted: [NSManagedObjectID] = []", "updated: [NSManagedObjectID] = []",
        "deleted: [NSManagedObjectID] = []",
      ], isThrowing: false, context: "into context",
      body: [
        "let changes: [AnyHashable: Any] = [",
        "  NSInsertedObjectsKey: inserted, NSUpdatedObjectsKey: updated,",
        "  NSDeletedObjectsKey: deleted,",
        "]",
        "NSManagedObjectContext.mergeChanges(",
        "  fromRemoteContextSave: changes, into: [context])",
      ]
    ).lines
  }

  /// `history`, and `merge history into main`: the transactions that others saved since a token.
  ///
  /// - Parameters:
  ///   - author: The author of the transactions; nil for all authors.
  ///   - isMerged: Whether a context merges them.
  static func history(_ statement: String, by author: String?, isMerged: Bool) -> [String] {
    var body = ["let request = NSPersistentHistoryChangeRequest.fetchHistory(after: token)"]
    if let author {
      body += [
        "if let transactions = NSPersistentHistoryTransaction.fetchRequest {",
        "  transactions.predicate = NSPredicate(format: \("author == %@".quoted), \(author.quoted))",
        "  request.fetchRequest = transactions",
        "}",
      ]
    }
    body += [
      "let result = try context.execute(request) as? NSPersistentHistoryResult",
      "let transactions = result?.result as? [NSPersistentHistoryTransaction] ?? []",
    ]
    if isMerged {
      body += [
        "for transaction in transactions {",
        "  context.mergeChanges(fromContextDidSave: transaction.objectIDNotification())",
        "}",
        "// Keep the token: the next merge begins after it.",
        "return transactions.last?.token ?? token",
      ]
    } else {
      body.append("return transactions")
    }
    return SwiftFunction(
      statement: statement, name: isMerged ? "mergeHistory" : "history",
      parameters: ["after token: NSPersistentHistoryToken?"],
      result: isMerged ? "NSPersistentHistoryToken?" : "[NSPersistentHistoryTransaction]",
      context: isMerged ? "into context" : "in context", body: body
    ).lines
  }

  /// `delete history`, `delete history before 3`.
  static func historyDeletion(_ statement: String) -> [String] {
    SwiftFunction(
      statement: statement, name: "deleteHistory",
      parameters: ["before token: NSPersistentHistoryToken?"], context: "in context",
      body: ["try context.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: token))"]
    ).lines
  }

  /// `obtain permanent ids`, `obtain permanent ids for dune`.
  static func permanentIDs(_ statement: String, ofSome: Bool) -> [String] {
    SwiftFunction(
      statement: statement, name: "obtainPermanentIDs",
      parameters: ofSome ? ["for objects: [NSManagedObject]"] : [], context: "in context",
      body: [
        "try context.obtainPermanentIDs(for: "
          + (ofSome ? "objects" : "Array(context.insertedObjects)") + ")"
      ]
    ).lines
  }
}

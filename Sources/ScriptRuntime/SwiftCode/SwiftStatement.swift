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
    // A merge passes over the transactions of other authors: its token is that of the last of all.
    if let author, !isMerged {
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
        "for transaction in transactions\(author.map { " where transaction.author == \($0.quoted)" } ?? "") {",
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

/// A class that prints the notifications of a context, as `observe` does.
struct SwiftContext {
  /// The name of the context in the script.
  let name: String

  /// The lines of the file.
  var lines: [String] {
    let keys = ["Inserted", "Updated", "Deleted", "Refreshed", "Invalidated"]
      .map { "      NS\($0)ObjectsKey," }
    return [
      "import CoreData", "", "/// Prints the notifications of a context.",
      "final class \(name.capitalizedFirst)Observer {",
      "  private var tokens: [any NSObjectProtocol] = []", "",
      "  init(context: NSManagedObjectContext) {",
      "    let names: [Notification.Name] = [",
      "      .NSManagedObjectContextObjectsDidChange,",
      "      .NSManagedObjectContextWillSave,",
      "      .NSManagedObjectContextDidSave,",
      "    ]",
      "    tokens = names.map { name in",
      "      NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {",
      "        Self.contextDidPost($0)",
      "      }",
      "    }",
      "  }", "",
      "  deinit { tokens.forEach(NotificationCenter.default.removeObserver) }", "",
      "  private static func contextDidPost(_ notification: Notification) {",
      "    print(notification.name.rawValue)",
      "    let keys = [",
    ] + keys + [
      "    ]",
      "    for key in keys {",
      "      guard let objects = notification.userInfo?[key] as? Set<NSManagedObject> else {",
      "        continue",
      "      }",
      "      print(\"  \\(key)\", objects.map(\\.objectID))",
      "    }",
      "  }",
      "}",
    ]
  }
}

extension String {
  /// The name as Swift code: a keyword is in backticks.
  package var swiftName: String {
    Self.swiftKeywords.contains(self) ? "`\(self)`" : swiftIdentifier
  }

  /// The name, with `_` for each character that no name of Swift has.
  ///
  /// The file of a model may have any text as a name, and nothing of it may become code.
  var swiftIdentifier: String {
    if isSwiftIdentifier { return self }
    return "_" + String(UnicodeScalarView(unicodeScalars.map { $0.isInSwiftNames ? $0 : "_" }))
  }

  /// Whether the text can be a name in Swift, perhaps in backticks.
  package var isSwiftIdentifier: Bool {
    guard let first = unicodeScalars.first, first != "$", !("0"..."9" ~= first) else {
      return false
    }
    return unicodeScalars.allSatisfy(\.isInSwiftNames)
  }

  /// Returns the name as Swift code that uses other names, too.
  ///
  /// - Parameters:
  ///   - taken: The other names.
  ///   - ending: What follows a name that is one of them, or that Swift cannot have.
  func swiftName(unlike taken: Set<String>, ending: String) -> String {
    var name = self
    while name == "_" || name == "self" || taken.contains(name) { name += ending }
    return name.swiftName
  }

  /// The text without line breaks, for a comment of one line.
  ///
  /// A comment ends at every kind of line break, and the rest of the text would be code.
  var inOneLine: String { textLines.joined(separator: " ") }

  /// The lines of the text as a comment that begins with `mark`.
  func comment(_ mark: String) -> [String] { textLines.map { "\(mark) \($0)" } }

  private var textLines: [Substring] { split(whereSeparator: \.isNewline) }

  /// The name with a capital first letter.
  var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }

  /// The name with a small first letter.
  var uncapitalizedFirst: String { prefix(1).lowercased() + dropFirst() }

  /// The keywords of Swift that cannot be used as names.
  private static let swiftKeywords: Set = [
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "await", "break", "case", "catch",
    "class", "continue", "default", "defer", "deinit", "do", "else", "enum", "extension",
    "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init",
    "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private",
    "protocol", "public", "repeat", "rethrows", "return", "self", "static", "struct",
    "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var",
    "where", "while",
  ]
}

extension Unicode.Scalar {
  /// Whether a name of Swift may have the character after its first.
  fileprivate var isInSwiftNames: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", "_", "$": true
    default: !isASCII && (properties.isAlphabetic || properties.isXIDContinue)
    }
  }
}

extension [String] {
  /// Returns the lines indented; empty lines stay empty.
  func indented(by columns: Int = 2) -> [String] {
    let blanks = String(repeating: " ", count: columns)
    return map { $0.isEmpty ? $0 : blanks + $0 }
  }
}

extension EntityDescription {
  /// Returns a key path that the compiler checks: `#keyPath(Book.author.name)`.
  ///
  /// No property of a class can be named `_`.
  func swiftKeyPath(_ path: String) -> String {
    let keys = path.split(separator: ".").map(String.init)
    if keys.contains(where: { $0 == "_" || !$0.isSwiftIdentifier }) { return path.quoted }
    return "#keyPath(\(name.swiftName).\(keys.map(\.swiftName).joined(separator: ".")))"
  }
}

/// A file with one function for an app that does the same as a statement of a script.
struct SwiftFunction {
  /// The statement in the script, which is shown above the function.
  let statement: String
  let name: String
  /// The declarations of the parameters before the context.
  var parameters: [String] = []
  /// The type of the result; nil for none.
  var result: String?
  var isThrowing = true
  /// The declaration of the context; nil if the function has no such parameter.
  var context: String? = "in context"
  let body: [String]

  /// The lines of the file.
  var lines: [String] {
    let comment = statement.comment("///")
    let ending = "\(isThrowing ? " throws" : "")\(result.map { " -> \($0)" } ?? "") {"
    let all = parameters + (context.map { ["\($0): NSManagedObjectContext"] } ?? [])
    let line = "func \(name)(\(all.joined(separator: ", ")))\(ending)"
    let head =
      line.count <= 96
      ? [line] : ["func \(name)("] + all.listed() + [")\(ending)"]
    return ["import CoreData", ""] + comment + head + body.indented() + ["}"]
  }
}

extension [String] {
  /// Returns the parameters, one per line.
  fileprivate func listed() -> [String] {
    enumerated().map { "  \($1)\($0 < count - 1 ? "," : "")" }
  }
}

/// A call on one line if it is short enough, or else with one argument per line.
struct SwiftCall {
  let lines: [String]

  init(_ name: String, _ arguments: [String], end: String) {
    let line = "\(name)(\(arguments.joined(separator: ", "))\(end)"
    guard line.count > 88 else {
      lines = [line]
      return
    }
    let rest = arguments.enumerated().map { index, argument in
      "  " + argument + (index < arguments.count - 1 ? "," : end)
    }
    lines = ["\(name)("] + rest
  }
}

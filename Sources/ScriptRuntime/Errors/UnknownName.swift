import FetchedResults
import PredicateSyntax
package import ScriptSyntax

/// The meaning that was looked for when a name was unknown.
package enum UnknownName: Hashable, Sendable {
  case entity
  /// An entity, a request or a controller.
  case source
  case name
  /// A lower-case name of an entity, which exists with a capital letter.
  case lowercaseEntity(String)
  case variable
  case controller
  /// What `swift` shows: a controller, a context or an entity.
  case swiftSubject
  case table
  case context
  case function
  case type
  /// The parent of an entity.
  case parent
  case storedRequest
  case attribute(of: String)
  case member(of: String)

  /// Whether an included file or a model may define such a name.
  var isDefinedByFiles: Bool {
    switch self {
    case .entity, .source, .name, .lowercaseEntity, .variable, .controller, .swiftSubject, .table,
      .context, .parent, .storedRequest:
      true
    case .function, .type, .attribute, .member: false
    }
  }

  /// Returns the message, with the nearest name, or with all names if none is near.
  func words(_ name: String, _ near: String?, _ known: [String]) -> String {
    words(name) + (suggestion(near).map { "; did you mean '\($0)'?" } ?? alternatives(known) ?? "")
  }

  /// Returns the names that exist, or how to define one.
  private func alternatives(_ known: [String]) -> String? {
    let names = known.listed(limit: self == .type ? 13 : 8)
    let there = names.map { (known.count == 1 ? "there is " : "there are ") + $0 }
    return switch self {
    case .attribute, .member: names.map { "; it has \($0)" }
    case .type: names.map { "; the types are \($0)" }
    case .controller:
      "; "
        + (there ?? "write 'controller NAME = ENTITY sort by KEY' first")
    case .swiftSubject: names.map { "; write \($0)" }
    case .table: "; " + (there ?? "write 'table NAME = CONTROLLER' first")
    case .entity, .source: "; " + (there ?? "write 'entity NAME { title: String }' first")
    case .context: there.map { "; \($0)" }
    case .name, .variable, .function, .parent, .storedRequest, .lowercaseEntity: nil
    }
  }

  private func words(_ name: String) -> String {
    switch self {
    case .source where name.first?.isUppercase != true:
      "unknown request or controller '\(name)'"
    case .entity, .source: "unknown entity '\(name)'"
    case .name: "unknown name '\(name)'"
    case .lowercaseEntity(let entity):
      "unknown name '\(name)'; write \(entity)/1 for an object of \(entity), "
        + "or 'let \(name) = \(entity)/1' first"
    case .variable: "unknown variable '$\(name)'"
    case .controller: "unknown controller '\(name)'"
    case .swiftSubject: "unknown controller, context or entity '\(name)'"
    case .table: "unknown table '\(name)'"
    case .context: "unknown context '\(name)'"
    case .function where PredicateFunction.names.contains { $0 == name || $0 == name + ":" }:
      "unknown function '\(name)'; it is a function of predicates, which follow 'where'"
    case .function: "unknown function '\(name)'"
    case .type: "unknown type '\(name)'"
    case .parent: "unknown entity '\(name)'; a parent is defined before what inherits from it"
    case .storedRequest: "no model holds a request '\(name)'"
    case .attribute(let entity): "\(entity) has no attribute '\(name)'"
    case .member(let owner): "\(owner) has no '\(name)'"
    }
  }

  /// Returns the nearest name as a clause of a sentence.
  private func suggestion(_ near: String?) -> String? {
    self == .variable ? near.map { "$" + $0 } : near
  }

  /// Returns the text that can replace the unknown name.
  func replacement(_ near: String?) -> String? {
    switch self {
    case .entity, .source, .name, .controller, .swiftSubject, .context, .function, .type, .parent,
      .attribute,
      .member:
      near
    case .variable: near.map { "$" + $0 }
    case .storedRequest: near.map(\.quoted)
    case .table, .lowercaseEntity: nil
    }
  }
}

/// The meaning that a name must have, if it has another one.
package enum WantedName: Hashable, Sendable {
  /// The name must be unused.
  case newName
  case controller
  case table
  /// An entity, a request or a controller.
  case source
  case value
  /// The name must belong to the process of the running statement.
  case ofThisProcess
  /// What `swift` shows; for a table, the controller that it shows.
  case swiftSubject(shown: String)

  /// Returns the message.
  func words(_ name: String, _ meaning: NameMeaning) -> String {
    switch self {
    case .newName: "'\(name)' is already \(meaning.rawValue); choose another name"
    case .controller where meaning == .entity:
      "expected a controller, but '\(name)' is an entity; "
        + "write 'controller books = \(name) sort by KEY' first"
    case .controller: "expected a controller, but '\(name)' is \(meaning.rawValue)"
    case .table: "expected a table, but '\(name)' is \(meaning.rawValue)"
    case .source:
      "expected an entity, a request or a controller, but '\(name)' is \(meaning.rawValue)"
    case .swiftSubject(let shown):
      "expected a controller, a context or an entity, but '\(name)' is \(meaning.rawValue); "
        + "write 'swift \(shown)' for the controller that it shows"
    case .ofThisProcess:
      "'\(name)' is \(meaning.rawValue) of the app; an extension has only the context 'main'"
    case .value where meaning == .table:
      "expected a value, but '\(name)' is a table; 'show \(name)' draws it"
    case .value where meaning == .entity:
      "expected a value, but '\(name)' is an entity; "
        + "write 'fetch \(name)' for its objects, or \(name)/1 for one"
    case .value:
      "expected a value, but '\(name)' is \(meaning.rawValue); 'fetch \(name)' shows its objects"
    }
  }
}

/// The kind of thing that a name stands for; the raw value is the word with its article.
package enum NameMeaning: String, Sendable {
  case entity = "an entity"
  case request = "a request"
  case controller = "a controller"
  case observer = "an observer"
  case table = "a table"
  case variable = "a variable"
}

extension [String] {
  /// Returns the names as a part of a sentence: `a, b and c`; nil if there are none.
  ///
  /// - Parameter limit: The largest number of names that are listed; the others are counted.
  func listed(limit: Int) -> String? {
    guard let last else { return nil }
    if count == 1 { return last }
    if count <= limit { return dropLast().joined(separator: ", ") + " and " + last }
    return prefix(limit).joined(separator: ", ") + " and \(count - limit) more"
  }
}

/// The existing objects of an entity, for a message.
package struct ObjectsThere: Hashable, Sendable {
  let entity: String
  let count: Int
  /// The first and the last object; nil if there are none.
  let first: String?
  let last: String?

  /// The objects as a clause of a sentence.
  var words: String {
    guard let first, let last else { return "there are no objects of \(entity)" }
    return switch count {
    case 1: "there is only \(first)"
    case 2: "there are \(first) and \(last)"
    default: "there are \(count) objects, from \(first) to \(last)"
    }
  }
}

/// An action that is not possible with a controller.
package enum ControllerProblem: Hashable, Sendable {
  case notFetched(String)
  /// An access for which Apple's controller raises an exception.
  case accessBeforeFetch(String)
  case controllerWithClauses(String)
  /// `fetch` of an observer.
  case needlessFetch(String)
  /// What only a controller's delegate receives.
  case noDelegate(String)
  /// A clause of an observer that `change` cannot change.
  case fixedInObserver(String)
  /// A clause that an observer does not have.
  case notOfObservers(String)
  /// A row that was deleted, and is read with the quirk.
  case deletedRow(String, of: String)
  case fixedClause(String)
  case savedMembership

  /// A description of the error.
  var words: String {
    switch self {
    case .notFetched(let name): "controller '\(name)' has no results; fetch \(name) first"
    case .accessBeforeFetch(let name):
      "NSInvalidArgumentException: " + ControllerProblem.notFetched(name).words
    case .controllerWithClauses(let name):
      "a controller's fetch takes no clauses; write 'change \(name) …' first"
    case .needlessFetch(let name):
      "observer '\(name)' fetched when it was made, and publishes by itself; remove this statement, or "
        + "write 'change \(name) …' for another request"
    case .noDelegate(let name):
      "observer '\(name)' has no delegate; write 'delegate \(name) changes', 'counts' or 'none' for "
        + "the lines below its results"
    case .fixedInObserver(let name):
      "only 'where' and 'sort by' of observer '\(name)' can change; define it again for others"
    case .deletedRow(let object, let name):
      "quirk deletedRowsTrap: \(object) was deleted and saved, and '\(name)' has not published; "
        + "reading it ends an app, as others have measured"
    case .notOfObservers(let clause):
      "an observer takes no '\(clause)'; define a controller, or remove the clause"
    case .fixedClause(let clause):
      "a controller's '\(clause)' is fixed once it is made; define the controller again"
    case .savedMembership:
      "a controller always includes unsaved changes; use 'includesPendingChanges off' in fetch "
        + "and count"
    }
  }
}

/// The reason why a file, a model or a store cannot be used.
package enum FileProblem: Hashable, Sendable {
  /// A store is already open, so another store or more entities are refused.
  case storeIsOpen(String)
  /// The command names the store, so the script may not name another one.
  case onlyStore(String)
  /// The store is in memory, so there is no other process.
  case memoryIsOneProcess
  /// The store is read-only, also for another process.
  case readOnlyForAll(String)
  /// There are objects already, which another store would not have.
  case objectsInMemory
  case unreadable(path: String, reason: String)
  case unreadableModel(path: String, reason: String)
  case unknownVersion(String, versions: [String])
  case noCurrentVersion(path: String, versions: [String])
  case include(path: String, reason: String)
  case includesItself(path: String)
  case includeTooDeep
  case includeHasErrors(path: String, Diagnostic)
  /// An included file has errors, and nothing of it may be quoted.
  case includeIsNoScript(path: String)

  /// A description of the error.
  var words: String {
    switch self {
    case .storeIsOpen(let name):
      "the store '\(name)' is open; stores and entities come before the first statement that "
        + "needs them"
    case .onlyStore(let name):
      "the script is run on the store '\(name)'; remove this statement"
    case .memoryIsOneProcess:
      "a store in memory belongs to one process; begin with 'store sqlite \"shared.sqlite\" history'"
    case .readOnlyForAll(let name):
      "the store '\(name)' is readonly, so no process changes it"
    case .objectsInMemory:
      "there are objects in memory already; name the store before the first of them"
    case .unreadable(let path, let reason): "cannot read '\(path)': \(reason)"
    case .unreadableModel(let path, let reason): "cannot read the model '\(path)': \(reason)"
    case .unknownVersion(let name, let versions):
      "the model has no version '\(name)'; it has "
        + (versions.isEmpty ? "none" : versions.map { "'\($0)'" }.joined(separator: ", "))
    case .noCurrentVersion(let path, let versions):
      "'\(path)' does not say which version is current; say version "
        + versions.map(\.quoted).joined(separator: " or ")
    case .include(let path, let reason): "cannot include '\(path)': \(reason)"
    case .includesItself(let path): "'\(path)' includes itself"
    case .includeTooDeep: "includes nest deeper than 64 files"
    case .includeHasErrors(let path, let first): "'\(path)' has errors: \(first.message)"
    case .includeIsNoScript(let path):
      "'\(path)' has errors; it is outside of the folder that is read without a flag, so it is "
        + "not quoted"
    }
  }
}
